import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { protocolSchema, staleness } from "./schema.ts"
import { fillTables, notation, tables } from "./schema/Tables.ts"

const schema = JSON.parse(protocolSchema())
const isFrame = new Ajv({ strict: true }).compile(schema)

describe("protocol.schema.json", () => {
  const sessionId = "s-1"
  const frames: ReadonlyArray<[name: string, fits: boolean, frame: unknown]> = [
    ["a ping without a payload", true, { kind: "request", id: "1", type: "ping" }],
    ["a ping with any payload", true, { kind: "request", id: "1", type: "ping", payload: [1] }],
    ["a list_sessions without a payload", true, { kind: "request", id: "1", type: "list_sessions" }],
    ["a list_sessions with a null", true, { kind: "request", id: "1", type: "list_sessions", payload: null }],
    ["a cancel without a payload", false, { kind: "request", id: "1", type: "cancel" }],
    ["a cancel without a session", false, { kind: "request", id: "1", type: "cancel", payload: {} }],
    ["a cancel with one key more", true, { kind: "request", id: "1", type: "cancel", payload: { sessionId, more: 1 } }],
    ["a request of no known type", false, { kind: "request", id: "1", type: "run_step", payload: {} }],
    [
      "an event",
      true,
      { kind: "event", id: "1", type: "user_message", payload: { sessionId, turnId: "t-1", text: "hi" } }
    ],
    [
      "an event of no turn",
      false,
      { kind: "event", id: "1", type: "user_message", payload: { sessionId, text: "hi" } }
    ],
    ["an event without an id", false, { kind: "event", type: "user_message", payload: { sessionId, text: "hi" } }],
    ["an event with another's payload", false, { kind: "event", id: "1", type: "log", payload: { sessionId } }],
    [
      "an event with a word of no meaning",
      false,
      { kind: "event", id: "1", type: "session_completed", payload: { sessionId, reason: "tired" } }
    ],
    ["a response", true, { kind: "response", id: "1", correlationId: "2", ok: true, payload: null }],
    ["a response without a correlationId", false, { kind: "response", id: "1", ok: true, payload: {} }],
    [
      "a failed response",
      true,
      {
        kind: "response",
        id: "1",
        correlationId: "2",
        ok: false,
        payload: {},
        error: { message: "no", code: "handler_failed" }
      }
    ],
    [
      "a failed response without an error",
      false,
      { kind: "response", id: "1", correlationId: "2", ok: false, payload: {} }
    ]
  ]
  for (const [name, fits, frame] of frames) {
    it(`${fits ? "accepts" : "refuses"} ${name}`, () => {
      assert.strictEqual(isFrame(frame), fits)
    })
  }

  it("names the shared types once and refers to them", () => {
    assert.deepStrictEqual(schema.definitions.SendMessageResult.properties.reason, { $ref: "#/definitions/TurnReason" })
    assert.deepStrictEqual(schema.definitions.SessionState.properties.status, { $ref: "#/definitions/SessionStatus" })
  })

  it("refers to nothing that it does not define", () => {
    const references = JSON.stringify(schema).matchAll(/"#\/definitions\/(\w+)"/g)
    assert.deepStrictEqual(
      [...references].map(([, name]) => name).filter((name) => !(String(name) in schema.definitions)),
      []
    )
  })
})

describe("the schema that is kept with the sources", () => {
  const current = "{\n  a: 1,\n  b: 2\n}\n"
  const files: ReadonlyArray<[name: string, text: string, stale: string | undefined]> = [
    ["what the schemas say", current, undefined],
    ["of another shape", "{\n  a: 1,\n  c: 2\n}\n", "line 3 is c: 2, and the schemas say b: 2"],
    ["cut off", "{\n  a: 1,", "line 3 is absent, and the schemas say b: 2"],
    ["longer", `${current}}\n`, "line 5 is }, and the schemas say "],
    ["not there", "", "line 1 is , and the schemas say {"]
  ]
  for (const [name, text, stale] of files) {
    it(`is ${stale === undefined ? "current" : "stale"} where it is ${name}`, () => {
      assert.strictEqual(staleness(text, current), stale)
    })
  }
})

describe("the README's tables", () => {
  it("write a payload as the specification does", () => {
    const text = notation(
      {
        type: "object",
        properties: {
          sessionId: { type: "string" },
          state: { $ref: "#/definitions/State" },
          reason: { $ref: "#/definitions/Reason" },
          client: { anyOf: [{ type: "object", properties: { name: { type: "string" } } }, { type: "null" }] },
          queued: { type: "array", items: { properties: { turnId: { type: "string" } }, required: ["turnId"] } }
        },
        required: ["sessionId", "queued", "state"]
      },
      { State: { type: "object", properties: {} }, Reason: { type: "string", enum: ["a"] } }
    )
    assert.strictEqual(text, "{ sessionId, state: State, reason?, client?: { name? } or null, queued: [{ turnId }] }")
  })

  it("hold every request and event of the specification", () => {
    const { requests = "", events = "" } = tables()
    assert.include(
      requests,
      "| `send_message` | `{ sessionId, text, maxSteps? }` | `{ reason, turnCount, stepCount }` |"
    )
    assert.strictEqual(requests.split("\n").length, 2 + 11)
    assert.strictEqual(events.split("\n").length, 2 + 23)
  })

  it("replace what stands between their markers and nothing else", () => {
    const text = "a\n<!-- table: one -->\nold\n<!-- /table -->\nb\n<!-- table: two -->\n<!-- /table -->\n"
    assert.deepStrictEqual(fillTables(text, { one: "| 1 |", three: "| 3 |" }), {
      text: "a\n<!-- table: one -->\n\n| 1 |\n\n<!-- /table -->\nb\n<!-- table: two -->\n<!-- /table -->\n",
      unknown: ["two"],
      absent: ["three"]
    })
  })
})
