import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SidecarEvent } from "../../src/protocol/Event.ts"
import type { SidecarFrame, SidecarResponse } from "../../src/protocol/Frame.ts"
import { stage } from "../support/Sidecar.ts"

const isError = (code: string) => (frame: SidecarFrame) =>
  frame.kind === "event" && frame.type === "error" && frame.payload.code === code

const bytes = (text: string) => new TextEncoder().encode(text)
const ping = (id: string) => `{"kind":"request","id":"${id}","type":"ping"}`
const answerTo = (id: string) => (frame: SidecarFrame) => frame.kind === "response" && frame.correlationId === id

describe("contract 2, frames in", () => {
  it.effect.each<readonly [string, string, string, RegExp]>([
    ["no JSON", "{oops", "parse_error", /not JSON/],
    ["null", "null", "invalid_frame", /expected an object, got null/],
    ["a number", "42", "invalid_frame", /expected an object, got number/],
    ["an array", "[]", "invalid_frame", /expected an object, got array/],
    ["another kind", '{"kind":"response","id":"x"}', "invalid_frame", /kind: expected "request", got "response"/],
    ["no kind", "{}", "invalid_frame", /kind: expected "request", got nothing/],
    ["no id", '{"kind":"request","type":"ping"}', "invalid_frame", /id: expected string, got nothing/],
    ["a numeric id", '{"kind":"request","id":7,"type":"ping"}', "invalid_frame", /id: expected string, got number/],
    ["no type", '{"kind":"request","id":"a"}', "invalid_frame", /type: expected string, got nothing/]
  ])("answers %s with an error event and goes on", ([, line, code, message]) =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      host.write(`${line}\n`)
      const error = (yield* host.frame(isError(code))) as SidecarEvent & { type: "error" }
      assert.match(error.payload.message, message)
      if (code === "parse_error") assert.strictEqual(error.payload.stack, line)
      assert.isTrue((yield* host.request("ping")).ok)
    })
  )

  it.effect("tells of a line that is not UTF-8", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      host.write(Uint8Array.of(0x22, 0xff, 0x22, 10))
      const error = (yield* host.frame(isError("parse_error"))) as SidecarEvent & { type: "error" }
      assert.match(error.payload.message, /not UTF-8/)
      assert.isTrue((yield* host.request("ping")).ok)
    })
  )

  it.effect("shows 8 KiB of a bad line and its length", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      host.write(`${"x".repeat(20_000)}\n`)
      const error = (yield* host.frame(isError("parse_error"))) as SidecarEvent & { type: "error" }
      assert.strictEqual(error.payload.stack, `${"x".repeat(8192)}… (20000 bytes)`)
    })
  )

  it.effect("names limit and length of a line that is too long, and reads the next one", () =>
    Effect.gen(function* () {
      const { host } = yield* stage({ config: { sidecar: { maxLineBytes: 1000 } } })
      host.write(`${"x".repeat(5000)}\n${ping("after")}\n`, ["after"])
      const error = (yield* host.frame(isError("parse_error"))) as SidecarEvent & { type: "error" }
      assert.match(error.payload.message, /5000.*1000/)
      yield* host.frame(answerTo("after"))
      assert.strictEqual(host.frames.filter(isError("parse_error")).length, 1)
    })
  )

  it.effect("reads a request that comes one byte at a time", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      host.write("", ["é日👩‍👩‍👧"])
      for (const byte of bytes(`\uFEFF${ping("é日👩‍👩‍👧")}\r\n`)) host.write(Uint8Array.of(byte))
      yield* host.frame(answerTo("é日👩‍👩‍👧"))
    })
  )

  it.effect("carries out a last line without LF at the end of the input", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      host.write(ping("last"), ["last"])
      yield* host.end
      yield* host.frame(answerTo("last"))
    })
  )

  it.effect.each<readonly [string, string, unknown, string]>([
    ["a wrong type", "start_session", { workingDir: 5 }, "payload.workingDir: expected string, got number"],
    ["a missing key", "cancel", {}, "payload.sessionId: expected string, got nothing"],
    ["no payload where one is needed", "cancel", undefined, "payload: expected object, got nothing"],
    ["a null where a payload is needed", "cancel", null, "payload: expected object, got null"],
    [
      "blank text",
      "send_message",
      { sessionId: "s", text: " \n" },
      "payload.text: expected a string that is not blank"
    ],
    [
      "zero steps",
      "send_message",
      { sessionId: "s", text: "a", maxSteps: 0 },
      "payload.maxSteps: expected an integer ≥ 1"
    ],
    [
      "half a step",
      "send_message",
      { sessionId: "s", text: "a", maxSteps: 1.5 },
      "payload.maxSteps: expected an integer"
    ],
    [
      "a word for a boolean",
      "approval_response",
      { approvalId: "a", approved: "yes" },
      "payload.approved: expected boolean"
    ]
  ])("names the path of %s", ([, type, payload, message]) =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      const id = "bad"
      host.write(`${JSON.stringify({ kind: "request", id, type, payload })}\n`, [id])
      const response = (yield* host.frame(answerTo(id))) as SidecarResponse
      assert.isFalse(response.ok)
      if (response.ok) return
      assert.strictEqual(response.error.code, "handler_failed")
      assert.include(response.error.message, message)
    })
  )

  it.effect.each([1000, 6000, 50_000, 1_000_000])("answers a payload that is nested %s deep, and goes on", (depth) =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      const metadata = `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`
      const deep = `{"kind":"request","id":"deep","type":"start_session","payload":{"workingDir":".","metadata":${metadata}}}`
      host.write(`${deep}\n`, ["deep"])
      const response = (yield* host.frame(answerTo("deep"))) as SidecarResponse
      if (response.ok) yield* host.request("get_session", response.payload)
      assert.isTrue((yield* host.request("ping")).ok)
    })
  )

  it.effect("ignores unknown keys, and what stands in a payload that is not looked at", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      for (const payload of [undefined, null, 7, { a: 1 }]) assert.isTrue((yield* host.post("ping", payload)).ok)
      assert.isTrue((yield* host.request("cancel", { sessionId: "s", more: 1 })).ok)
    })
  )

  it.effect("gives the same id as many responses as it was used", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      host.write(`${ping("twin")}\n${ping("twin")}\n`, ["twin", "twin"])
      yield* host.request("ping")
      assert.strictEqual(host.frames.filter(answerTo("twin")).length, 2)
    })
  )

  it.effect("answers run_step, pong and what nobody knows with unknown_request, and without an event", () =>
    Effect.gen(function* () {
      const { host } = yield* stage()
      for (const type of ["run_step", "pong", "constructor", "__proto__", "list_queue", "resume_session"]) {
        const response = yield* host.post(type)
        assert.strictEqual(response.ok ? "ok" : response.error.code, "unknown_request", type)
      }
      assert.isFalse(host.frames.some((frame) => frame.kind === "event"))
    })
  )
})
