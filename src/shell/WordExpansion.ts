import type { Part, Word } from "./Syntax.ts"
import { separator, type Variables, type Values, valuesOf } from "./Variables.ts"
import { unknown } from "./ProtectedPaths.ts"

/** A word becomes at most this many fields. */
const maxFields = 64

/** In characters. A text that becomes longer by its expansions counts as unknown. */
const maxText = 16_384

/** The lines that the command of a substitution prints; undefined if they cannot be predicted. */
export type OutputOf = (source: string, scope: Variables) => Values | undefined

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
    if (name === "-") return unknown
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
  return isQuoted ? values : values.map((value) => value.replaceAll(/[ \t\n]+/g, separator))
}

const substituted = (text: string, scope: Variables, outputOf: OutputOf): Values => {
  const command = /^`(.*)`$/s.exec(text)?.[1]?.replaceAll(/\\([`$\\])/g, "$1") ?? /^\$\((?!\()(.*)\)$/s.exec(text)?.[1]
  if (command !== undefined) return [outputOf(command, scope)?.join(" ") ?? unknown]
  if (text === "$") return ["$"]
  const [, plain] = /^\$(env:\w+|\w+|[@*#?$!-])$/.exec(text) ?? []
  if (plain !== undefined) return valuesOf(plain, scope)
  const [, name, change = ""] = /^\$\{(\w+|[@*#?$!-])(.*)\}$/s.exec(text) ?? []
  if (name === undefined) return [unknown]
  const strict = /^:?[-=+]/.test(change) ? { ...scope, isStrict: false } : scope
  return valuesOf(name, strict).flatMap((value) => changed(value, change, scope, outputOf))
}

/** Applies the operator of `${name…}` to a value; an unset variable counts as empty. */
const changed = (value: string, change: string, scope: Variables, outputOf: OutputOf): Values => {
  if (change === "" || value === unknown) return [value]
  const [, operator, word = ""] = /^:?([-=+?])(.*)$/s.exec(change) ?? []
  if (operator === "?") return value === "" ? [] : [value]
  if (operator !== undefined) {
    const isWord = operator === "+" ? value !== "" : value === ""
    return isWord ? assigned(partsIn(word), scope, outputOf) : [operator === "+" ? "" : value]
  }
  if (change === "%/") return [value.replace(/\/$/, "")]
  return [value === "" ? "" : unknown]
}

/** In characters. A longer default value counts as unknown. */
const maxDefault = 2000

/** Parses a default value; quotes and one level of expansions are enough. */
const partsIn = (text: string): ReadonlyArray<Part> =>
  (text.length > maxDefault ? [unknown] : (text.match(/\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+|[^$`]+|\$/g) ?? [])).map(
    (piece) => ({
      text: piece.replaceAll(/^["']|["']$/g, ""),
      isQuoted: false,
      isExpansion: /^(\$.|`)/.test(piece)
    })
  )
