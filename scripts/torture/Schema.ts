import { Ajv } from "ajv"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { SentRequest } from "../../src/testing/ContractChecker.ts"
import { protocolSchema } from "../schema.ts"
import { pascal } from "../schema/Definitions.ts"

/** Every object closed: a key that the published schema does not name is a fault. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== "object" || value === null) return value
  const inner = Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, closed(entry)]))
  return inner["type"] === "object" && "properties" in inner ? { additionalProperties: false, ...inner } : inner
}

const published = JSON.parse(protocolSchema())
const ajv = new Ajv({ strict: true })
ajv.addSchema(closed(published) as object, "closed")
const isFrame = ajv.compile(published)

/** What is wrong with frames by `protocol.schema.json`, each with its index. */
export const schemaFaults = (
  frames: ReadonlyArray<SidecarFrame>,
  requests: ReadonlyArray<SentRequest>
): ReadonlyArray<string> => {
  const types = new Map(requests.map(({ id, type }) => [id, type]))
  return frames.flatMap((frame, at) => {
    const check = (definition: string, value: unknown): ReadonlyArray<string> => {
      const validate = ajv.getSchema(`closed#/definitions/${definition}`)
      if (validate === undefined) return [`schema: frame ${at}: there is no ${definition}`]
      return validate(value) ? [] : [`schema: frame ${at}: ${definition}: ${ajv.errorsText(validate.errors)}`]
    }
    if (!isFrame(frame)) return [`schema: frame ${at}: no frame of the protocol`]
    if (frame.kind === "event") return check(`${pascal(frame.type)}EventFrame`, frame)
    if (!frame.ok) return check("FailureResponse", frame)
    const type = types.get(frame.correlationId)
    const result = type === undefined ? [] : check(`${pascal(type)}Result`, frame.payload)
    return [...check("SuccessResponse", frame), ...result]
  })
}
