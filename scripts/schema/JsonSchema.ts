import * as Schema from "effect/Schema"

/** As much of JSON Schema as our schemas come out as. */
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

/** The plain JSON Schema of a schema, without what every one of them would repeat. */
export const jsonSchemaOf = (schema: Schema.Constraint): JsonSchema => slim(Schema.toJsonSchemaDocument(schema).schema)

/** Puts a reference wherever one of the named schemas stands, so that a code generator makes one type of it. */
export const withReferences =
  (named: Readonly<Record<string, JsonSchema>>) =>
  (schema: JsonSchema): JsonSchema => {
    const names = new Map(Object.entries(named).map(([name, each]) => [JSON.stringify(each), name]))
    const inner = (value: unknown): unknown => {
      const name = names.get(JSON.stringify(value))
      return name === undefined ? mapValues(value, inner) : reference(name)
    }
    return mapValues(schema, inner) as JsonSchema
  }

export const reference = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` })

/**
 * Drops the bounds of a safe integer, which make generators choose odd number types, and `additionalProperties: true`,
 * which is the default.
 */
const slim = (value: unknown): JsonSchema => {
  const inner = (each: unknown): unknown => {
    const mapped = mapValues(each, inner)
    if (typeof mapped !== "object" || mapped === null || Array.isArray(mapped)) return mapped
    return Object.fromEntries(
      Object.entries(mapped).filter(
        ([key, entry]) =>
          !(key === "additionalProperties" && entry === true) &&
          !((key === "minimum" || key === "maximum") && Math.abs(Number(entry)) === Number.MAX_SAFE_INTEGER)
      )
    )
  }
  return inner(value) as JsonSchema
}

const mapValues = (value: unknown, f: (value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map(f)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, f(entry)]))
}
