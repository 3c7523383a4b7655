import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ArgumentSchema } from "./ArgumentSchema.ts"
import type { Tool } from "./Tool.ts"
import type { ToolSpec } from "../domain/ToolCall.ts"

/** The description of a tool for the model, in few bytes: it is part of every prompt. */
export const specOf = (tool: Tool): ToolSpec => {
  const { description, name } = tool
  if (tool.parameters instanceof ArgumentSchema) return { name, description, parameters: tool.parameters.shown }
  const { definitions, schema } = Schema.toJsonSchemaDocument(tool.parameters)
  const whole = Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions }
  const parameters = terse(whole)
  return {
    name,
    description,
    parameters: isObject(parameters) ? { properties: {}, ...parameters } : { type: "object", properties: {} }
  }
}

/** Removes the keywords of a schema that are defaults. */
const terse = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(terse)
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, value]) =>
          !(key === "additionalProperties" && value === true) &&
          !(key === "minimum" && value === Number.MIN_SAFE_INTEGER) &&
          !(key === "maximum" && value === Number.MAX_SAFE_INTEGER)
      )
      .map(([key, value]) => [key, terse(value)])
  )
}
