import * as Schema from "effect/Schema"

/** As much of JSON Schema as the protocol's schemas come out as. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly additionalProperties?: boolean | JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
}

export interface NamedSchemas {
  readonly schema: JsonSchema
  /** The schemas inside that have an identifier, by it. */
  readonly named: Readonly<Record<string, JsonSchema>>
}

/**
 * The JSON Schema of a schema; what has an identifier inside it is a reference to `#/definitions/`, so that a code
 * generator makes one type of it.
 */
export const jsonSchemaOf = (schema: Schema.Constraint): NamedSchemas => {
  const { definitions, schema: body } = Schema.toJsonSchemaDocument(schema)
  return {
    schema: simplified(body),
    named: Object.fromEntries(Object.entries(definitions).map(([name, each]) => [name, simplified(each)]))
  }
}

export const reference = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` })

/** The name in a reference. */
export const nameOf = ($ref: string): string => $ref.replace("#/definitions/", "")

/**
 * Writes a schema as code generators read it best. The bounds of a safe integer go, which make them choose odd number
 * types, as does `additionalProperties: true`, the default. A description stands beside what it describes, where Effect
 * puts it into an `allOf`, which would become a type of its own.
 */
const simplified = (value: unknown): JsonSchema => inner(value) as JsonSchema

const inner = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inner)
  if (typeof value !== "object" || value === null) return value
  const { allOf = [], ...own } = Object.fromEntries(
    Object.entries(value)
      .map(([key, entry]) => [key, inner(entry)] as const)
      .filter(([key, entry]) => !isNoise(key, entry))
  ) as { readonly allOf?: ReadonlyArray<object> }
  const merged = Object.assign({}, ...allOf, own) as { readonly $ref?: string }
  return merged.$ref === undefined ? merged : { ...merged, $ref: merged.$ref.replace("#/$defs/", "#/definitions/") }
}

const isNoise = (key: string, entry: unknown): boolean =>
  (key === "additionalProperties" && entry === true) ||
  ((key === "minimum" || key === "maximum") && Math.abs(Number(entry)) === Number.MAX_SAFE_INTEGER)
