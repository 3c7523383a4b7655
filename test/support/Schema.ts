import * as Fs from "node:fs"
import { Ajv, type ValidateFunction } from "ajv"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { SentRequest } from "../../src/testing/ContractChecker.ts"

/** As much of JSON Schema as the published schema uses. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
}

/** The published schema; `npm test` has checked before that it is what the schemas in code say. */
const published = JSON.parse(Fs.readFileSync(new URL("../../docs/protocol.schema.json", import.meta.url), "utf8"))
const ajv = new Ajv({ strict: true })
ajv.addSchema(published, "published")
// With no key that it does not name: what is sent must be in the schema.
ajv.addSchema(closed(published) as object, "closed")

/** Its definitions, by name. */
export const definitions: Readonly<Record<string, JsonSchema>> = published.definitions

/** The name of a request or event in the names of its definitions: `UserMessage` of `user_message`. */
export const pascal = (type: string) => type.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Whether a value is any frame of the protocol, as `protocol.schema.json` has it. */
export const isFrame: ValidateFunction = ajv.getSchema("published")!

/** What is wrong with a value that is meant to be of the named type; nothing: the empty string. */
export const faultOf = (definition: string, value: unknown): string => {
  const validate = ajv.getSchema(`closed#/definitions/${definition}`)
  if (validate === undefined) return `there is no ${definition}`
  return validate(value) ? "" : `${definition}: ${ajv.errorsText(validate.errors, { dataVar: "" })}`
}

/** What is wrong with frames, each with its index: those of an event's type, and of the request that is answered. */
export const faultsOf = (
  frames: ReadonlyArray<SidecarFrame>,
  requests: ReadonlyArray<SentRequest>
): ReadonlyArray<string> => {
  const asked = new Map(requests.map(({ id, type }) => [id, type]))
  return frames.flatMap((frame, at) => {
    const faults = isFrame(frame) ? [] : ["no frame of the protocol"]
    if (frame.kind === "event") {
      faults.push(faultOf(`${pascal(frame.type)}EventFrame`, frame))
    } else {
      faults.push(faultOf(frame.ok ? "SuccessResponse" : "FailureResponse", frame))
      const type = asked.get(frame.correlationId) ?? "raw"
      if (frame.ok && type !== "raw") faults.push(faultOf(`${pascal(type)}Result`, frame.payload))
    }
    return faults.filter((fault) => fault !== "").map((fault) => `${at}: ${fault}`)
  })
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== "object" || value === null) return value
  const inner = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closed(entry)]))
  // A key of that name whose value is no schema is a property called `properties`.
  return inner["type"] === "object" && "properties" in inner ? { additionalProperties: false, ...inner } : inner
}
