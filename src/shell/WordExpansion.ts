import { type Part, separator, type Word } from "./Syntax.ts"
import { setVariable, type Variables, type Values, valuesOf } from "./Variables.ts"
import { unknown } from "./ProtectedPaths.ts"

/** A word becomes at most this many fields. */
const maxFields = 64

/** In characters. A text that becomes longer by its expansions counts as unknown. */
export const maxText = 16_384

/** The lines that the commands of a substitution print; `unknown` in place of those that cannot be predicted. */
export type OutputOf = (source: string, scope: Variables) => Values

/**
 * The fields that the shell makes of a word: braces, `~` and variables are expanded, glob patterns are kept. A variable
 * with several possible values adds fields for each of them.
 */
export const fieldsOf = (word: Word, scope: Variables, outputOf: OutputOf): ReadonlyArray<string> => {
  const hasQuotes = word.parts.some(({ isQuoted }) => isQuoted)
  const fields: Array<string> = []
  for (const pattern of braced(masked(word.parts))) {
    for (const text of filled(withHome(pattern, scope), word.parts, scope, outputOf)) {
      fields.push(
        ...unmasked(text)
          .split(separator)
          .filter((field) => field !== "" || hasQuotes)
      )
      if (fields.length >= maxFields) return fields.slice(0, maxFields)
    }
  }
  return fields
}

/** The possible values of a variable that is set to a word, which the shell does not split. */
export const assigned = (parts: ReadonlyArray<Part>, scope: Variables, outputOf: OutputOf): Values => {
  const whole = parts.map((part) => (part.isExpansion ? { ...part, isQuoted: true } : part))
  const values = filled(withHome(masked(whole), scope), whole, scope, outputOf)
  return values.map((value) => (value.length > maxText ? unknown : unmasked(value).replaceAll(separator, " ")))
}

/** Quoted special characters and expansions (by their index) are masked, each as one character of private use. */
const quotable = ["{", "}", ",", "~", "."]
const firstQuoted = 0xe010
const firstExpansion = 0xe100
const lastExpansion = 0xf8ff

const masked = (parts: ReadonlyArray<Part>): string =>
  parts
    .map(({ isExpansion, isQuoted, text }, index) => {
      if (isExpansion) return String.fromCharCode(Math.min(firstExpansion + index, lastExpansion))
      if (!isQuoted) return text
      return text.replaceAll(/[{},~.]/g, (char) => String.fromCharCode(firstQuoted + quotable.indexOf(char)))
    })
    .join("")

const unmasked = (text: string): string =>
  text.replaceAll(/[\uE010-\uE014]/g, (char) => quotable[char.charCodeAt(0) - firstQuoted] ?? "")

/** `a{b,c}d` is `abd acd`, `{1..3}` is `1 2 3`. */
const braced = (text: string, budget = { remaining: maxFields }): ReadonlyArray<string> => {
  const match = /\{((?:[^{}]*,)+[^{}]*|(\w)\.\.(\w)|(\d{1,3})\.\.(\d{1,3}))\}/.exec(text)
  if (match === null || budget.remaining <= 0) return [text]
  const [whole, list = "", from, to, first, last] = match
  const choices =
    from !== undefined && to !== undefined
      ? range(from.charCodeAt(0), to.charCodeAt(0)).map((code) => String.fromCharCode(code))
      : first !== undefined && last !== undefined
        ? range(Number(first), Number(last)).map(String)
        : list.split(",")
  budget.remaining -= choices.length
  const head = text.slice(0, match.index)
  const tail = text.slice(match.index + whole.length)
  return choices.flatMap((choice) => braced(head + choice + tail, budget)).slice(0, maxFields)
}

const range = (from: number, to: number): ReadonlyArray<number> => {
  const length = Math.min(Math.abs(to - from) + 1, maxFields)
  return Array.from({ length }, (_, index) => from + (from <= to ? index : -index))
}

const withHome = (text: string, scope: Variables): string =>
  text.replace(/^~([\w.-]*|\+)(?=$|[/\\])/, (_, name: string) => {
    const home = valuesOf("HOME", scope)[0] ?? unknown
    if (name === "") return home
    if (name === "+") return scope.cwd
    if (name === "-") return scope.oldCwd
    // The home of another user is as protected as `/root`, wherever it is.
    return home.endsWith(`/${name}`) ? home : "/root"
  })

/** The text with its expansions in place, in all combinations. */
const filled = (text: string, parts: ReadonlyArray<Part>, scope: Variables, outputOf: OutputOf): Values => {
  let texts: ReadonlyArray<string> = [""]
  let from = 0
  const most = text.length + maxText
  for (const { 0: char, index } of text.matchAll(/[\uE100-\uF8FF]/g)) {
    const part = parts[char.charCodeAt(0) - firstExpansion]
    const values = part === undefined ? [unknown] : expanded(part, scope, outputOf)
    const before = text.slice(from, index)
    texts = texts.flatMap((head) => values.map((value) => head + before + value)).slice(0, maxFields)
    if (texts.some(({ length }) => length > most)) return [unknown]
    from = index + 1
  }
  return texts.map((head) => head + text.slice(from))
}

