import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { cutText } from "../domain/CutText.ts"
import type { SessionHead, SessionUpdate } from "../domain/Session.ts"
import type { Entry } from "../domain/Transcript.ts"
import type { SessionId } from "../protocol/Ids.ts"
import { SessionRecord, SessionState } from "../protocol/SessionState.ts"
import { wellFormedJson } from "../protocol/WellFormed.ts"
import * as ProcessIdentity from "../process/ProcessIdentity.ts"
import { SqliteClient } from "./Sqlite.ts"
import { isRunning, keepTurnEnd } from "./TurnEnds.ts"
import { forkSession } from "./ForkSession.ts"
import type { Fork, StoredSessions } from "./StoredSessions.ts"
import { refused, StoreError } from "./StoreError.ts"

/** The store over a migrated database. */
export const make: Effect.Effect<StoredSessions, never, SqliteClient> = Effect.gen(function* () {
  const sql = yield* SqliteClient
  const owner = ProcessIdentity.self()

  const write = (head: SessionHead, entries: ReadonlyArray<Entry>) =>
    sql
      .transact((run) => {
        const firstText = firstMessage(entries)
        const skills = JSON.stringify(head.loadedSkills)
        const usage = head.contextUsage === null ? null : JSON.stringify(head.contextUsage)
        const known = run(sql`
        UPDATE sessions SET status = ${head.status}, turn_count = ${head.turnCount}, step_count = ${head.stepCount},
          updated_at = ${head.updatedAt}, first_message = coalesce(first_message, ${firstText}),
          last_error = ${head.lastError}, loaded_skills = ${skills}, context_usage = ${usage},
          owner_pid = ${owner.pid}, owner_started = ${owner.started}
        WHERE id = ${head.id} RETURNING 1`)
        if (known.length === 0) {
          run(sql`
          INSERT INTO sessions (id, working_dir, status, turn_count, step_count, created_at, updated_at, first_message,
            last_error, loaded_skills, context_usage, owner_pid, owner_started, title)
          VALUES (${head.id}, ${head.workingDir}, ${head.status}, ${head.turnCount}, ${head.stepCount}, ${head.createdAt},
            ${head.updatedAt}, ${firstText}, ${head.lastError}, ${skills}, ${usage}, ${owner.pid}, ${owner.started},
            ${head.title ?? null})`)
          run(sql`
          INSERT INTO session_metadata (session_id, json) VALUES (${head.id}, ${wellFormedJson(head.metadata)})`)
        }
        for (const entry of entries) {
          run(sql`INSERT INTO entries (session_id, json) VALUES (${head.id}, ${wellFormedJson(entry)})`)
        }
        if (!isRunning(head.status)) keepTurnEnd(sql, run, head.id)
      })
      .pipe(Effect.uninterruptible)

  /** Marks turns of processes that are gone as interrupted, in one session or all; guarded against other sidecars. */
  const endInterrupted = Effect.fnUntraced(function* (id: SessionId | null) {
    const unfinished = yield* sql<OwnerRow>`
      SELECT id, owner_pid, owner_started FROM sessions
      WHERE status IN ('running', 'awaiting_approval') AND id = coalesce(${id}, id)`
    for (const { id, owner_pid: pid, owner_started: started } of unfinished) {
      if (ProcessIdentity.isAlive({ pid, started })) continue
      yield* sql.transact((run) => {
        const ended = run(sql`
        UPDATE sessions SET status = 'cancelled', last_error = ${interrupted}
        WHERE id = ${id} AND status IN ('running', 'awaiting_approval') AND owner_pid = ${pid}
          AND owner_started = ${started} RETURNING 1`)
        if (ended.length > 0) keepTurnEnd(sql, run, id)
      })
    }
  })

  const create = (head: SessionHead) => write(head, []).pipe(Effect.mapError(refused(`store session ${head.id}`)))

  const commit = (head: SessionHead, entries: ReadonlyArray<Entry>) =>
    write(head, entries).pipe(Effect.mapError(refused(`write to session ${head.id}`)))

  const load = Effect.fnUntraced(function* (id: SessionId) {
    const doing = `read session ${id}`
    yield* endInterrupted(id).pipe(Effect.mapError(refused(doing)))
    const [row] = yield* sql`
      SELECT ${sql.literal(listed)}, step_count AS stepCount, last_error AS lastError, json AS metadata,
        loaded_skills AS loadedSkills, context_usage AS contextUsage
      FROM sessions LEFT JOIN session_metadata ON session_id = id WHERE id = ${id}`.pipe(
      Effect.mapError(refused(doing))
    )
    if (row === undefined) return null
    const stored = yield* decodeHead(row).pipe(
      Effect.mapError((error) => new StoreError({ doing, why: `its row is unreadable (${error.message})` }))
    )
    const rows = yield* sql<{ json: string }>`SELECT json FROM entries WHERE session_id = ${id} ORDER BY id`.pipe(
      Effect.mapError(refused(doing))
    )
    const history = rows.flatMap(({ json }) => Option.toArray(decodeEntry(json)))
    if (history.length < rows.length) {
      yield* Effect.logError(`${rows.length - history.length} unreadable entries of session ${id} were left out`)
    }
    return { head: toHead(stored, history), history }
  })

  const list = Effect.fnUntraced(
    function* (options: { readonly limit: number; readonly workingDir?: string }) {
      yield* endInterrupted(null)
      const rows = yield* sql`
      SELECT ${sql.literal(listed)} FROM sessions
      WHERE working_dir = coalesce(${options.workingDir ?? null}, working_dir)
      ORDER BY updated_at DESC, rowid DESC LIMIT ${options.limit}`
      return rows.flatMap((row) => Option.toArray(decodeListed(row))).map(untitled)
    },
    Effect.catchTag("SqlError", refused("list the sessions"))
  )

  const remove = (id: SessionId) =>
    sql`DELETE FROM sessions WHERE id = ${id} RETURNING 1`.pipe(
      Effect.map((removed) => removed.length > 0),
      Effect.mapError(refused(`delete session ${id}`))
    )

  const update = (id: SessionId, { metadata, title }: SessionUpdate) =>
    sql
      .transact((run) => {
        const known = run(
          title === undefined
            ? sql`SELECT 1 FROM sessions WHERE id = ${id}`
            : sql`UPDATE sessions SET title = ${title === "" ? null : title} WHERE id = ${id} RETURNING 1`
        )
        if (known.length === 0) return false
        if (metadata !== undefined) {
          const json = JSON.stringify(metadata)
          run(sql`INSERT OR REPLACE INTO session_metadata (session_id, json) VALUES (${id}, ${json})`)
        }
        return true
      })
      .pipe(Effect.mapError(refused(`update session ${id}`)))

  const fork = (fork: Fork) =>
    endInterrupted(fork.from).pipe(
      Effect.andThen(sql.transact((run) => forkSession(sql, run, owner, fork))),
      Effect.mapError(refused(`fork session ${fork.from}`))
    )

  return { create, commit, load, list, remove, update, fork }
})

