import { isObject } from "effect/Predicate"

/**
 * A value as its JSON Schema wants it, where nothing has to be guessed: a string that spells a number, a boolean, an
 * array or an object of which the schema takes no string, and no null for a key that may be left out. What does not fit
 * stays as it is.
 */
export const fitted = (value: unknown, schema: unknown): unknown => {
  if (!isObject(schema)) return value
  if (typeof value !== "string") return inner(value, schema)
  const wanted = alternatives(schema)
  if (wanted.some((each) => each.type === "string" && isListed(value, each))) return value
  const meant = wanted.map(({ type }) => spelled(value, type)).find((each) => each !== undefined)
  return meant === undefined ? value : inner(meant, schema)
}

interface Schema {
  readonly [key: PropertyKey]: unknown
}

/** The schemas of one type each of which one must fit; none: the schema does not say. */
const alternatives = (schema: Schema): ReadonlyArray<Schema> => {
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type]
  const others = [schema.anyOf, schema.oneOf].flatMap((some) => (Array.isArray(some) ? some : []))
  return [...types.map((type) => ({ ...schema, type })), ...others.filter(isObject).flatMap(alternatives)]
}

const isListed = (value: string, schema: Schema): boolean =>
  Array.isArray(schema.enum) ? schema.enum.includes(value) : true

/** What a text spells, if it is of this type. */
const spelled = (text: string, type: unknown): unknown => {
  if (type === "boolean") return booleans.get(text.trim().toLowerCase())
  const value = parse(text)
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value) ? value : undefined
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? value : undefined
    case "array":
      return Array.isArray(value) ? value : undefined
    case "object":
      return isObject(value) ? value : undefined
    default:
      return undefined
  }
}

const booleans = new Map([
  ["true", true],
  ["false", false]
])

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The parts of an array or an object, each as its own schema wants it. */
const inner = (value: unknown, schema: Schema): unknown => {
  if (Array.isArray(value)) return value.map((each) => fitted(each, schema.items))
  if (!isObject(value)) return value
  const { additionalProperties, properties, required } = schema
  const needed = Array.isArray(required) ? required : []
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      const own = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties
      const isLeftOut = each === null && !needed.includes(key) && isObject(own) && refusesNull(own)
      return isLeftOut ? [] : [[key, fitted(each, own)]]
    })
  )
}

const refusesNull = (schema: Schema): boolean => {
  const wanted = alternatives(schema)
  return wanted.length > 0 && wanted.every(({ type }) => type !== "null")
}
