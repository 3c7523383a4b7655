import { eventEntries, isIgnored, pascal, requestEntries } from "./Definitions.ts"

const mark = "// Written by `npm run tables`."

/** A source whose end, below the mark, is replaced by lines. */
export const withEnd = (text: string, lines: ReadonlyArray<string>): string => {
  const at = text.indexOf(`${mark}\n`)
  if (at === -1) throw new Error(`there is no line ${JSON.stringify(mark)}`)
  return `${text.slice(0, at)}${mark}\n${lines.map((line) => `${line}\n`).join("")}`
}

/** The payload types of all events, by name. */
export const eventTypeNames = (): ReadonlyArray<string> =>
  eventEntries.map(([type]) => `export type ${pascal(type)}Event = EventPayload<"${type}">`)

/** The payload types of all requests and their responses, by name. */
export const requestTypeNames = (): ReadonlyArray<string> =>
  requestEntries.flatMap(([type, { payload }]) => [
    ...(isIgnored(payload) ? [] : [`export type ${pascal(type)}Payload = RequestPayload<"${type}">`]),
    `export type ${pascal(type)}Result = ResponsePayload<"${type}">`
  ])

/** The members of `eventExtensions`. */
export const eventExtensions = (): ReadonlyArray<string> => [
  "export const eventExtensions: { readonly [T in EventType]: Extension | undefined } = {",
  eventEntries
    .map(([type, { extension }]) => `  ${type}: ${extension ? JSON.stringify(extension) : "undefined"}`)
    .join(",\n"),
  "}"
]
