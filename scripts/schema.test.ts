import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import type { JsonSchema } from "./schema/JsonSchema.ts"
import { protocolPage } from "./schema/ProtocolPage.ts"
import { withEnd } from "./schema/Sources.ts"
import { protocolSchema, staleness } from "./schema.ts"
import { written } from "./tables.ts"
import { eventTable } from "../src/protocol/EventTable.ts"
import { requestTable } from "../src/protocol/RequestTable.ts"
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
    assert.strictEqual(schema.definitions.SendMessageResult.properties.reason.$ref, "#/definitions/TurnReason")
    assert.strictEqual(schema.definitions.SessionState.properties.status.$ref, "#/definitions/SessionStatus")
  })

  it("refers to nothing that it does not define", () => {
    const references = JSON.stringify(schema).matchAll(/"#\/definitions\/(\w+)"/g)
    assert.deepStrictEqual(
      [...references].map(([, name]) => name).filter((name) => !(String(name) in schema.definitions)),
      []
    )
  })
})

describe("the descriptions of the protocol", () => {
  /** The places of a schema, and of all fields inside it, that have no description. */
  const undescribed = (schema: JsonSchema, path: string): ReadonlyArray<string> => [
    ...(/\S/.test(schema.description ?? "") ? [] : [path]),
    ...insides(schema, path)
  ]
  const insides = (schema: JsonSchema, path: string): ReadonlyArray<string> => [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, field]) => undescribed(field, `${path}.${key}`)),
    ...(schema.items === undefined ? [] : insides(schema.items, `${path}[]`)),
    ...(schema.anyOf ?? []).flatMap((member) => insides(member, path))
  ]

  it("are there for every request, event, type and field", () => {
    const definitions: Readonly<Record<string, JsonSchema>> = schema.definitions
    assert.deepStrictEqual(
      Object.entries(definitions).flatMap(([name, each]) => undescribed(each, name)),
      []
    )
  })

  it("are sentences", () => {
    const texts = [...protocolSchema().matchAll(/"description": "(.*)",?$/gm)].map(([, text = ""]) => text)
    assert.isAbove(texts.length, 500)
    assert.deepStrictEqual(
      texts.filter((text) => !/^[A-Z`].*\.$/.test(text)),
      []
    )
  })

  it("name the unit of every duration, time and number of tokens", () => {
    const fields = [...protocolSchema().matchAll(/"(\w+)": \{\s+"description": "(.*)"/g)]
    const units: ReadonlyArray<readonly [name: RegExp, unit: RegExp]> = [
      [/(Ms|At|^at)$/, /in milliseconds/],
      [/Bytes$/, /in bytes/],
      [/Tokens$/, /[Tt]okens/]
    ]
    const isWithout = (name: string, text: string) =>
      units.some(([names, unit]) => names.test(name) && !unit.test(text))
    assert.deepStrictEqual(
      fields.map(([, name = "", text = ""]) => [name, text] as const).filter(([name, text]) => isWithout(name, text)),
      // A path, in spite of its name.
      [["installedAt", "Absolute path of the folder that it was copied to."]]
    )
  })
})

describe("what is made from the protocol's tables", () => {
  const root = Path.join(import.meta.dirname, "..")
  for (const [path, update] of Object.entries(written)) {
    it(`is current in ${path}`, () => {
      const text = Fs.readFileSync(Path.join(root, path), "utf8")
      assert.isTrue(update(text) === text, "npm run tables writes it")
    })
  }

  it("is current in docs/protocol.schema.json", () => {
    assert.isUndefined(staleness(Fs.readFileSync(Path.join(root, "docs/protocol.schema.json"), "utf8")))
  })

  it("replaces the end of a source below its line, and nothing above it", () => {
    const text = "const a = 1\n\n// Written by `npm run tables`.\nconst old = 1\n"
    assert.strictEqual(withEnd(text, ["const b = 2"]), "const a = 1\n\n// Written by `npm run tables`.\nconst b = 2\n")
    assert.throws(() => withEnd("const a = 1\n", []), /there is no line/)
  })
})

describe("docs/protocol.md", () => {
  const { events = "", requests = "", types = "" } = protocolPage()
  const headings = (text: string) => [...text.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)

  it("has every request with its fields, what it does and its extension", () => {
    assert.deepStrictEqual(headings(requests), Object.keys(requestTable))
    assert.include(requests, "### unqueue\n\nTakes a waiting turn out of the queue.")
    assert.include(requests, "Extension: `queue`.")
    assert.include(requests, "| `maxSteps?` | integer from 1 or null | Step budget of the turn, from 1.")
    assert.include(requests, "| `limits.maxLineBytes` | integer | Length of the longest line that is read, in bytes. |")
    assert.include(requests, "Response payload: [SessionState](#sessionstate) or null.")
    assert.include(
      requests,
      "### shutdown\n\nEnds the session and the process, with exit code 0. Requests after it fail.\n\nPayload: not looked at."
    )
    assert.include(requests, "Payload: null, or\n\n| field | type | meaning |")
  })

  it("has every event with its fields, when it is sent and its extension", () => {
    assert.deepStrictEqual(headings(events), Object.keys(eventTable))
    assert.include(events, "### turn_started\n\nA turn starts. Sent after its `user_message`.\n\n| field |")
    assert.include(events, "| `usage?` | object | Sums over the turn's steps, in tokens;")
    assert.include(events, "| `usage.cachedTokens` | integer |")
    assert.include(events, '| `installed[].source` | `"global"` or `"project"` |')
    assert.include(events, "| `tags?` | object of string |")
  })

  it("has every type that they refer to", () => {
    for (const [, anchor] of `${requests}${events}${types}`.matchAll(/\]\(#(\w+)\)/g)) {
      assert.match(types, new RegExp(`^### ${anchor}$`, "im"))
    }
    assert.include(types, "One of [UserRecord](#userrecord), [ToolCallRecord](#toolcallrecord),")
    assert.include(types, "One of `reply`, `finish`, `max_steps`, `cancelled`, `failed`.")
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
  it("write a payload by names and nesting", () => {
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

  it("hold every request and event of the first version", () => {
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
