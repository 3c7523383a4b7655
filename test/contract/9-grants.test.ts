import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { ApprovalCategory } from "../../src/protocol/SessionState.ts"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import * as Tool from "../../src/tools/Tool.ts"
import { stage } from "../support/Sidecar.ts"

/** A tool that asks about a path, and does nothing. */
const pathTool = (name: string, kind: "read" | "write", category: ApprovalCategory = "fs_write_home") =>
  Tool.make({
    name,
    description: "asks about a path",
    parameters: Schema.Struct({ path: Schema.String }),
    reads: kind === "read",
    plan: ({ path }) =>
      Effect.succeed({
        need: {
          categories: kind === "read" ? (["fs_read_outside"] as const) : [category],
          reason: `${name} ${path}`,
          preview: path,
          affectedResources: [path],
          subject: { kind }
        } as Tool.ApprovalNeed,
        run: Effect.succeed({ text: `did ${path}` })
      })
  })

const tools = [pathTool("t.write", "write"), pathTool("t.read", "read"), pathTool("t.trust", "write", "trust_config")]

const write = (path: string) => GatedModel.toolCall("t_write", { path })
const read = (path: string) => GatedModel.toolCall("t_read", { path })

const extensions = ["grants", "sessions", "approval_resolved", "parallel_sessions", "queue", "options"]

const granted = (asked: ReadonlyArray<string> = extensions) =>
  Effect.map(
    Effect.tap(stage({ tools }), ({ host }) => host.request("hello", { extensions: asked })),
    (on) => {
      const { host, model, send } = on
      return {
        ...on,
        start: (grants?: unknown) =>
          Effect.map(host.post("start_session", { workingDir: ".", grants }), (response) => {
            if (!response.ok) return assert.fail(response.error.message)
            return (response.payload as { sessionId: string }).sessionId
          }),
        /** The question about a path. */
        question: (path: string, sessionId?: string) =>
          Effect.map(
            host.event(
              "approval_request",
              ({ payload }) =>
                (payload.affectedResources ?? []).includes(path) &&
                (sessionId === undefined || payload.sessionId === sessionId)
            ),
            ({ payload }) => payload
          ),
        answer: (approvalId: string, more: object) =>
          host.post("approval_response", { approvalId, approved: true, ...more }),
        list: (sessionId: string) => Effect.map(host.post("list_grants", { sessionId }), ({ payload }) => payload),
        /** A turn that makes these calls; the fiber ends with it. */
        turn: (sessionId: string, ...calls: ReadonlyArray<ReturnType<typeof write>>) =>
          Effect.gen(function* () {
            const sent = yield* Effect.forkChild(send(sessionId, "go"))
            ;(yield* model.next).finish([...calls])
            return sent
          }),
        done: (sent: Fiber.Fiber<unknown>) =>
          Effect.gen(function* () {
            ;(yield* model.next).answer("done")
            return yield* Fiber.join(sent)
          })
      }
    }
  )

const questionsIn = (frames: ReadonlyArray<SidecarFrame>) =>
  frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "approval_request" ? [frame.payload.affectedResources?.[0]] : []
  )

const outcomesIn = (frames: ReadonlyArray<SidecarFrame>) =>
  frames.flatMap((frame) =>
    frame.kind === "event" && frame.type === "approval_resolved" ? [frame.payload.outcome] : []
  )

const verdictsIn = (state: unknown) =>
  (state as { turns: ReadonlyArray<{ approval?: { verdict: string; grant?: unknown } }> }).turns.flatMap(
    ({ approval }) => (approval === undefined ? [] : [[approval.verdict, approval.grant]])
  )

const errorOf = (response: unknown) =>
  (response as { readonly error?: { readonly message: string } }).error?.message ?? assert.fail("no error")

const folder = { kind: "write", path: "/srv/out" } as const

