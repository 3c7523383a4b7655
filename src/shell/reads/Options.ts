import { isBelow, operand, plainText, type PlannedWord } from "./ReadPlan.ts"
import type { Word } from "../Syntax.ts"

/**
 * What the operands of a command are: file names, names that the program takes as they are, text, text in which patterns are
 * expanded, a pattern before file names, or not allowed.
 */
export type Operands = "paths" | "literal" | "text" | "printed" | "pattern" | "none"

/** The options and operands that a read-only command may have; with any other it asks. */
export interface CommandRule {
  /** Prints its arguments and does nothing else (echo): any operand is allowed. */
  readonly isInert?: boolean
  /** Letters of short options without a value. */
  readonly flags?: string
  /** Letters of short options whose value is text (`texts`) or a file name (`files`). */
  readonly texts?: string
  readonly files?: string
  /** Long options: `name` has no value, `name=` a text, `name=@` a file name, `name?` an optional text. */
  readonly long?: string
  /** A short option takes the next word as its value, never the letters behind it: those are options too. */
  readonly isDetached?: boolean
  /** `-5` is an option. */
  readonly isNumeric?: boolean
  readonly operands?: Operands
  readonly maxOperands?: number
  /** A further condition on the operands and options. */
  readonly check?: (parsed: Parsed) => boolean
}

export interface Parsed {
  /** As given, without values: `-n`, `--name`. */
  readonly options: ReadonlyArray<string>
  /** The values of options, in order. */
  readonly values: ReadonlyArray<string>
  readonly operands: ReadonlyArray<Word>
  /** All words in the order given; operands are planned once the options are known. */
  readonly entries: ReadonlyArray<Entry>
}

type Entry =
  | { readonly _tag: "Option" | "Dashes"; readonly word: PlannedWord }
  | { readonly _tag: "Operand"; readonly word: Word }

/** The words behind a command's name, if a rule knows all of them to be harmless; else undefined. */
export const planWords = (rule: CommandRule, words: ReadonlyArray<Word>): ReadonlyArray<PlannedWord> | undefined => {
  if (rule.isInert === true) return words.map(planPrinted)
  const parsed = parseOptions(rule, words)
  if (parsed === undefined || rule.check?.(parsed) === false) return undefined
  const { operands = "paths", maxOperands = Number.POSITIVE_INFINITY } = rule
  if (parsed.operands.length > (operands === "none" ? 0 : maxOperands)) return undefined
  // A pattern can stand for any number of names.
  const isCounted = Number.isFinite(maxOperands) && operands === "paths"
  if (isCounted && parsed.operands.some(({ globAt }) => globAt !== -1)) return undefined
  const hasPattern = operands === "pattern" && !parsed.options.some((option) => patternOptions.has(option))
  const planned = (word: Word): PlannedWord | undefined => {
    if (operands === "text" || (hasPattern && word === parsed.operands[0])) return plainText(word.text)
    if (operands === "printed") return planPrinted(word)
    if (!isBelow(word.text)) return undefined
    return operands === "literal" ? { _tag: "Name", prefix: "", name: word.text } : operand(word)
  }
  // Some systems look for options only before the first operand. Git and tree look everywhere, and in an order of their own.
  const entries =
    operands === "literal" || rule.isDetached === true
      ? parsed.entries
      : parsed.entries.toSorted((one, other) => ranks[one._tag] - ranks[other._tag])
  return everyDefined(entries.map((entry) => (entry._tag === "Operand" ? planned(entry.word) : entry.word)))
}

const ranks = { Option: 0, Dashes: 1, Operand: 2 }

/** With these, no operand is the pattern. */
const patternOptions = new Set(["-e", "-f", "--regexp", "--file", "--files", "--type-list"])

/** A word that is printed: a pattern in it is expanded, which lists directories. */
const planPrinted = (word: Word): PlannedWord => (word.globAt === -1 ? plainText(word.text) : operand(word, true))

