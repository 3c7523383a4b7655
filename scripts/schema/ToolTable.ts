import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isObject } from "effect/Predicate"
import { Config } from "../../src/config/Config.ts"
import * as SkillFolders from "../../src/skills/SkillFolders.ts"
import { builtInTools } from "../../src/tools/BuiltInTools.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import { specOf } from "../../src/tools/ToolSpecs.ts"
import { Workspace } from "../../src/tools/Workspace.ts"
import type { JsonSchema } from "./JsonSchema.ts"
import { code, table } from "./Markdown.ts"

/** Every argument of every built-in tool, as a Markdown table. Throws where one has no documentation. */
export const toolTable = (): string =>
  table(
    ["tool", "argument", "type", "meaning"],
    builtIn().flatMap((tool) =>
      argumentsOf(tool).map(([name, schema, isRequired], index) => [
        index === 0 ? code(tool.name) : "",
        code(isRequired ? name : `${name}?`),
        typeOf(schema),
        documentationOf(tool, name)
      ])
    )
  )

const builtIn = (): ReadonlyArray<Tool> =>
  builtInTools.pipe(
    Effect.provide(
      Layer.merge(Workspace.layer, SkillFolders.layer).pipe(Layer.provideMerge(Config.layerOf({ stateDir: "/" })))
    ),
    Effect.runSync
  )

const argumentsOf = (tool: Tool): ReadonlyArray<readonly [name: string, schema: JsonSchema, isRequired: boolean]> => {
  const { properties = {}, required = [] } = specOf(tool).parameters as JsonSchema
  return Object.entries(properties).map(([name, schema]) => [name, schema, required.includes(name)])
}

const documentationOf = (tool: Tool, name: string): string => {
  if (!("ast" in tool.parameters)) throw new Error(`${tool.name} has no codec`)
  const { ast } = tool.parameters
  const signatures = ast._tag === "Objects" ? ast.propertySignatures : []
  const key = signatures.find((each) => each.name === name)?.type.context?.annotations
  const text = key?.["documentation"]
  if (typeof text !== "string") throw new Error(`the argument ${name} of ${tool.name} has no documentation`)
  return text.replaceAll("|", "\\|")
}

/** `integer, 1 to 3`. */
const typeOf = (schema: JsonSchema & Bounds): string => {
  const { additionalProperties, items, type = "any" } = schema
  const name = items !== undefined ? `${typeOf(items)}[]` : type
  const values = isObject(additionalProperties) ? ` of ${typeOf(additionalProperties as JsonSchema)}s` : ""
  const from = schema.minimum ?? schema.minItems
  const to = schema.maximum ?? schema.maxItems
  const range = from === undefined ? "" : to === undefined ? `, from ${from}` : `, ${from} to ${to}`
  return `${name}${values}${range}`
}

interface Bounds {
  readonly minItems?: number
  readonly maxItems?: number
}
