import { extensionEvents, specifiedEvents } from "../../src/protocol/Event.ts"
import { extended, extensionOf, type RequestType, specified } from "../../src/protocol/Request.ts"
import { definitions, pascal } from "./Definitions.ts"
import type { JsonSchema } from "./JsonSchema.ts"

/** The tables of the README by name, as Markdown. */
export const tables = (): Readonly<Record<string, string>> => {
  const all = definitions()
  const shape = (name: string) => code(all[name] === undefined ? undefined : notation(all[name], all))
  const request = (type: string) => [code(type), shape(`${pascal(type)}Payload`), shape(`${pascal(type)}Result`)]
  const event = (type: string) => [code(type), shape(`${pascal(type)}Event`)]
  const values = Object.entries(all).filter(([, schema]) => schema.enum !== undefined)
  return {
    requests: table(["type", "payload", "response payload"], Object.keys(specified).map(request)),
    "extension-requests": table(
      ["type", "extension", "payload", "response payload"],
      Object.keys(extended).map((type) => {
        const [name = "", ...shapes] = request(type)
        return [name, code(extensionOf[type as RequestType]), ...shapes]
      })
    ),
    events: table(["type", "payload"], Object.keys(specifiedEvents).map(event)),
    "extension-events": table(["type", "payload"], Object.keys(extensionEvents).map(event)),
    values: table(
      ["name", "values"],
      values.map(([name, schema]) => [code(name), (schema.enum ?? []).map((value) => code(String(value))).join(", ")])
    )
  }
}

/** The text with every marked table filled in, the marked names that no table has, and the tables without a place. */
export const fillTables = (text: string, all: Readonly<Record<string, string>>) => {
  const found = new Set<string>()
  const filled = text.replace(
    /(<!-- table: ([\w-]+) -->\n)[^]*?(<!-- \/table -->)/g,
    (whole, open: string, name: string, close: string) => {
      found.add(name)
      return all[name] === undefined ? whole : `${open}\n${all[name]}\n\n${close}`
    }
  )
  return {
    text: filled,
    unknown: [...found].filter((name) => all[name] === undefined),
    absent: Object.keys(all).filter((name) => !found.has(name))
  }
}

/** `{ sessionId, maxSteps?, queued: [{ turnId }] }`: names and nesting, as the specification writes them. */
export const notation = (schema: JsonSchema, all: Readonly<Record<string, JsonSchema>>): string | undefined => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace("#/definitions/", "")
    return all[name]?.enum === undefined ? name : undefined
  }
  if (schema.anyOf !== undefined) {
    const shapes = schema.anyOf.map((each) => notation(each, all)).filter((each) => each !== undefined)
    const nullable = schema.anyOf.some((each) => each.type === "null")
    return shapes.length === 0 ? undefined : [...shapes, ...(nullable ? ["null"] : [])].join(" or ")
  }
  if (schema.items !== undefined) {
    const item = notation(schema.items, all)
    return item === undefined ? undefined : `[${item}]`
  }
  if (schema.properties === undefined) return undefined
  const keys = Object.entries(schema.properties).map(([key, value]) => {
    const name = schema.required?.includes(key) === true ? key : `${key}?`
    const inner = notation(value, all)
    return inner === undefined ? name : `${name}: ${inner}`
  })
  return `{ ${keys.join(", ")} }`
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

const code = (text: string | undefined): string => (text === undefined ? "–" : `\`${text}\``)
