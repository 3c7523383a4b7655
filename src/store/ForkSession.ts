import type { SqlClient } from "effect/sql/SqlClient"
import type { ProcessIdentity } from "../process/ProcessIdentity.ts"
import type { Run } from "./Sqlite.ts"
import type { Fork, Forked } from "./StoredSessions.ts"
import { isRunning, keepTurnEnd } from "./TurnEnds.ts"

/**
 * The statements of a fork, for one transaction. The copy keeps all that its prompt is made of: the entries as they are,
 * and `created_at`, whose day stands in the system prompt. So the model server's cache of the source serves the copy.
 */
export const forkSession = (sql: SqlClient, run: Run, owner: ProcessIdentity, { at, from, to, upTo }: Fork): Forked => {
  const [source] = run(sql`SELECT status FROM sessions WHERE id = ${from}`) as ReadonlyArray<{ status: string }>
  if (source === undefined) return "no session"
  const turn = sql.literal(turnOfEntry)
  const turns = run(sql`
    SELECT ${turn} AS id, min(id) AS first FROM entries
    WHERE session_id = ${from} AND ${turn} IS NOT NULL GROUP BY 1 ORDER BY 2`) as ReadonlyArray<Turn>
  const ended = isRunning(source.status) ? turns.length - 1 : turns.length
  const last = upTo === undefined ? ended - 1 : turns.findIndex(({ id }) => id === upTo)
  if (upTo !== undefined && last === -1) return "no turn"
  if (last >= ended) return "not ended"
  /** The first entry that is not copied. What stands between two turns belongs to the one before. */
  const end = turns[last + 1]?.first ?? Number.MAX_SAFE_INTEGER

  run(sql`
    INSERT INTO sessions (id, working_dir, status, turn_count, step_count, created_at, updated_at, first_message,
      last_error, loaded_skills, context_usage, owner_pid, owner_started, title)
    SELECT ${to}, working_dir, status, turn_count, step_count, created_at, ${at}, iif(${last} < 0, NULL, first_message),
      last_error, loaded_skills, context_usage, ${owner.pid}, ${owner.started}, title
    FROM sessions WHERE id = ${from}`)
  run(sql`
    INSERT INTO session_metadata (session_id, json)
    SELECT ${to}, json FROM session_metadata WHERE session_id = ${from}`)
  run(sql`
    INSERT INTO entries (session_id, json)
    SELECT ${to}, json FROM entries WHERE session_id = ${from} AND id < ${end} ORDER BY id`)
  run(sql`
    INSERT INTO turn_ends (session_id, turn_count, status, step_count, last_error, loaded_skills, context_usage)
    SELECT ${to}, turn_count, status, step_count, last_error, loaded_skills, context_usage
    FROM turn_ends WHERE session_id = ${from} AND turn_count <= ${last + 1}`)
  if (last < turns.length - 1) goBack(sql, run, to, last + 1, turns[last]?.id)
  keepTurnEnd(sql, run, to)
  return "forked"
}

/** Makes the copy's row what the source's was when `turnCount` turns had ended, of which `turnId` was the last. */
const goBack = (sql: SqlClient, run: Run, id: string, turnCount: number, turnId: string | undefined) => {
  const known = run(sql`
    UPDATE sessions SET turn_count = ${turnCount}, status = ends.status, step_count = ends.step_count,
      last_error = ends.last_error, loaded_skills = ends.loaded_skills, context_usage = ends.context_usage
    FROM turn_ends AS ends
    WHERE sessions.id = ${id} AND ends.session_id = ${id} AND ends.turn_count = ${turnCount} RETURNING 1`)
  if (known.length > 0) return
  // Before the first turn, of a release that did not keep the ends of turns, or not written in time: what entries tell.
  const closing = sql`json ->> 'kind' = 'assistant_reply' AND json ->> 'progressNote' IS NULL`
  run(sql`
    WITH records AS MATERIALIZED (SELECT json FROM entries WHERE session_id = ${id} AND json_valid(json)),
      own AS (SELECT json FROM records WHERE json ->> 'turnId' = ${turnId ?? null})
    UPDATE sessions SET turn_count = ${turnCount}, last_error = NULL, context_usage = NULL,
      status = CASE
        WHEN ${turnCount} > 0 AND NOT EXISTS (
          SELECT 1 FROM own WHERE ${closing} AND json ->> 'interrupted' IS NULL) THEN 'cancelled'
        WHEN EXISTS (
          SELECT 1 FROM own WHERE json ->> 'kind' = 'tool_result' AND json ->> 'tool' = 'finish'
            AND json ->> 'status' = 'ok') THEN 'completed'
        ELSE 'pending' END,
      step_count = (
        SELECT count(DISTINCT json ->> 'at') FILTER (
            WHERE json ->> 'kind' = 'assistant_tool_call' AND json ->> 'tool' <> 'finish')
          + count(*) FILTER (WHERE ${closing})
        FROM records),
      loaded_skills = (
        SELECT json_group_array(json(value)) FROM json_each(loaded_skills)
        WHERE value ->> 'loadedAt' <= (SELECT max(json ->> 'at') FROM records))
    WHERE id = ${id}`)
}

interface Turn {
  readonly id: string
  /** The id of its first entry. */
  readonly first: number
}

/** Null for an entry that cannot be read. */
const turnOfEntry = "CASE WHEN json_valid(json) THEN json ->> 'turnId' END"