const expanded = ({ isQuoted, text }: Part, scope: Variables, outputOf: OutputOf): Values => {
  const values = substituted(text, scope, outputOf)
  if (isQuoted) return values
  const blanks =
    scope.variables
      .get("IFS")
      ?.join("")
      .replaceAll(/[\\\]^-]/g, "\\$&") ?? " \t\n"
  const between = blanks === "" ? undefined : new RegExp(`[${blanks}]+`, "g")
  return between === undefined ? values : values.map((value) => value.replaceAll(between, separator))
}

const substituted = (text: string, scope: Variables, outputOf: OutputOf): Values => {
  const command = /^`(.*)`$/s.exec(text)?.[1]?.replaceAll(/\\([`$\\])/g, "$1") ?? /^\$\((?!\()(.*)\)$/s.exec(text)?.[1]
  if (command !== undefined) return [outputOf(command, scope).join(" ")]
  if (text === "$") return ["$"]
  if (text.startsWith("<(")) return ["/dev/stdin"]
  const [, plain] = /^\$(env:\w+|\w+|[@*#?$!-])$/.exec(text) ?? []
  if (plain !== undefined) return valuesOf(plain, scope).map((value) => itemsOf(value)[0] ?? "")
  const [, indirect] = /^\$\{!(\w+)\}$/.exec(text) ?? []
  if (indirect !== undefined) return valuesOf(indirect, scope).flatMap((name) => valuesOf(name, scope))
  const [, name, index, change = ""] = /^\$\{(\w+|[@*#?$!-])(?:\[([^\]]*)\])?(.*)\}$/s.exec(text) ?? []
  if (name === undefined) return [unknown]
  const strict = /^:?[-=+]/.test(change) ? { ...scope, isStrict: false } : scope
  const values = valuesOf(name, strict)
  const chosen = values.flatMap((value) => itemsAt(index, itemsOf(value)))
  const [, from, length] = /^:(\d+)(?::(\d+))?$/.exec(change) ?? []
  if (from !== undefined && /^[@*]$/.test(index ?? name)) {
    // The first of the positional parameters has the number 1.
    const start = Math.max(0, Number(from) - (index === undefined ? 1 : 0))
    const end = length === undefined ? undefined : start + Number(length)
    return chosen.map((value) => value.split(separator).slice(start, end).join(separator))
  }
  return chosen.flatMap((value) => changed(value, change, name, scope, outputOf))
}

/** The values in an array, which starts with a separator; any other text is one value. */
const itemsOf = (value: string): Values => (value.startsWith(separator) ? value.split(separator).slice(1) : [value])

/** What `[index]` stands for; any of the values if the index is no number, or not one of the array. */
const itemsAt = (index: string | undefined, items: Values): Values => {
  if (index === "@" || index === "*") return [items.join(separator)]
  const item = items.at(Number(index === undefined ? 0 : index || Number.NaN))
  return item === undefined || !/^-?\d*$/.test(index ?? "") ? items : [item]
}

/** Applies the operator of `${name…}` to a value; an unset variable counts as empty. */
const changed = (value: string, change: string, name: string, scope: Variables, outputOf: OutputOf): Values => {
  if (change === "" || value === unknown) return [value]
  const [, operator, word = ""] = /^:?([-=+?])(.*)$/s.exec(change) ?? []
  if (operator === "?") return value === "" ? [] : [value]
  if (operator !== undefined) {
    if ((operator === "+") === (value === "")) return [operator === "+" ? "" : value]
    const values = assigned(partsIn(word), scope, outputOf)
    if (operator === "=") setVariable(scope, name, values, false)
    return values
  }
  return [value === "" ? "" : (trimmed(value, change.replaceAll(/["']/g, "")) ?? unknown)]
}

/** `%…`, `#…` with one star at most, `:offset:length`, `,,` and `^^`; undefined for anything else. */
const trimmed = (value: string, change: string): string | undefined => {
  const [, from, length = value.length] = /^:(\d+)(?::(\d+))?$/.exec(change) ?? []
  if (from !== undefined) return value.slice(Number(from), Number(from) + Number(length))
  if (change === ",,") return value.toLowerCase()
  if (change === "^^") return value.toUpperCase()
  const [, operator = "", before = "", text = "", after = ""] =
    /^(%%?|##?)(\*?)([^*?[\]$`\\]*)(\*?)$/.exec(change) ?? []
  const isEnd = operator.startsWith("%")
  if (operator === "" || (before !== "" && after !== "") || (isEnd ? before : after) !== "") return undefined
  if ((isEnd ? after : before) === "") {
    if (isEnd) return value.endsWith(text) ? value.slice(0, value.length - text.length) : value
    return value.startsWith(text) ? value.slice(text.length) : value
  }
  const at = operator === "%" || operator === "##" ? value.lastIndexOf(text) : value.indexOf(text)
  if (at === -1) return value
  return isEnd ? value.slice(0, at) : value.slice(at + text.length)
}

/** In characters. A longer default value counts as unknown. */
const maxDefault = 2000

/** Parses a default value, or a line of input; quotes and one level of expansions are enough. */
export const partsIn = (text: string): ReadonlyArray<Part> =>
  (text.length > maxDefault ? [unknown] : (text.match(/\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+|[^$`]+|\$/g) ?? [])).map(
    (piece) => ({
      text: piece.replaceAll(/^["']|["']$/g, ""),
      isQuoted: false,
      isExpansion: /^(\$.|`)/.test(piece)
    })
  )
