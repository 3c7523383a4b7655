import { assert, describe, it } from "@effect/vitest"
import type * as Host from "../../src/host/SidecarHost.ts"
import * as Root from "../../src/index.ts"
import { definitions } from "../support/Schema.ts"

/** What a host in TypeScript imports instead of writing it by hand: the frames, every payload and every record, as types. */
export type OfFrames = [
  Root.HostRequest,
  Root.HostRequestType,
  Root.SidecarEvent,
  Root.SidecarEventType,
  Root.SidecarResponse
]
export type OfPayloads = [
  Root.SendMessagePayload,
  Root.SendMessageResult,
  Root.UserMessageEvent,
  Root.ApprovalRequestEvent,
  Root.ListSessionsResult
]
export type OfHost = [
  Host.HostRequestType,
  Host.SidecarEventType,
  Host.SendMessagePayload,
  Host.UserMessageEvent,
  Host.SessionRecord
]
export const record = (
  all: Root.SessionRecord
): Root.UserRecord | Root.ToolCallRecord | Root.ToolResultRecord | Root.ReplyRecord => all

const isDeclared = (type: "run_step" | "send_message"): Root.HostRequestType => type
const isDeclaredEvent = (type: "pong" | "trace" | "log"): Root.SidecarEventType => type

describe("what the package exports of the protocol", () => {
  it("has specific names", () => {
    const vague = ["Record", "uuid", "Event", "events", "requests", "specified", "extended", "field"]
    assert.deepStrictEqual(
      vague.filter((name) => name in Root),
      []
    )
  })

  it("has both tables, and the schemas of what they share by name", () => {
    assert.property(Root.requestTable, "send_message")
    assert.property(Root.eventTable, "turn_finished")
    const shared = Object.keys(definitions).filter((name) => name in Root)
    assert.includeMembers(shared, [
      "SessionState",
      "SessionRecord",
      "UserRecord",
      "TurnReason",
      "LogLevel",
      "Extension"
    ])
  })

  it("declares the types that the specification declares, those that are never sent too", () => {
    assert.strictEqual(isDeclared("run_step"), "run_step")
    assert.strictEqual(isDeclaredEvent("pong"), "pong")
  })
})
