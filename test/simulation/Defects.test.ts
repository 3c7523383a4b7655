import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SidecarResponse } from "../../src/protocol/Frame.ts"
import { check } from "../../src/testing/ContractChecker.ts"
import type { SendMessageResult } from "../../src/protocol/Request.ts"
import { type Fault, faultyStage, type ServiceName, type Way } from "./FaultyStage.ts"

/** What is used in a turn, and how a turn ends in which it goes wrong. */
const inTurns: ReadonlyArray<readonly [ServiceName, string, "failed" | "reply"]> = [
  ["LlamaClient", "stream", "failed"],
  ["LlamaClient", "window", "failed"],
  ["ModelStep", "run", "failed"],
  ["ToolBatch", "run", "failed"],
  ["SessionTools", "specs", "failed"],
  ["SessionTools", "reads", "failed"],
  ["SessionTools", "plan", "failed"],
  ["ApprovalGate", "require", "failed"],
  ["ModelStatus", "observe", "failed"],
  ["SkillRegistry", "list", "reply"],
  ["SessionStore", "commit", "reply"]
]

/** No effects: all that they can do is throw. */
const isValue = new Set(["specs", "reads"])

const ways: ReadonlyArray<Way> = ["throws", "dies", "dies of something odd", "interrupts itself"]

const faultOf = (service: string, member: string, way: Way, isArmed: boolean): Fault => ({
  service,
  member,
  way,
  isArmed,
  hits: 0
})

/** What is used when a session starts: it starts all the same. */
const inStarts: ReadonlyArray<readonly [ServiceName, string]> = [
  ["LlamaClient", "probe"],
  ["ModelStatus", "report"],
  ["SkillRegistry", "list"],
  ["SessionStore", "create"]
]

const waysOf = (member: string) => (isValue.has(member) ? (["throws"] as const) : ways)

const started = (response: SidecarResponse): string => (response.payload as { sessionId: string }).sessionId

describe("a turn in which something of ours goes wrong", () => {
  for (const [service, member, wanted] of inTurns) {
    for (const way of waysOf(member)) {
      it.effect(`ends completely where ${service}.${member} ${way}, and the session goes on`, () =>
        Effect.gen(function* () {
          const fault = faultOf(service, member, way, false)
          const host = yield* faultyStage(fault)
          const { sessionId } = (yield* host.request("start_session", { workingDir: "." })).payload as {
            sessionId: string
          }
          fault.isArmed = true
          const first = yield* host.request("send_message", { sessionId, text: "go" })
          assert.isAbove(fault.hits, 0)
          assert.strictEqual((first.payload as SendMessageResult).reason, wanted, JSON.stringify(first))
          fault.isArmed = false
          const second = yield* host.request("send_message", { sessionId, text: "again" })
          assert.deepInclude(second.payload, { reason: "reply", turnCount: 2 })
          yield* host.end
          assert.deepStrictEqual(check(host.frames, { requests: host.requests, ended: true }), [])
        })
      )
    }
  }
})

describe("a start in which something of ours goes wrong", () => {
  for (const [service, member] of inStarts) {
    for (const way of ways) {
      it.effect(`starts all the same where ${service}.${member} ${way}`, () =>
        Effect.gen(function* () {
          const fault = faultOf(service, member, way, true)
          const host = yield* faultyStage(fault)
          const response = yield* host.request("start_session", { workingDir: "." })
          assert.isAbove(fault.hits, 0)
          assert.isTrue(response.ok, JSON.stringify(response))
          fault.isArmed = false
          const sent = yield* host.request("send_message", { sessionId: started(response), text: "go" })
          assert.deepInclude(sent.payload, { reason: "reply", turnCount: 1 })
          yield* host.end
          assert.deepStrictEqual(check(host.frames, { requests: host.requests, ended: true }), [])
        })
      )
    }
  }
})

describe("a request in which something of ours goes wrong", () => {
  const requests = [
    ["SessionStore", "load", "get_session", { sessionId: "s-other" }],
    ["SessionStore", "load", "resume_session", { sessionId: "s-other" }],
    ["SessionStore", "list", "list_sessions", {}],
    ["SessionStore", "remove", "delete_session", { sessionId: "s-other" }],
    ["SessionStore", "update", "update_session", { sessionId: "s-other", title: "x" }],
    ["SessionStore", "fork", "fork_session", { sessionId: "s-other" }],
    ["SkillRegistry", "list", "skill_list", {}],
    ["SkillRegistry", "install", "skill_install", { sourcePath: "." }],
    ["SkillRegistry", "uninstall", "skill_uninstall", { name: "some-skill" }],
    ["ApprovalGate", "resolve", "approval_response", { approvalId: "a-none", approved: true }]
  ] as const

  for (const [service, member, type, payload] of requests) {
    for (const way of ways) {
      it.effect(`answers ${type} once where ${service}.${member} ${way}, and the session goes on`, () =>
        Effect.gen(function* () {
          const fault = faultOf(service, member, way, false)
          const host = yield* faultyStage(fault)
          yield* host.request("hello", { extensions: ["sessions"] })
          const sessionId = started(yield* host.request("start_session", { workingDir: "." }))
          fault.isArmed = true
          const response = yield* host.request(type, payload)
          assert.isAbove(fault.hits, 0)
          assert.isFalse(response.ok, JSON.stringify(response))
          fault.isArmed = false
          const sent = yield* host.request("send_message", { sessionId, text: "go" })
          assert.deepInclude(sent.payload, { reason: "reply", turnCount: 1 })
          yield* host.end
          assert.deepStrictEqual(check(host.frames, { requests: host.requests, ended: true }), [])
        })
      )
    }
  }
})

describe("a runner of turns that is itself broken", () => {
  it.effect.each(ways)("still lets the request be answered, and the next turn play, where it %s", (way) =>
    Effect.gen(function* () {
      const fault = faultOf("TurnRunner", "run", way, true)
      const host = yield* faultyStage(fault)
      const sessionId = started(yield* host.request("start_session", { workingDir: "." }))
      const first = yield* host.request("send_message", { sessionId, text: "go" })
      assert.deepStrictEqual(first.payload, { reason: "failed", turnCount: 0, stepCount: 0 })
      fault.isArmed = false
      const second = yield* host.request("send_message", { sessionId, text: "again" })
      assert.deepInclude(second.payload, { reason: "reply", turnCount: 1 })
      assert.lengthOf(
        host.frames.filter((frame) => frame.kind === "response"),
        host.requests.length
      )
      yield* host.end
    })
  )
})
