import { definitions, eventEntries, pascal, requestEntries } from "./Definitions.ts"
import { type JsonSchema, nameOf } from "./JsonSchema.ts"
import { code, table } from "./Markdown.ts"

/** The tables of the README by name, as Markdown. */
export const tables = (): Readonly<Record<string, string>> => {
  const all = definitions()
  const shape = (name: string) => code(all[name] === undefined ? undefined : notation(all[name], all))
  const request = (type: string) => [code(type), shape(`${pascal(type)}Payload`), shape(`${pascal(type)}Result`)]
  const event = (type: string) => [code(type), shape(`${pascal(type)}Event`)]
  const values = Object.entries(all).filter(([, schema]) => schema.enum !== undefined)
  const [ownRequests, moreRequests] = parted(requestEntries)
  const [ownEvents, moreEvents] = parted(eventEntries)
  return {
    requests: table(
      ["type", "payload", "response payload"],
      ownRequests.map(([type]) => request(type))
    ),
    "extension-requests": table(
      ["type", "extension", "payload", "response payload"],
      moreRequests.map(([type, { extension }]) => {
        const [name = "", ...shapes] = request(type)
        return [name, code(extension), ...shapes]
      })
    ),
    events: table(
      ["type", "payload"],
      ownEvents.map(([type]) => event(type))
    ),
    "extension-events": table(
      ["type", "extension", "payload"],
      moreEvents.map(([type, { extension }]) => {
        const [name = "", shape = ""] = event(type)
        return [name, code(extension), shape]
      })
    ),
    values: table(
      ["name", "values"],
      values.map(([name, schema]) => [code(name), (schema.enum ?? []).map((value) => code(String(value))).join(", ")])
    )
  }
}

/** What every host has, and what it gets by `hello`, which stands with the latter. */
const parted = <E extends { readonly extension?: string }>(
  entries: ReadonlyArray<readonly [type: string, entry: E]>
) => {
  const isExtended = ([type, { extension }]: readonly [string, E]) => extension !== undefined || type === "hello"
  return [entries.filter((each) => !isExtended(each)), entries.filter(isExtended)] as const
}

/** The text with every marked table filled in, the marked names that no table has, and the tables without a place. */
export const fillTables = (text: string, all: Readonly<Record<string, string>>) => {
  const named = new Set<string>()
  const filled = text.replace(
    /(<!-- table: ([\w-]+) -->\n)[^]*?(<!-- \/table -->)/g,
    (whole, open: string, name: string, close: string) => {
      named.add(name)
      return all[name] === undefined ? whole : `${open}\n${all[name]}\n\n${close}`
    }
  )
  return {
    text: filled,
    unknown: [...named].filter((name) => all[name] === undefined),
    absent: Object.keys(all).filter((name) => !named.has(name))
  }
}

/** As `fillTables`. Throws where a marked name has no table, or a table has no place. */
export const filled = (text: string, all: Readonly<Record<string, string>>): string => {
  const { absent, text: full, unknown } = fillTables(text, all)
  if (unknown.length > 0)
    throw new Error(`no table is named ${unknown.join(", ")}; there are ${Object.keys(all).join(", ")}`)
  if (absent.length > 0) throw new Error(`no place for the tables ${absent.join(", ")}`)
  return full
}

/** `{ sessionId, maxSteps?, queued: [{ turnId }] }`: names and nesting, as in the README's tables. */
export const notation = (schema: JsonSchema, all: Readonly<Record<string, JsonSchema>>): string | undefined => {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
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