describe("contract 9, grants", () => {
  it.effect("are not there for a host without the extension: no offers, and their keys are ignored", () =>
    Effect.gen(function* () {
      const { answer, done, host, question, start, turn } = yield* granted([])
      const sessionId = yield* start("anything")
      const sent = yield* turn(sessionId, write("/srv/out/a"), write("/srv/out/b"))
      const first = yield* question("/srv/out/a")
      assert.notProperty(first, "offers")
      assert.deepStrictEqual((yield* answer(first.approvalId, { grant: folder })).payload, { resolved: true })
      const second = yield* question("/srv/out/b")
      assert.deepStrictEqual((yield* answer(second.approvalId, { grant: 7 })).payload, { resolved: true })
      yield* done(sent)
      const state = (yield* host.request("get_session", { sessionId })).payload
      assert.deepStrictEqual(verdictsIn(state), [
        ["approved", undefined],
        ["approved", undefined]
      ])
    })
  )

  it.effect("are offered from narrow to wide; one that is given with an answer holds for the session at once", () =>
    Effect.gen(function* () {
      const { answer, done, host, list, question, start, turn } = yield* granted()
      const sessionId = yield* start()
      const sent = yield* turn(sessionId, write("/srv/out/a"), write("/srv/out/sub/b"), write("/srv/outside"))
      const first = yield* question("/srv/out/a")
      assert.deepStrictEqual(first.offers, [
        { grant: { kind: "write", path: "/srv/out/a" }, label: "Write /srv/out/a" },
        { grant: folder, label: "Write everything in /srv/out" }
      ])
      const response = yield* answer(first.approvalId, { grant: { path: "/srv/out", kind: "write" } })
      assert.deepStrictEqual(response.payload, { resolved: true })
      assert.deepStrictEqual(yield* list(sessionId), { grants: [folder] })
      const other = yield* question("/srv/outside")
      yield* answer(other.approvalId, {})
      yield* done(sent)
      // The next turn too.
      yield* done(yield* turn(sessionId, write("/srv/out/c")))
      assert.deepStrictEqual(questionsIn(host.frames), ["/srv/out/a", "/srv/outside"])
      assert.deepStrictEqual(outcomesIn(host.frames), ["approved", "approved"])
      const state = (yield* host.request("get_session", { sessionId })).payload
      assert.deepStrictEqual(verdictsIn(state), [
        ["approved", undefined],
        ["granted", folder],
        ["approved", undefined],
        ["granted", folder]
      ])
    })
  )

  it.effect("hold for reads that were planned side by side and wait for their turn to be asked", () =>
    Effect.gen(function* () {
      const { answer, done, host, question, start, turn } = yield* granted()
      const sessionId = yield* start()
      const sent = yield* turn(sessionId, read("/srv/out/a"), read("/srv/out/b"), read("/srv/out/c"))
      const { approvalId, offers = [] } = yield* question("/srv/out/a")
      yield* answer(approvalId, { grant: offers.at(-1)?.grant })
      yield* done(sent)
      assert.lengthOf(questionsIn(host.frames), 1)
    })
  )

  it.effect("hold for turns that are queued, and never for another session", () =>
    Effect.gen(function* () {
      const { answer, done, host, model, question, send, start, turn } = yield* granted()
      const [one, two] = [yield* start(), yield* start()]
      const first = yield* turn(one, write("/srv/out/a"))
      const asked = yield* question("/srv/out/a")
      const queued = yield* Effect.forkChild(send(one, "again"))
      yield* host.event("turn_queued", ({ payload }) => payload.position === 1)
      const beside = yield* turn(two, write("/srv/out/z"))
      const other = yield* question("/srv/out/z", two)
      yield* answer(asked.approvalId, { grant: folder })
      yield* done(first)
      ;(yield* model.next).finish([write("/srv/out/b")])
      yield* done(queued)
      yield* answer(other.approvalId, { approved: false })
      yield* done(beside)
      assert.deepStrictEqual(questionsIn(host.frames), ["/srv/out/a", "/srv/out/z"])
      assert.deepStrictEqual(outcomesIn(host.frames), ["approved", "denied"])
    })
  )

  it.effect("that were not offered, or come with a no, are refused, and the question stays open", () =>
    Effect.gen(function* () {
      const { answer, done, host, list, question, start, turn } = yield* granted()
      const sessionId = yield* start()
      const sent = yield* turn(sessionId, write("/srv/out/a"))
      const { approvalId } = yield* question("/srv/out/a")
      for (const grant of [
        { kind: "write", path: "/srv" },
        { kind: "write", path: "/srv/out/" },
        { ...folder, mode: 1 },
        { kind: "read", path: "/srv/out" },
        "all",
        []
      ]) {
        const message = errorOf(yield* answer(approvalId, { grant }))
        assert.strictEqual(message, "payload.grant: expected one of the grants that the question offers")
      }
      const denied = errorOf(yield* answer(approvalId, { approved: false, grant: folder }))
      assert.strictEqual(denied, "payload.grant: expected nothing with approved: false")
      assert.deepStrictEqual(yield* list(sessionId), { grants: [] })
      assert.deepStrictEqual(outcomesIn(host.frames), [])
      assert.deepStrictEqual((yield* answer(approvalId, { grant: null })).payload, { resolved: true })
      yield* done(sent)
      assert.deepStrictEqual((yield* answer(approvalId, { grant: folder })).payload, { resolved: false })
    })
  )

  it.effect("that the question did not show are none that it offers", () =>
    Effect.gen(function* () {
      const { answer, done, host, question, start, turn } = yield* granted([])
      const sessionId = yield* start()
      const sent = yield* turn(sessionId, write("/srv/out/a"))
      const { approvalId } = yield* question("/srv/out/a")
      yield* host.request("hello", { extensions })
      assert.include(errorOf(yield* answer(approvalId, { grant: folder })), "payload.grant: expected one of")
      yield* answer(approvalId, {})
      yield* done(sent)
    })
  )

  it.effect("may be given when a session begins, are listed, and can be taken back", () =>
    Effect.gen(function* () {
      const { answer, done, host, list, question, start, turn } = yield* granted()
      const npm = { kind: "command", argv: ["npm", "test"] }
      const sessionId = yield* start([folder, npm, folder])
      assert.deepStrictEqual(yield* list(sessionId), { grants: [folder, npm] })
      yield* done(yield* turn(sessionId, write("/srv/out/a")))
      assert.deepStrictEqual(questionsIn(host.frames), [])
      const revoke = (id: string, grant: object) =>
        Effect.map(host.post("revoke_grant", { sessionId: id, grant }), ({ payload }) => payload)
      assert.deepStrictEqual(yield* revoke(sessionId, { kind: "write", path: "/srv" }), { revoked: false })
      assert.deepStrictEqual(yield* revoke(sessionId, folder), { revoked: true })
      assert.deepStrictEqual(yield* revoke(sessionId, folder), { revoked: false })
      assert.deepStrictEqual(yield* list(sessionId), { grants: [npm] })
      const sent = yield* turn(sessionId, write("/srv/out/b"))
      yield* answer((yield* question("/srv/out/b")).approvalId, {})
      yield* done(sent)
      assert.deepStrictEqual(yield* revoke("s-none", folder), { revoked: false })
      assert.strictEqual(
        errorOf(yield* host.post("list_grants", { sessionId: "s-none" })),
        "no active session with id s-none"
      )
    })
  )

  it.effect("that are taken back while a question waits leave it waiting", () =>
    Effect.gen(function* () {
      const { answer, done, host, question, start, turn } = yield* granted()
      const sessionId = yield* start([folder])
      const sent = yield* turn(sessionId, write("/srv/a"), write("/srv/out/b"))
      const first = yield* question("/srv/a")
      yield* host.request("revoke_grant", { sessionId, grant: folder })
      assert.deepStrictEqual(outcomesIn(host.frames), [])
      yield* answer(first.approvalId, {})
      yield* answer((yield* question("/srv/out/b")).approvalId, {})
      yield* done(sent)
    })
  )

  it.effect("with an answer to a question that was withdrawn meanwhile do not count", () =>
    Effect.gen(function* () {
      const { answer, host, list, question, start, turn } = yield* granted()
      const sessionId = yield* start()
      const sent = yield* turn(sessionId, write("/srv/out/a"))
      const { approvalId } = yield* question("/srv/out/a")
      // Both are on their way at once.
      const cancelled = host.post("cancel", { sessionId })
      const late = answer(approvalId, { grant: folder })
      yield* cancelled
      const { payload } = yield* late
      yield* Fiber.join(sent)
      const resolved = (payload as { resolved: boolean }).resolved
      assert.deepStrictEqual(yield* list(sessionId), { grants: resolved ? [folder] : [] })
      assert.deepStrictEqual((yield* answer(approvalId, { grant: folder })).payload, { resolved: false })
      assert.deepStrictEqual(outcomesIn(host.frames), [resolved ? "approved" : "withdrawn"])
    })
  )

  it.effect("are not remembered by a session that is resumed; what the transcript says is no permission", () =>
    Effect.gen(function* () {
      const { answer, done, host, list, question, start, turn } = yield* granted()
      const sessionId = yield* start([folder])
      yield* done(yield* turn(sessionId, write("/srv/out/a")))
      yield* host.request("close_session", { sessionId })
      yield* host.request("resume_session", { sessionId })
      assert.deepStrictEqual(yield* list(sessionId), { grants: [] })
      const sent = yield* turn(sessionId, write("/srv/out/b"))
      yield* answer((yield* question("/srv/out/b")).approvalId, {})
      yield* done(sent)
      const state = (yield* host.request("get_session", { sessionId })).payload
      assert.deepStrictEqual(verdictsIn(state), [
        ["granted", folder],
        ["approved", undefined]
      ])
      yield* host.request("close_session", { sessionId })
      yield* host.request("resume_session", { sessionId, grants: [folder] })
      assert.deepStrictEqual(yield* list(sessionId), { grants: [folder] })
    })
  )

  it.effect("never cover what changes the agent's own rules, and none is offered for it", () =>
    Effect.gen(function* () {
      const { answer, done, question, start, turn } = yield* granted()
      const sessionId = yield* start([{ kind: "write", path: "/" }])
      const sent = yield* turn(sessionId, GatedModel.toolCall("t_trust", { path: "/srv/config.json" }))
      const asked = yield* question("/srv/config.json")
      assert.notProperty(asked, "offers")
      yield* answer(asked.approvalId, { approved: false })
      yield* done(sent)
    })
  )

  it.effect("are not needed, nor recorded, where the level is silent", () =>
    Effect.gen(function* () {
      const { done, host, start, turn } = yield* granted()
      const sessionId = yield* start([folder])
      yield* host.request("set_options", { sessionId, options: { approvalLevel: 5 } })
      yield* done(yield* turn(sessionId, write("/srv/out/a")))
      assert.deepStrictEqual(verdictsIn((yield* host.request("get_session", { sessionId })).payload), [])
    })
  )

  it.effect.each([
    ["all", "payload.grants: expected array, got string"],
    [
      ["all"],
      "payload.grants[0]: expected an object whose kind is write, command, host, script, mcp or read, got string"
    ],
    [[{ kind: "everything" }], "payload.grants[0]: expected an object whose kind is"],
    [[folder, { kind: "write", path: "out" }], "payload.grants[1].path: expected an absolute path"],
    [[{ kind: "write", path: "/a\0b" }], "payload.grants[0].path: expected an absolute path"],
    [[{ ...folder, until: "noon" }], "payload.grants[0].until: expected no such key"],
    [[{ kind: "command", argv: [] }], "payload.grants[0].argv: expected an array of the words of a command"],
    [[{ kind: "command", argv: [" "] }], "payload.grants[0].argv: expected an array of the words of a command"],
    [
      [{ kind: "command", argv: "npm test" }],
      "payload.grants[0].argv: expected an array of the words of a command, got string"
    ],
    [[{ kind: "host", host: "Example.com" }], "payload.grants[0].host: expected a host as in a URL"],
    [[{ kind: "host", host: "a.example/x" }], "payload.grants[0].host: expected a host as in a URL"],
    [[{ kind: "mcp", server: "" }], "payload.grants[0].server: expected a string that is not blank"]
  ] as const)("that are wrong refuse a start before it touches the session that is there: %j", ([grants, message]) =>
    Effect.gen(function* () {
      const { host, list, start } = yield* granted()
      const sessionId = yield* start([folder])
      const response = yield* host.post("start_session", { workingDir: ".", grants })
      assert.include(errorOf(response), message)
      assert.deepStrictEqual(yield* list(sessionId), { grants: [folder] })
    })
  )

  it.effect("are at most 1000 at the start", () =>
    Effect.gen(function* () {
      const { host } = yield* granted()
      const grants = Array.from({ length: 1001 }, () => folder)
      const response = yield* host.post("start_session", { workingDir: ".", grants })
      assert.strictEqual(errorOf(response), "payload.grants: expected at most 1000 grants, got 1001")
    })
  )
})
