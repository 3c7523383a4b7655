import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import type { EventFrame } from "../../src/protocol/Event.ts"
import { eventTable } from "../../src/protocol/EventTable.ts"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { requestTable } from "../../src/protocol/RequestTable.ts"
import { definitions, faultOf, faultsOf, isFrame, type JsonSchema, pascal } from "../support/Schema.ts"

/** A value of a schema that has all the keys that it may have. */
const exampleOf = (schema: JsonSchema): unknown => {
  if (schema.$ref !== undefined) return exampleOf(definitions[schema.$ref.replace("#/definitions/", "")]!)
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf.find(({ type }) => type !== "null")!)
  switch (schema.type) {
    case "object":
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([key, each]) => [key, exampleOf(each)]))
    case "array":
      return [exampleOf(schema.items!)]
    case "integer":
    case "number":
      return 7
    case "boolean":
      return true
    default:
      return "text"
  }
}

/** A value with one key taken out, for each key at any depth. */
const withoutOne = (value: unknown): ReadonlyArray<readonly [path: string, value: unknown]> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, entry]) => {
    const inner = withoutOne(entry).map(
      ([path, less]) => [`${key}.${path}`, Array.isArray(value) ? [less] : { ...value, [key]: less }] as const
    )
    if (Array.isArray(value)) return inner
    const { [key]: _, ...rest } = value as Record<string, unknown>
    return [[key, rest] as const, ...inner]
  })
}

const eventFrame = (type: string) => exampleOf(definitions[`${pascal(type)}EventFrame`]!) as object

/** The keys that a host must be ready not to find; of all others it can be sure. */
const absentAtTimes: Readonly<Record<string, ReadonlyArray<string>>> = {
  turn_finished: ["usage"],
  assistant_reply: ["attachments", "progressNote"],
  tool_call_started: ["batchIndex", "batchSize"],
  tool_call_result: ["truncated", "batchIndex", "batchSize"],
  approval_request: ["category", "preview", "affectedResources", "offers"],
  log: ["context"],
  metric: ["tags", "sessionId", "turnId"],
  error: ["code", "stack", "sessionId", "turnId"],
  llm_progress: ["processed", "total", "cached"],
  llm_state: ["model", "contextTokens", "detail"]
}

/** The same of responses. */
const absentFromResponses: Readonly<Record<string, ReadonlyArray<string>>> = {
  get_session: ["title", "turns.0.steered"],
  list_sessions: ["sessions.0.title"],
  list_models: ["models.0.contextTokens", "models.0.loaded"],
  set_options: ["options.model", "options.temperature", "options.instructions"]
}

describe("the published schema and a frame with a key missing", () => {
  for (const [type, { schema }] of Object.entries(eventTable)) {
    it(`knows which keys of ${type} a host can be sure of`, () => {
      const frame = eventFrame(type)
      assert.isTrue(isFrame(frame), JSON.stringify(frame))
      const absent = withoutOne(frame).filter(([, less]) => isFrame(less))
      assert.sameMembers(
        absent.map(([path]) => path),
        // Whose request an event belongs to is said of none today (contract 3).
        ["correlationId", ...(absentAtTimes[type] ?? []).map((key) => `payload.${key}`)]
      )
      // What we say of our own payloads in code is the same.
      const payloads = (exampleOf(definitions[`${pascal(type)}Event`]!) as object) ?? {}
      for (const [path, less] of withoutOne(payloads)) {
        const isRequired = faultOf(`${pascal(type)}Event`, less) !== ""
        assert.strictEqual(!Schema.is(schema as Schema.Codec<unknown>)(less), isRequired, path)
      }
    })
  }

  for (const type of Object.keys(requestTable)) {
    it(`is sure of all keys of a response to ${type}`, () => {
      const payload = exampleOf(definitions[`${pascal(type)}Result`]!)
      const frame = { kind: "response", id: "1", correlationId: "r", ok: true, payload } as SidecarFrame
      const faults = (each: unknown) => faultsOf([each as SidecarFrame], [{ id: "r", type }])
      assert.deepStrictEqual(faults(frame), [])
      const absent = withoutOne(frame).filter(([, less]) => faults(less).length === 0)
      assert.deepStrictEqual(
        absent.map(([path]) => path),
        (absentFromResponses[type] ?? []).map((key) => `payload.${key}`)
      )
    })
  }

  it("is sure of all keys of a failure", () => {
    const error = { message: "no", code: "handler_failed" }
    const frame = { kind: "response", id: "1", correlationId: "r", ok: false, payload: {}, error }
    assert.isTrue(isFrame(frame))
    assert.deepStrictEqual(
      withoutOne(frame).filter(([, less]) => isFrame(less)),
      []
    )
  })
})

describe("what the contract tests hold against the schema", () => {
  const frame = eventFrame("user_message") as EventFrame<"user_message">
  const withKey = { ...frame, payload: { ...frame.payload, more: 1 } }

  it("is a breach where a key is not written down, though a host must let it be", () => {
    assert.isTrue(isFrame(withKey))
    assert.deepStrictEqual(faultsOf([frame, withKey], []), [
      "1: UserMessageEventFrame: /payload must NOT have additional properties"
    ])
  })

  it("is a breach where a response is another request's", () => {
    const payload = { steered: true }
    const response = { kind: "response", id: "1", correlationId: "r", ok: true, payload } as const
    assert.deepStrictEqual(faultsOf([response], [{ id: "r", type: "steer_message" }]), [])
    assert.lengthOf(faultsOf([response], [{ id: "r", type: "cancel" }]), 1)
  })
})
