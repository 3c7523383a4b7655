import { assert, describe, it } from "@effect/vitest"
import { crossing, fromRecording, recordedLine } from "./Entry.ts"

describe("a line of a recording", () => {
  const request = { kind: "request", id: "1", type: "ping" }
  const event = { kind: "event", id: "1", type: "log", payload: {} }
  const lines: ReadonlyArray<[line: string, read: unknown]> = [
    [JSON.stringify({ at: 5, from: "host", frame: request }), { at: 5, from: "host", frame: request }],
    [JSON.stringify({ at: "noon", from: "sidecar", frame: event }), { from: "sidecar", frame: event }],
    [JSON.stringify(request), { from: "host", frame: request }],
    [JSON.stringify(event), { from: "sidecar", frame: event }],
    ["npm warn", { from: "sidecar", frame: "npm warn" }],
    ["null", { from: "sidecar", frame: null }],
    ["  ", undefined]
  ]
  for (const [line, read] of lines) {
    it(line, () => assert.deepStrictEqual(fromRecording(line), read))
  }

  it("comes back as it was written, whatever it was", () => {
    for (const line of [JSON.stringify(request), "no JSON \u2028", "{"]) {
      const crossed = crossing("sidecar", line, 7)
      assert.deepStrictEqual(fromRecording(recordedLine(crossed)), crossed)
    }
  })
})
