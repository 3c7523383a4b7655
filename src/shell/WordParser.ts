import { type Scanned, scanAnsi, scanBraced, scanUntil } from "./Scanner.ts"
import type { Feature, Word } from "./Syntax.ts"
import { WordBuilder } from "./Word.ts"

/** Blanks that do not separate words in the shell, and controls that hide text from a reader. */
const odd = /[\p{Z}\p{Cc}\p{Cf}]/u

/** Parses words; the commands in their substitutions are left to the parser of commands. */
export abstract class WordParser {
  readonly features = new Set<Feature>()
  protected readonly source: string
  protected readonly isAnsi: boolean
  protected at = 0

  constructor(source: string, isAnsi: boolean) {
    this.source = source
    this.isAnsi = isAnsi
  }

  /** Reads `( … )` of a substitution. */
  protected abstract substitution(): void

  /** Reads a text of its own as commands. */
  protected abstract nested(source: string): void

  protected word(): Word {
    const word = new WordBuilder()
    let isBraced = false
    while (this.at < this.source.length) {
      const char = this.source[this.at] ?? ""
      if (/[\s;|&<>()]/.test(char) && !this.isOdd(char)) break
      this.at += 1
      if (char === "'") word.quoted(this.scanned(scanUntil(this.source, this.at, "'", false)))
      else if (char === '"') this.doubleQuoted(word)
      else if (char === "\\") word.quoted(this.escaped())
      else if (this.isAnsi && char === "$" && this.source[this.at] === "'") {
        word.quoted(this.scanned(scanAnsi(this.source, this.at + 1)))
      }
      // `$"…"` is a translated text: its quotes are read as usual.
      else if (this.isAnsi && char === "$" && this.source[this.at] === '"') continue
      else if (char === "$" || char === "`") word.expansion(this.expansion(char), false)
      else {
        if (odd.test(char)) this.features.add("oddity")
        if (char === "{") isBraced = true
        // Only lists and ranges are expanded: `@{1}` is not.
        const isRange = char === "." && this.source[this.at - 2] === "."
        if (isBraced && (char === "," || isRange)) this.features.add("braces")
        word.plain(char)
      }
    }
    return word.build()
  }

  private isOdd(char: string): boolean {
    if (char === " " || char === "\t" || char === "\n" || !odd.test(char)) return false
    this.features.add("oddity")
    return true
  }

  private escaped(): string {
    const char = this.source[this.at] ?? ""
    this.at += 1
    if (char === "") this.features.add("broken")
    // A continued line can hide a word from a reader by cutting it in two.
    if (char === "\n") this.features.add("oddity")
    return char === "\n" ? "" : char
  }

  doubleQuoted(word: WordBuilder, end = '"'): void {
    word.quoted("")
    while (this.at < this.source.length) {
      const char = this.source[this.at] ?? ""
      this.at += 1
      if (char === end) return
      if (char === "$" || char === "`") word.expansion(this.expansion(char), true)
      else if (char === "\\" && /["$`\\\n]/.test(this.source[this.at] ?? "")) word.quoted(this.escaped())
      else word.quoted(char)
    }
    if (end !== "") this.features.add("broken")
  }

  /** Reads an expansion behind its `$` or backtick and returns its source text. */
  private expansion(char: string): string {
    const from = this.at - 1
    if (char === "`") {
      this.features.add("substitution")
      const inner = this.scanned(scanUntil(this.source, this.at, "`", true))
      this.nested(inner.replaceAll(/\\([`$\\])/g, "$1"))
      return this.source.slice(from, this.at)
    }
    const next = this.source[this.at] ?? ""
    if (next === "(") {
      this.substitution()
      return this.source.slice(from, this.at)
    }
    this.features.add("variable")
    if (next === "{") {
      const inner = this.scanned(scanBraced(this.source, this.at))
      if (/[`$(]/.test(inner)) this.nested(inner.replace(/^\{[^:=+?#%/-]*[:=+?#%/-]*/, ""))
      return this.source.slice(from, this.at)
    }
    if (next === "'" || next === '"') return ""
    const name =
      /^(?:env:[A-Za-z_]\w*|[A-Za-z_]\w*|[0-9?$!#@*-])/.exec(this.source.slice(this.at, this.at + 256))?.[0] ?? ""
    this.at += name.length
    return `$${name}`
  }

  protected scanned({ at, isOpen, text }: Scanned): string {
    this.at = at
    if (isOpen) this.features.add("broken")
    return text
  }

  protected expect(end: string): void {
    if (this.source[this.at] === end) this.at += 1
    else this.features.add("broken")
  }
}
