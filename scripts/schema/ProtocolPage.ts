import { definitions, eventEntries, pascal, requestEntries } from "./Definitions.ts"
import { type JsonSchema, nameOf } from "./JsonSchema.ts"
import { code, table } from "./Markdown.ts"

/**
 * The generated parts of `docs/protocol.md` by name, as Markdown: every request, event and type with all its fields.
 */
export const protocolPage = (): Readonly<Record<string, string>> => {
  const all = definitions()
  const named = (name: string) => all[name] ?? {}
  const request = ([type, { does, extension }]: (typeof requestEntries)[number]) =>
    [
      `### ${type}`,
      `${does}${belongsTo(extension)}`,
      `Payload:${shape(named(`${pascal(type)}Payload`))}`,
      `Response payload:${shape(named(`${pascal(type)}Result`))}`
    ].join("\n\n")
  const event = ([type, { extension, when }]: (typeof eventEntries)[number]) =>
    [`### ${type}`, `${when}${belongsTo(extension)}`, fields(named(`${pascal(type)}Event`))].join("\n\n")
  const types = Object.entries(all).filter(([name]) => !isOfTable(name))
  return {
    requests: requestEntries.map(request).join("\n\n"),
    events: eventEntries.map(event).join("\n\n"),
    types: types.map(([name, schema]) => `### ${name}\n\n${type(schema)}`).join("\n\n")
  }
}

const belongsTo = (extension: string | undefined) => (extension === undefined ? "" : ` Extension: \`${extension}\`.`)

/** Frames, and what an entry of a table names, have no section among the types. */
const isOfTable = (name: string): boolean =>
  ofEntries.has(name) ||
  ["HostRequest", "SidecarEvent", "SidecarResponse", "SuccessResponse", "FailureResponse"].includes(name)

const ofEntries = new Set([
  ...requestEntries.flatMap(([type]) => ["Payload", "Result", "Frame"].map((end) => `${pascal(type)}${end}`)),
  ...eventEntries.flatMap(([type]) => ["Event", "EventFrame"].map((end) => `${pascal(type)}${end}`))
])

/** A payload: its fields, the type that it is, or that nobody looks at it. */
const shape = (schema: JsonSchema): string => {
  const body = withoutNull(schema)
  if (body.properties !== undefined) return `${isNullable(schema) ? " null, or" : ""}\n\n${fields(body)}`
  return body.$ref === undefined ? " not looked at." : ` ${typeOf(schema)}.`
}

const type = (schema: JsonSchema): string => {
  const parts = [schema.description ?? ""]
  if (schema.enum !== undefined) parts.push(`One of ${schema.enum.map((value) => code(String(value))).join(", ")}.`)
  if (schema.anyOf !== undefined) parts.push(`One of ${schema.anyOf.map(typeOf).join(", ")}.`)
  if (schema.properties !== undefined) parts.push(fields(schema))
  return parts.join("\n\n")
}

/** One row a field; those of an object inside follow it, as `usage.promptTokens` and `skills[].name`. */
const fields = (schema: JsonSchema): string => table(["field", "type", "meaning"], rowsOf(schema, ""))

const rowsOf = (schema: JsonSchema, prefix: string): ReadonlyArray<ReadonlyArray<string>> =>
  Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const path = `${prefix}${key}`
    const optional = schema.required?.includes(key) === true ? "" : "?"
    const body = withoutNull(value)
    const inner = body.items === undefined ? rowsOf(body, `${path}.`) : rowsOf(body.items, `${path}[].`)
    return [[code(`${path}${optional}`), typeOf(value), value.description ?? ""], ...inner]
  })

const isNullable = ({ anyOf = [] }: JsonSchema): boolean => anyOf.some(({ type }) => type === "null")

/** The other member of a union with null. */
const withoutNull = (schema: JsonSchema): JsonSchema =>
  (isNullable(schema) ? schema.anyOf?.find(({ type }) => type !== "null") : undefined) ?? schema

const typeOf = (schema: JsonSchema): string => {
  const { $ref, additionalProperties, anyOf, enum: literals, items, minimum, type } = schema
  if ($ref !== undefined) return `[${nameOf($ref)}](#${nameOf($ref).toLowerCase()})`
  if (literals !== undefined) return literals.map((value) => code(JSON.stringify(value))).join(" or ")
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ")
  if (items !== undefined) return `array of ${typeOf(items)}`
  if (typeof additionalProperties === "object" && additionalProperties.type !== undefined)
    return `object of ${typeOf(additionalProperties)}`
  if (minimum !== undefined) return `${type} from ${minimum}`
  return type ?? "any JSON"
}
