import { isObject } from "effect/Predicate"
import { toolNamed } from "../../tools/ToolNames.ts"

/**
 * True if a text is, or ends with, a tool call that was written as text: behind a marker of some chat template, or as JSON
 * that names one of the offered tools. Words that only speak of calls are none, nor is JSON that names something else.
 */
export const endsWithCall = (text: string, offered: ReadonlyArray<string>): boolean => {
  const end = text.slice(-maxLength).trimEnd()
  const body = withoutClosings(end)
  return endsWithMarkedCall(body, body.length < end.length) || endsWithJsonCall(body, offered)
}

/** In characters: a longer call is not looked for. */
const maxLength = 200_000

/** What begins a call: Hermes and Qwen, Llama, Kimi; Mistral; DeepSeek; gpt-oss; Gemma; XML. */
const openings = new RegExp(
  [
    String.raw`<\|?(?:tool_calls?|function_calls?|tool_use|python_tag|tool_calls?_(?:section_)?begin)\|?>`,
    String.raw`\[TOOL_CALLS\]`,
    String.raw`<\uff5ctool\u2581calls?\u2581begin\uff5c>`,
    String.raw`<\|channel\|>commentary to=`,
    "```tool_(?:code|call)\\b",
    `<(?=(?:function=|invoke name=)["\\w])`
  ].join("|"),
  "gu"
)

/** What ends a call: a closing tag, a special token, a fence. */
const closing = /(?:<\/[\w:]{1,40}>|\[\/TOOL_CALLS\]|<\|[\w/]{1,40}\|>|<\uff5c[^\uff5c<>]{1,40}\uff5c>|```)$/u

/** The most closings that a call has: its own, and those of what it stands in. */
const maxClosings = 8

const withoutClosings = (text: string): string => {
  let body = text
  for (let count = 0; count < maxClosings; count += 1) {
    const found = closing.exec(body.slice(-50))
    if (found === null) break
    body = body.slice(0, body.length - found[0].length).trimEnd()
  }
  return body
}

/** What stands between the two: JSON, a name with JSON behind it, a name with arguments. */
const payloads = [
  /^(?:```\w*\s*)?[[{][^]*["'](?:name|function|tool)["'][^]*[\]}]$/,
  /^(?:function<\uff5ctool\u2581sep\uff5c>)?[\w.:-]{1,80}(?:\[[A-Z_]+\]|<\|[a-z_]+\|>|<\uff5c[^\uff5c<>]{1,40}\uff5c>|```\w*|json|\s)*\{[^]*\}$/u,
  /^[\w.]{1,80}\([^]*\)$/
]

/** A name with tags for its parameters; only with a closing tag, since anything may stand in a parameter. */
const tagged = /^(?:(?:function=|invoke name=)["\w.:-]{1,80}>|[\w.:-]{1,80}\s*<(?:arg_key|parameter))/

const endsWithMarkedCall = (body: string, isClosed: boolean): boolean => {
  const last = [...body.matchAll(openings)].at(-1)
  if (last === undefined) return false
  const payload = body.slice(last.index + last[0].length).trimStart()
  return payloads.some((pattern) => pattern.test(payload)) || (isClosed && tagged.test(payload))
}

/** Where a call in JSON can begin: an object, in an array or not, with one of the keys of a call first. */
const jsonBeginnings =
  /(?:\[\s{0,20})?\{\s{0,20}"(?:name|tool|tool_name|tool_calls?|function|type|id|arguments|parameters|args|input)"\s{0,20}:/g

/** The most beginnings that are tried, counted from the end: arguments have such keys too. */
const maxBeginnings = 8

const endsWithJsonCall = (body: string, offered: ReadonlyArray<string>): boolean =>
  /[}\]]$/.test(body) &&
  [...body.matchAll(jsonBeginnings)].slice(-maxBeginnings).some(({ index }) => {
    const calls = callsIn(parse(body.slice(index)))
    return calls.length > 0 && calls.every((call) => namesTool(call, offered))
  })

const callsIn = (value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) return value
  const wrapped = isObject(value) ? (value.tool_calls ?? value.tool_call) : undefined
  return wrapped === undefined ? [value] : callsIn(wrapped)
}

const namesTool = (call: unknown, offered: ReadonlyArray<string>): boolean => {
  if (!isObject(call)) return false
  const named = isObject(call.function) ? call.function : call
  const name = [named.name, named.tool, named.tool_name, named.function].find((each) => typeof each === "string")
  const hasArguments = ["arguments", "parameters", "args", "input"].some((key) => key in named)
  return name !== undefined && hasArguments && toolNamed(String(name), offered) !== undefined
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