const everyDefined = <A>(values: ReadonlyArray<A | undefined>): ReadonlyArray<A> | undefined =>
  values.every((value) => value !== undefined) ? values : undefined

const parseOptions = (rule: CommandRule, words: ReadonlyArray<Word>): Parsed | undefined => {
  const long = longOptions(rule.long ?? "")
  const options: Array<string> = []
  const values: Array<string> = []
  const entries: Array<Entry> = []
  let index = 0
  const option = (word: PlannedWord) => entries.push({ _tag: "Option", word })
  /**
   * Takes an option's value: what is left of the option's own word behind `prefix`, else the next word, which must not look
   * like an option, in case the tool takes it for one. A file name must be one: a pattern could stand for many.
   */
  const value = (word: Word, prefix: string, isFile: boolean): boolean => {
    const isAttached = prefix.length < word.text.length || prefix.endsWith("=")
    const holder = isAttached ? word : words[index++]
    if (holder === undefined || (!isAttached && /^-(?!\d*$)/.test(holder.text))) return false
    const name = isAttached ? word.text.slice(prefix.length) : holder.text
    values.push(name)
    if (!isAttached) option(plainText(word.text))
    if (isFile) option({ _tag: "Name", prefix: isAttached ? prefix : "", name })
    else option(plainText(holder.text))
    return !isFile || (holder.globAt === -1 && isBelow(name))
  }
  while (index < words.length) {
    const word = words[index++]
    if (word === undefined) break
    const { text } = word
    if (text === "--") {
      entries.push({ _tag: "Dashes", word: plainText(text) })
      for (const each of words.slice(index)) entries.push({ _tag: "Operand", word: each })
      break
    }
    if (text === "-" || !text.startsWith("-")) {
      entries.push({ _tag: "Operand", word })
    } else if (text.startsWith("--")) {
      const equals = text.indexOf("=")
      const name = equals === -1 ? text : text.slice(0, equals)
      const kind = long.get(name)
      options.push(name)
      if (kind === undefined || (kind === "" && equals !== -1)) return undefined
      if (kind === "?" && equals !== -1) values.push(text.slice(equals + 1))
      if (kind === "" || kind === "?") option(plainText(text))
      else if (!value(word, equals === -1 ? name : `${name}=`, kind === "=@")) return undefined
    } else if (rule.isNumeric === true && /^-\d+$/.test(text)) {
      option(plainText(text))
    } else {
      const end = shortOptions(rule, text, options)
      if (end === undefined) return undefined
      if (end === "") option(plainText(text))
      else if (!value(word, end, rule.files?.includes(end.at(-1) ?? "") === true)) return undefined
    }
  }
  const operands = entries.flatMap((entry) => (entry._tag === "Operand" ? [entry.word] : []))
  return { options, values, operands, entries }
}

/** Takes the letters of a word of short options, up to the one that has a value: empty if none has, undefined if one is unknown. */
const shortOptions = (rule: CommandRule, text: string, options: Array<string>): string | undefined => {
  for (let at = 1; at < text.length; at++) {
    const letter = text[at] ?? ""
    options.push(`-${letter}`)
    if (rule.flags?.includes(letter) === true) continue
    const hasValue = rule.files?.includes(letter) === true || rule.texts?.includes(letter) === true
    const isWhole = at === text.length - 1
    return hasValue && (isWhole || rule.isDetached !== true) ? text.slice(0, at + 1) : undefined
  }
  return ""
}

type Kind = "" | "=" | "=@" | "?"
const parsedLists = new Map<string, ReadonlyMap<string, Kind>>()

const longOptions = (list: string): ReadonlyMap<string, Kind> => {
  const known = parsedLists.get(list)
  if (known !== undefined) return known
  const options = new Map<string, Kind>()
  for (const each of list.split(/\s+/)) {
    const [, name = "", kind = ""] = /^([^=?]+)(=@|=|\?)?$/.exec(each) ?? []
    if (name !== "") options.set(`--${name}`, kind as Kind)
  }
  parsedLists.set(list, options)
  return options
}
