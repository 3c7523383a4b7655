import * as Fs from "node:fs"
import * as Path from "node:path"
import { definitions } from "../schema/Definitions.ts"
import type { JsonSchema } from "../schema/JsonSchema.ts"

/**
 * Makes the declarations of `./host` free of Effect. The compiler declares the protocol's types as `typeof` of Effect
 * schemas, so a host would need all of Effect to compile. This writes the same types as plain interfaces, from the JSON
 * Schema of the protocol, to `host/Protocol.d.ts` below `outdir`, and lets the declarations in `host/` import that.
 */
export const writeHostTypes = (outdir: string): void => {
  const folder = Path.join(outdir, "host")
  for (const file of Fs.readdirSync(folder)) {
    const path = Path.join(folder, file)
    const text = Fs.readFileSync(path, "utf8").replaceAll(/"\.\.\/protocol\/\w+\.ts"/g, `"./Protocol.ts"`)
    Fs.writeFileSync(path, text.replace(/(export type \* from "\.\/Protocol\.ts";\n)+/g, "$1"))
  }
  Fs.writeFileSync(Path.join(folder, "Protocol.d.ts"), protocolTypes())
}

/** The protocol's types as TypeScript declarations that import nothing. */
export const protocolTypes = (all: Readonly<Record<string, JsonSchema>> = definitions()): string => {
  const frames = (union: string) =>
    (all[union]?.anyOf ?? []).map(({ $ref = "" }) => {
      const name = $ref.replace("#/definitions/", "")
      const { payload = {}, type } = all[name]?.properties ?? {}
      return { name, type: String(type?.enum?.[0]), payload: typeText(payload) }
    })
  const [events, requests] = [frames("SidecarEvent"), frames("HostRequest")]
  const inGenerics = new Set(["SidecarEvent", "HostRequest", ...[...events, ...requests].map(({ name }) => name)])
  const table = (name: string, rows: ReadonlyArray<readonly [type: string, payload: string]>) =>
    [`interface ${name} {`, ...rows.map(([type, payload]) => `  readonly ${type}: ${payload}`), "}"].join("\n")
  return [
    ...Object.entries(all)
      .filter(([name]) => !inGenerics.has(name))
      .map(([name, schema]) => declaration(name, schema)),
    table(
      "EventPayloads",
      events.map(({ payload, type }) => [type, payload])
    ),
    table(
      "RequestPayloads",
      requests.map(({ payload, type }) => [type, payload])
    ),
    table(
      "ResponsePayloads",
      requests.map(({ name, type }) => [type, name.replace(/Frame$/, "Result")])
    ),
    generics
  ].join("\n\n")
}

const generics = `/** The type of an event. */
export type EventType = keyof EventPayloads

/** The event types that the first version of the protocol declares; \`pong\` and \`trace\` are never sent. */
export type SidecarEventType = EventType | "pong" | "trace"

/** The payload of an event of the given type. */
export type EventPayload<T extends EventType> = EventPayloads[T]

/** An event as the host reads it, of the given type. */
export type EventFrame<T extends EventType> = {
  readonly kind: "event"
  readonly id: string
  readonly type: T
  readonly payload: EventPayload<T>
  readonly correlationId?: string
}

/** Any event, tagged by \`type\`. */
export type SidecarEvent = { readonly [T in EventType]: EventFrame<T> }[EventType]

/** The type of a request. */
export type RequestType = keyof RequestPayloads

/** The request types that the first version of the protocol declares; \`run_step\` is answered with \`unknown_request\`. */
export type HostRequestType = RequestType | "run_step"

/** The payload of a request of the given type. */
export type RequestPayload<T extends RequestType> = RequestPayloads[T]

/** The payload of a successful response to a request of the given type. */
export type ResponsePayload<T extends RequestType> = ResponsePayloads[T]

/** A request as the host writes it, of the given type. */
export type RequestOf<T extends RequestType> = {
  readonly kind: "request"
  readonly id: string
  readonly type: T
  readonly payload: RequestPayload<T>
}

/** Any request, tagged by \`type\`. */
export type HostRequest = { readonly [T in RequestType]: RequestOf<T> }[RequestType]

/** Any frame that the sidecar writes. */
export type SidecarFrame = SidecarEvent | SidecarResponse

/** The code of a failed response. */
export type ResponseErrorCode = FailureResponse["error"]["code"]
`

const declaration = (name: string, schema: JsonSchema): string =>
  schema.properties === undefined
    ? `${comment(schema, "")}export type ${name} = ${typeText(schema)}`
    : `${comment(schema, "")}export interface ${name} ${typeText(schema)}`

/** A schema as a TypeScript type. Throws for what the protocol's schemas do not use. */
const typeText = (schema: JsonSchema, indent = ""): string => {
  const { $ref, anyOf, enum: literals, items, type } = schema
  if ($ref !== undefined) return $ref.replace("#/definitions/", "")
  if (literals !== undefined) return literals.map((each) => JSON.stringify(each)).join(" | ")
  if (anyOf !== undefined) return anyOf.map((each) => typeText(each, indent)).join(" | ")
  if (type === "array") return `ReadonlyArray<${typeText(items ?? {}, indent)}>`
  if (type === "object") return objectText(schema, indent)
  if (type === "integer") return "number"
  if (type === "string" || type === "number" || type === "boolean" || type === "null") return type
  if (Object.keys(schema).every((key) => key === "description")) return "unknown"
  throw new Error(`the types of ./host cannot express the schema ${JSON.stringify(schema)}`)
}

const objectText = ({ additionalProperties, properties, required = [] }: JsonSchema, indent: string): string => {
  if (properties === undefined) {
    const values = typeof additionalProperties === "object" ? additionalProperties : {}
    return `{ readonly [key: string]: ${typeText(values, indent)} }`
  }
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([key, value]) => {
    const optional = required.includes(key) ? "" : "?"
    return `${comment(value, inner)}${inner}readonly ${key}${optional}: ${typeText(value, inner)}\n`
  })
  return `{\n${lines.join("")}${indent}}`
}

const comment = ({ description }: JsonSchema, indent: string): string =>
  description === undefined ? "" : `${indent}/** ${description.replaceAll("*/", "* /")} */\n`