const interrupted = "The turn was interrupted: the process that ran it ended before the turn did."

/** Characters of a first message in a list of sessions. */
const listedLength = 1000

const firstMessage = (entries: ReadonlyArray<Entry>): string | null => {
  const first = entries.find((entry) => entry.kind === "user")
  return first === undefined ? null : cutText(first.text, listedLength)
}

/** `latestResult` is taken from the history, so that its text, which may be long, is not rewritten by each commit. */
const toHead = (titled: typeof HeadRow.Type, history: ReadonlyArray<Entry>): SessionHead => {
  const row = untitled(titled)
  const result = history.findLast((entry) => entry.kind === "tool_result")
  return {
    ...row,
    metadata: row.metadata ?? {},
    latestResult: result === undefined ? null : { tool: result.tool, status: result.status, summary: result.summary }
  }
}

/** A row without the title that it does not have. */
const untitled = <R extends { readonly title: string | null }>({ title, ...row }: R) => ({
  ...row,
  ...(title === null ? {} : { title })
})

interface OwnerRow {
  readonly id: string
  readonly owner_pid: number
  readonly owner_started: string
}

/** The columns that a list of sessions shows. */
const listed = `id, working_dir AS workingDir, status, turn_count AS turnCount,
  coalesce(first_message, '') AS firstMessage, title, created_at AS createdAt, updated_at AS updatedAt`

const { fields } = SessionState

const ListedRow = Schema.Struct({
  ...Struct.pick(fields, ["id", "workingDir", "status", "turnCount", "createdAt", "updatedAt"]),
  firstMessage: Schema.String,
  title: Schema.NullOr(Schema.String)
})

const HeadRow = Schema.Struct({
  ...Struct.omit(fields, ["turns", "latestResult"]),
  title: Schema.NullOr(Schema.String),
  metadata: Schema.NullOr(Schema.fromJsonString(fields.metadata)),
  loadedSkills: Schema.fromJsonString(fields.loadedSkills),
  contextUsage: Schema.NullOr(Schema.fromJsonString(fields.contextUsage))
})

const NoticeRow = Schema.Struct({
  kind: Schema.Literal("notice"),
  at: Schema.Int,
  turnId: Schema.String,
  text: Schema.String
})

const decodeHead = Schema.decodeUnknownEffect(HeadRow)
const decodeListed = Schema.decodeUnknownOption(ListedRow)
const decodeEntry = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Union([SessionRecord, NoticeRow])))
