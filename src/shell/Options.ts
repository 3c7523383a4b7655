import type { Word } from "./Syntax.ts"

/** What the operands of a command are: file names, text, a pattern before file names, or not allowed. */
export type Operands = "paths" | "text" | "pattern" | "none"

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
  /** Where a word may have a glob pattern, which could expand to a name that looks like an option: never if absent. */
  readonly globs?: "any" | "prefixed"
  /** A further condition on the operands and options. */
  readonly check?: (parsed: Parsed) => boolean
}

export interface Parsed {
  /** As given, without values: `-n`, `--name`. */
  readonly options: ReadonlyArray<string>
  /** The values of options, in order. */
  readonly values: ReadonlyArray<string>
  readonly operands: ReadonlyArray<Word>
}

/** True if a rule knows all the words behind the command's name to be harmless. */
export const fits = (rule: CommandRule, words: ReadonlyArray<Word>): boolean => {
  if (!words.every((word) => globFits(word, rule.globs))) return false
  if (rule.isInert === true) return true
  const parsed = parseOptions(rule, words)
  if (parsed === undefined) return false
  const { operands = "paths", maxOperands = Number.POSITIVE_INFINITY } = rule
  if (parsed.operands.length > (operands === "none" ? 0 : maxOperands)) return false
  const hasPattern = operands === "pattern" && !parsed.options.some((option) => patternOptions.has(option))
  if (hasPattern && parsed.operands[0] !== undefined && parsed.operands[0].globAt !== -1) return false
  const paths = operands === "text" ? [] : hasPattern ? parsed.operands.slice(1) : parsed.operands
  return paths.every(({ text }) => isBelow(text)) && (rule.check?.(parsed) ?? true)
}

/** With these, no operand is the pattern. */
const patternOptions = new Set(["-e", "-f", "--regexp", "--file", "--files", "--type-list"])

/** True if a path, by its name, stays below the working directory: not absolute, no `~`, no `..`. */
export const isBelow = (path: string): boolean =>
  !path.startsWith("/") && !path.startsWith("~") && !path.split(/[/:=]/).includes("..")

const globFits = ({ globAt, text }: Word, globs: CommandRule["globs"]): boolean => {
  if (globAt === -1) return true
  // In any position: the shell makes several words of a pattern, and only the first stays in its place.
  if (!isBelow(text)) return false
  // In some shells `.*` matches `..` too.
  if (text.split("/").some((part) => part.startsWith(".") && /[*?[]/.test(part))) return false
  return globs === "any" || (globs === "prefixed" && globAt > 0 && !text.startsWith("-"))
}

const parseOptions = (rule: CommandRule, words: ReadonlyArray<Word>): Parsed | undefined => {
  const long = longOptions(rule.long ?? "")
  const options: Array<string> = []
  const values: Array<string> = []
  const operands: Array<Word> = []
  let index = 0
  /** Takes an option's value. A separate one must not look like an option, in case the tool takes it for one. */
  const value = (attached: string | undefined, isFile: boolean): boolean => {
    const word = attached === undefined ? words[index++] : undefined
    // A pattern could expand to more words than the value.
    if (word !== undefined && word.globAt !== -1) return false
    const text = attached ?? word?.text
    if (text === undefined || (attached === undefined && /^-(?!\d*$)/.test(text))) return false
    values.push(text)
    return !isFile || isBelow(text)
  }
  while (index < words.length) {
    const word = words[index++]
    if (word === undefined) break
    const { text } = word
    if (text === "--") {
      operands.push(...words.slice(index))
      break
    }
    if (text === "-" || !text.startsWith("-")) {
      operands.push(word)
    } else if (text.startsWith("--")) {
      const equals = text.indexOf("=")
      const name = equals === -1 ? text : text.slice(0, equals)
      const attached = equals === -1 ? undefined : text.slice(equals + 1)
      const kind = long.get(name)
      options.push(name)
      if (kind === undefined || (kind === "" && attached !== undefined)) return undefined
      if (kind === "?" && attached !== undefined) values.push(attached)
      if ((kind === "=" || kind === "=@") && !value(attached, kind === "=@")) return undefined
    } else if (!(rule.isNumeric === true && /^-\d+$/.test(text))) {
      for (let at = 1; at < text.length; at++) {
        const letter = text[at] ?? ""
        options.push(`-${letter}`)
        if (rule.flags?.includes(letter)) continue
        const isFile = rule.files?.includes(letter) ?? false
        if (!isFile && !rule.texts?.includes(letter)) return undefined
        const rest = text.slice(at + 1)
        if (rest !== "" && rule.isDetached === true) return undefined
        if (!value(rest === "" ? undefined : rest, isFile)) return undefined
        break
      }
    }
  }
  return { options, values, operands }
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
