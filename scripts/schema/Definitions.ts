import * as Schema from "effect/Schema"
import { type EventEntry, eventTable } from "../../src/protocol/EventTable.ts"
import { field } from "../../src/protocol/Field.ts"
import type { RequestEntry } from "../../src/protocol/RequestEntry.ts"
import { requestTable } from "../../src/protocol/RequestTable.ts"
import { type JsonSchema, jsonSchemaOf, reference } from "./JsonSchema.ts"

export const eventEntries: ReadonlyArray<readonly [type: string, entry: EventEntry]> = Object.entries(eventTable)
export const requestEntries: ReadonlyArray<readonly [type: string, entry: RequestEntry]> = Object.entries(requestTable)

/**
 * Every named schema of the wire, with a description for each field. The names are those of the types that the package
 * exports; a request or an event as a whole frame has `Frame` behind it.
 */
export const definitions = (): Readonly<Record<string, JsonSchema>> => {
  const shared: Record<string, JsonSchema> = {}
  const named = (description: string, schema: Schema.Constraint): JsonSchema => {
    const made = jsonSchemaOf(schema)
    Object.assign(shared, made.named)
    return { description, ...made.schema }
  }
  const requests = requestEntries.map(([type, { does, payload, result }]) => {
    const name = pascal(type)
    const sent = isIgnored(payload)
      ? {}
      : { [`${name}Payload`]: named(`Payload of the request \`${type}\`. ${does}`, payload) }
    return {
      payloads: { ...sent, [`${name}Result`]: named(`Payload of the response to \`${type}\`.`, result) },
      frame: {
        [`${name}Frame`]: frame(
          "request",
          type,
          does,
          isIgnored(payload) ? {} : reference(`${name}Payload`),
          acceptsNothing(payload)
        )
      }
    }
  })
  const events = eventEntries.map(([type, { schema, when }]) => {
    const name = `${pascal(type)}Event`
    return {
      payloads: { [name]: named(`Payload of the event \`${type}\`. ${when}`, schema) },
      frame: { [`${name}Frame`]: frame("event", type, when, reference(name), false) }
    }
  })
  const merged = (parts: ReadonlyArray<object>): Readonly<Record<string, JsonSchema>> => Object.assign({}, ...parts)
  const [requestFrames, eventFrames] = [requests, events].map((all) => merged(all.map((each) => each.frame)))
  const payloads = merged([...requests, ...events].map((each) => each.payloads))
  return {
    HostRequest: oneOf("Any request that a host may send, tagged by `type`.", requestFrames ?? {}),
    SidecarEvent: oneOf("Any event that the sidecar sends, tagged by `type`.", eventFrames ?? {}),
    SidecarResponse: oneOf("The one answer to a request, tagged by `ok`.", { SuccessResponse, FailureResponse }),
    SuccessResponse: named("A request was carried out.", SuccessResponse),
    FailureResponse: named("A request failed.", FailureResponse),
    ...shared,
    ...payloads,
    ...requestFrames,
    ...eventFrames
  }
}

export const pascal = (type: string) => type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Whether what a host sends as payload is not looked at. */
export const isIgnored = (payload: Schema.Constraint) => payload.ast._tag === "Unknown"

const response = {
  kind: field(Schema.Literal("response"), "Marks a response."),
  id: field(Schema.String, "The frame's id, a UUID."),
  correlationId: field(Schema.String, "The `id` of the request.")
}

const SuccessResponse = Schema.Struct({
  ...response,
  ok: field(Schema.Literal(true), "True: the request was carried out."),
  payload: field(Schema.Unknown, "The `…Result` of the request whose `id` is the `correlationId`.")
})
const FailureResponse = Schema.Struct({
  ...response,
  ok: field(Schema.Literal(false), "False: the request failed."),
  payload: field(Schema.Record(Schema.String, Schema.Unknown), "Always empty."),
  error: field(
    Schema.Struct({
      message: field(Schema.String, "What went wrong, and what was expected."),
      code: field(
        Schema.Literals(["unknown_request", "handler_failed"]),
        "`unknown_request`: no such request, or its extension was not granted. `handler_failed`: it could not be carried out."
      )
    }),
    "Why it failed."
  )
})

const oneOf = (description: string, frames: object): JsonSchema => ({
  description,
  anyOf: Object.keys(frames).map(reference)
})

const acceptsNothing = (payload: Schema.Constraint) => isIgnored(payload) || Schema.is(Schema.toType(payload))(null)

const frame = (
  kind: string,
  type: string,
  description: string,
  payload: JsonSchema,
  payloadIsOptional: boolean
): JsonSchema => ({
  description,
  type: "object",
  properties: {
    kind: { type: "string", enum: [kind], description: `Marks ${kind === "event" ? "an event" : "a request"}.` },
    id: {
      type: "string",
      description: kind === "event" ? "The frame's id, a UUID." : "Chosen by the host; the response repeats it."
    },
    type: { type: "string", enum: [type], description: `The type of the ${kind}.` },
    payload: { ...payload, description: payload.$ref === undefined ? "Not looked at." : `What the ${kind} holds.` },
    ...(kind === "event" && {
      correlationId: { type: "string", description: "Reserved: no event of this release has it." }
    })
  },
  required: ["kind", "id", "type", ...(payloadIsOptional ? [] : ["payload"])]
})
