import * as Schema from "effect/Schema"
import { events } from "../../src/protocol/Event.ts"
import { Extension, requests } from "../../src/protocol/Request.ts"
import * as SessionState from "../../src/protocol/SessionState.ts"
import { type JsonSchema, jsonSchemaOf, reference, withReferences } from "./JsonSchema.ts"

/**
 * Every named schema of the wire. The names are those of the types that the package exports; a request or an event as a
 * whole frame has `Frame` behind it.
 */
export const definitions = (): Readonly<Record<string, JsonSchema>> => {
  const shared = {
    ...Object.fromEntries(
      Object.entries(SessionState)
        .filter(([, value]) => Schema.isSchema(value))
        .map(([name, schema]) => [name, jsonSchemaOf(schema)])
    ),
    Extension: jsonSchemaOf(Extension)
  }
  const linked = withReferences(shared)
  const ofSchema = (schema: Schema.Constraint) => linked(jsonSchemaOf(schema))

  const payloads = Object.fromEntries(
    Object.entries(requests).flatMap(([type, { payload, result }]) => [
      ...(isIgnored(payload) ? [] : [[`${pascal(type)}Payload`, ofSchema(payload)]]),
      [`${pascal(type)}Result`, ofSchema(result)]
    ])
  )
  const requestFrames = Object.fromEntries(
    Object.entries(requests).map(([type, { payload }]) => [
      `${pascal(type)}Frame`,
      frame("request", type, isIgnored(payload) ? {} : reference(`${pascal(type)}Payload`), acceptsNothing(payload))
    ])
  )
  const eventPayloads = Object.fromEntries(
    Object.entries(events).map(([type, payload]) => [`${pascal(type)}Event`, ofSchema(payload)])
  )
  const eventFrames = Object.fromEntries(
    Object.keys(events).map((type) => [
      `${pascal(type)}EventFrame`,
      frame("event", type, reference(`${pascal(type)}Event`), false)
    ])
  )
  return {
    HostRequest: oneOf(requestFrames),
    SidecarEvent: oneOf(eventFrames),
    SidecarResponse: { anyOf: [reference("SuccessResponse"), reference("FailureResponse")] },
    SuccessResponse: {
      description: "The payload is the `…Result` of the request whose id is the correlationId.",
      ...jsonSchemaOf(SuccessResponse)
    },
    FailureResponse: jsonSchemaOf(FailureResponse),
    ...Object.fromEntries(Object.entries(shared).map(([name, schema]) => [name, linked(schema)])),
    ...payloads,
    ...requestFrames,
    ...eventPayloads,
    ...eventFrames
  }
}

export const pascal = (type: string) => type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const response = { kind: Schema.Literal("response"), id: Schema.String, correlationId: Schema.String }

const SuccessResponse = Schema.Struct({ ...response, ok: Schema.Literal(true), payload: Schema.Unknown })
const FailureResponse = Schema.Struct({
  ...response,
  ok: Schema.Literal(false),
  payload: Schema.Record(Schema.String, Schema.Unknown),
  error: Schema.Struct({ message: Schema.String, code: Schema.Literals(["unknown_request", "handler_failed"]) })
})

const oneOf = (frames: object): JsonSchema => ({ anyOf: Object.keys(frames).map(reference) })

const isIgnored = (payload: Schema.Constraint) => payload.ast._tag === "Unknown"
const acceptsNothing = (payload: Schema.Constraint) => isIgnored(payload) || Schema.is(Schema.toType(payload))(null)

const frame = (kind: string, type: string, payload: JsonSchema, payloadIsOptional: boolean): JsonSchema => ({
  type: "object",
  properties: {
    kind: { type: "string", enum: [kind] },
    id: { type: "string" },
    type: { type: "string", enum: [type] },
    payload,
    ...(kind === "event" ? { correlationId: { type: "string" } } : {})
  },
  required: ["kind", "id", "type", ...(payloadIsOptional ? [] : ["payload"])]
})
