import { isObject } from "effect/Predicate"
import type { ErrorObject, ValidateFunction } from "ajv"

/** A JSON Schema. */
export type JsonSchema = { readonly [key: string]: unknown }

/** The arguments of a tool by a JSON Schema (2020-12) of type `object`, in place of a codec. */
export class ArgumentSchema {
  /** What the model is shown: without keywords that model servers refuse or cannot turn into a grammar. */
  readonly shown: JsonSchema
  readonly #validate: ValidateFunction

  constructor(schema: JsonSchema, validate: ValidateFunction) {
    this.shown = shownSchema(schema)
    this.#validate = validate
  }

  /** What is wrong with some arguments, and where; undefined if they fit. */
  faultOf(args: unknown): string | undefined {
    if (this.#validate(args) === true) return undefined
    return faultText(this.#validate.errors?.[0])
  }
}

/** Compiles a schema; a text says what is wrong with it, and where. The validator is loaded with the first one. */
export const compile = async (schema: JsonSchema): Promise<ArgumentSchema | string> => {
  if (schema["type"] !== "object") return `.type: expected "object", got ${JSON.stringify(schema["type"]) ?? "nothing"}`
  const { Ajv2020 } = await import("ajv/dist/2020.js")
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, addUsedSchema: false })
  // Written for another draft or not, it is read as the newest one; and no check is asynchronous.
  const { $async: _, $schema: __, ...own } = schema
  if (ajv.validateSchema(own) !== true) return faultText(ajv.errors?.[0])
  try {
    return new ArgumentSchema(schema, ajv.compile(own))
  } catch (error) {
    return `: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** `.depth: must be integer`; the place is empty for the whole. */
const faultText = (error: ErrorObject | undefined): string => {
  if (error === undefined) return ": does not fit"
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join("")
  const named = [error.params["additionalProperty"], error.params["allowedValues"], error.params["allowedValue"]]
  const detail = named.find((each) => each !== undefined)
  return `${path}: ${error.message ?? "does not fit"}${detail === undefined ? "" : ` (${JSON.stringify(detail)})`}`
}

const left = new Set(["$schema", "$id", "pattern", "format", "propertyNames"])

/** Keywords whose value holds schemas by names that are no keywords. */
const byName = new Set(["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"])

/** Keywords whose value is data, whatever it looks like. */
const data = new Set(["enum", "const", "default", "examples", "required"])

const shownSchema = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !left.has(key))
      .map(([key, value]) => [key, data.has(key) ? value : byName.has(key) ? shownByName(value) : shownValue(value)])
  )

const shownByName = (value: unknown): unknown =>
  isObject(value) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shownValue(each)]))
    : value

const shownValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shownValue)
  return isObject(value) ? shownSchema(value as JsonSchema) : value
}
