import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { SessionHead } from "../../src/domain/Session.ts"
import { SessionId } from "../../src/protocol/Ids.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { toolCall } from "../../src/testing/GatedModel.ts"
import { stage } from "../support/Sidecar.ts"
import { temporaryDatabase } from "./stateDir.ts"

/** What a kill at one moment leaves on the disk: the files as they are after the n-th commit. */
interface Left {
  readonly filename: string
  /** As the process committed it. */
  readonly status: SessionHead["status"]
}

/** A store in a file that keeps a copy of its files after each commit. */
const copying = (filename: string, left: Array<Left>) =>
  Layer.effect(
    SessionStore,
    Effect.map(SessionStore, (store) => {
      const copy = ({ status }: SessionHead) =>
        Effect.sync(() => {
          const folder = path.join(path.dirname(filename), `left-${left.length}`)
          fs.mkdirSync(folder)
          for (const part of ["", "-wal"]) {
            if (fs.existsSync(filename + part))
              fs.copyFileSync(filename + part, path.join(folder, `copy.sqlite${part}`))
          }
          left.push({ filename: path.join(folder, "copy.sqlite"), status })
        })
      return SessionStore.of({
        ...store,
        create: (head) => Effect.tap(store.create(head), copy(head)),
        commit: (head, entries) => Effect.tap(store.commit(head, entries), copy(head))
      })
    })
  ).pipe(Layer.provide(Layer.orDie(SessionStore.layerFile(filename))))

/** The session as the next process finds it, the one that wrote it being gone. */
const found = ({ filename }: Left, id: string) =>
  Effect.gen(function* () {
    const database = new DatabaseSync(filename)
    database.exec("UPDATE sessions SET owner_started = 'in another life'")
    database.close()
    const store = Context.get(yield* Layer.build(Layer.fresh(SessionStore.layerFile(filename))), SessionStore)
    const stored = yield* store.load(SessionId.make(id))
    return stored ?? assert.fail("the session is not there")
  }).pipe(Effect.scoped)

describe("a session whose process was killed", () => {
  it.live("says so, unless its turn had ended on paper too, whichever commit was the last", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryDatabase
      const left: Array<Left> = []
      const write = toolCall("fs.write", { path: "/nonexistent/a.txt", content: "a" })
      const list = toolCall("fs.list", { path: "scripts" })
      const id = yield* Effect.gen(function* () {
        const { host, model, send, session } = yield* stage({ store: copying(filename, left) })
        const id = yield* session
        const asked: Array<string> = []
        const untilAsked = host
          .event("approval_request", ({ payload }) => !asked.includes(payload.approvalId))
          .pipe(Effect.tap(({ payload }) => Effect.sync(() => asked.push(payload.approvalId))))
        const replying = yield* Effect.forkChild(send(id, "one that replies"))
        ;(yield* model.next).finish([list, list])
        ;(yield* model.next).answer("there")
        yield* Fiber.join(replying)

        const asking = yield* Effect.forkChild(send(id, "one that is cancelled while it asks"))
        ;(yield* model.next).finish([list, write])
        yield* untilAsked
        yield* host.request("cancel", { sessionId: id })
        yield* Fiber.join(asking)

        const saying = yield* Effect.forkChild(send(id, "one that is cancelled in the middle of its words"))
        ;(yield* model.next).say("some words")
        yield* host.event("assistant_delta", ({ payload }) => payload.text === "some words")
        yield* host.request("cancel", { sessionId: id })
        yield* Fiber.join(saying)

        const ending = yield* Effect.forkChild(send(id, "one that is ended with the sidecar"))
        ;(yield* model.next).finish([write])
        yield* untilAsked
        yield* host.request("shutdown")
        yield* Fiber.join(ending)
        return id
      }).pipe(Effect.scoped)

      const count = (status: string) => left.filter((each) => each.status === status).length
      assert.deepStrictEqual({ pending: count("pending"), cancelled: count("cancelled") }, { pending: 2, cancelled: 3 })
      assert.strictEqual(left.length, count("pending") + count("cancelled") + count("running"))
      for (const each of left) {
        const { head, history } = yield* found(each, id)
        const known = { status: head.status, isInterrupted: /interrupted/.test(head.lastError ?? "") }
        if (each.status === "running") {
          assert.deepStrictEqual(known, { status: "cancelled", isInterrupted: true })
          continue
        }
        assert.deepStrictEqual(known, { status: each.status, isInterrupted: false })
        const results = history.flatMap((entry) => (entry.kind === "tool_result" ? [entry.callId] : []))
        const calls = history.flatMap((entry) => (entry.kind === "assistant_tool_call" ? [entry.callId] : []))
        assert.sameMembers(results, calls)
      }
    })
  )
})
