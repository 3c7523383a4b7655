import { afterKeywords, isCaseHead } from "./Keywords.ts"
import { type Scanned, scanAnsi, scanBraced, scanDocument, scanUntil } from "./Scanner.ts"
import type { Command, Feature, Script, Word } from "./Syntax.ts"
import { WordBuilder } from "./Word.ts"

/**
 * Parses a command line of `sh`. It never fails: what it does not understand becomes a feature. Some shells give the
 * backslashes in `$'…'` a meaning (`isAnsi`), others do not, and then the text ends elsewhere.
 */
export const parse = (source: string, isAnsi = false): Script => {
  const parser = new Parser(source, isAnsi)
  parser.list(undefined)
  return { commands: parser.commands, features: parser.features }
}

/** Blanks that do not separate words in the shell, and controls that hide text from a reader. */
const odd = /[\p{Z}\p{Cc}\p{Cf}]/u

class Parser {
  readonly commands: Array<Command> = []
  readonly features = new Set<Feature>()
  private readonly source: string
  private readonly isAnsi: boolean
  private at = 0
  private depth = 0
  private words: Array<Word> = []
  private writes: Array<Word> = []
  private reads: Array<Word> = []
  private joins: Array<string> = []
  private input = ""
  private joint = ";"
  private nextJoint = ""
  private shells: ReadonlyArray<number> = []
  private lastShell = 0
  private documents: Array<{ readonly end: string; readonly isIndented: boolean; readonly isLiteral: boolean }> = []
  /** The number of open `case` statements. */
  private cases = 0
  private isRedirected = false

  constructor(source: string, isAnsi: boolean) {
    this.source = source
    this.isAnsi = isAnsi
  }

  /** Reads commands up to `end` or the end of the source. */
  list(end: ")" | undefined): void {
    this.depth += 1
    if (this.depth > 50) {
      this.features.add("broken").add("depth")
      this.at = this.source.length
    }
    let before: "operator" | "group" | undefined
    while (this.at < this.source.length) {
      const char = this.source[this.at] ?? ""
      if (char === " " || char === "\t") this.at += 1
      else if (char === end) break
      else if (char === "#") this.comment()
      else if (char === "\n") {
        this.at += 1
        // After an operator at the end of a line the next line goes on.
        if (this.words.length > 0 || before === "group") before = undefined
        this.close()
        this.readDocuments()
      } else if (this.cases > 0 && char === ";" && /[;&]/.test(this.source[this.at + 1] ?? "")) {
        this.at += 2
        this.close()
        this.patterns()
      } else if (char === ";" || char === "|" || char === "&") {
        if (this.words.length + this.writes.length === 0 && before !== "group") this.features.add("broken")
        before = this.operator(char) ? "operator" : undefined
        this.close()
      } else if (char === "<" || char === ">") this.redirection()
      else if (char === "(") {
        this.features.add(this.words.length > 0 ? "function" : "compound")
        this.at += 1
        // The name in `name()` is no command.
        if (this.words.length === 1 && this.source[this.at] === ")") this.words = []
        this.close()
        this.inShell(() => this.list(")"))
        this.expect(")")
        before = "group"
      } else if (char === ")") {
        this.features.add("broken")
        this.at += 1
      } else {
        before = undefined
        this.words.push(this.word())
        if (!this.isRedirected && isCaseHead(this.words)) {
          this.features.add("compound")
          this.words = []
          this.cases += 1
          this.patterns()
        }
      }
    }
    if (before === "operator") this.features.add("broken")
    this.close()
    this.depth -= 1
  }

  /** Skips the patterns of a `case`. They are no commands, but substitutions in them run. */
  private patterns(): void {
    while (this.at < this.source.length) {
      const char = this.source[this.at] ?? ""
      if (char === ")") this.at += 1
      if (/[);&<>]/.test(char) || /^esac(?![^\s;|&<>()])/.test(this.source.slice(this.at, this.at + 5))) return
      if (char === "#") this.comment()
      else if (/[\s|(]/.test(char)) this.at += 1
      else this.word()
    }
  }

  /** Reads an operator; true if a command must follow. */
  private operator(char: string): boolean {
    const two = this.source.slice(this.at, this.at + 2)
    this.nextJoint = two === "&&" || two === "||" ? two : char === "|" ? "|" : ";"
    if (two === "&&" || two === "||") {
      this.at += 2
      return true
    }
    if (two === ";;" || two === ";&" || two === "|&") this.features.add("compound")
    if (char === "&") this.features.add("background")
    this.at += 1
    return char === "|"
  }

  private close(): void {
    const { keywords, words } = afterKeywords(this.words)
    if (keywords.length > 0) this.features.add("compound")
    if (keywords.includes("esac")) this.cases = Math.max(0, this.cases - 1)
    const isLoop = /^(for|select)$/.test(keywords.at(-1) ?? "")
    const { input, joins, joint, nextJoint, reads, shells, writes } = this
    const isCommand = words.length > 0 || writes.length > 0 || reads.length > 0
    if (isCommand) this.commands.push({ words, writes, reads, joins, input, joint, shells, isLoop })
    else if (joins.length > 0) this.features.add("redirection")
    if (isCommand || nextJoint !== "") this.joint = nextJoint === "" ? ";" : nextJoint
    Object.assign(this, { nextJoint: "", words: [], writes: [], reads: [], joins: [], input: "", isRedirected: false })
  }

  private inShell(read: () => void): void {
    const { cases, shells } = this
    this.lastShell += 1
    Object.assign(this, { cases: 0, shells: [...shells, this.lastShell] })
    read()
    Object.assign(this, { cases, shells })
  }

  private comment(): void {
    this.features.add("comment")
    const end = this.source.indexOf("\n", this.at)
    this.at = end === -1 ? this.source.length : end
  }

  private redirection(): void {
    const operator = /^(?:<<<|<<-?|<>|<&|<|>>|>&|>\||>)/.exec(this.source.slice(this.at, this.at + 3))?.[0] ?? ">"
    this.at += operator.length
    this.isRedirected = true
    const last = this.words.at(-1)
    // A number right before the operator is a descriptor, not a word.
    const before = this.source[this.at - operator.length - 1] ?? ""
    const isNumbered = last?.isBare === true && /^(?:\d+|\{\w+\})$/.test(last.text) && /[\d}]/.test(before)
    const descriptor = isNumbered ? this.words.pop()?.text : "1"
    if (this.source[this.at] === "(") return void this.features.add("substitution")
    while (this.source[this.at] === " " || this.source[this.at] === "\t") this.at += 1
    const target = this.word()
    if (operator === ">&" && /^[12]$/.test(`${descriptor}`) && target.isBare && /^[12]$/.test(target.text)) {
      return void this.joins.push(`${descriptor}>&${target.text}`)
    }
    this.features.add("redirection")
    if (operator.startsWith("<<") && operator !== "<<<") {
      this.documents.push({ end: target.text, isIndented: operator === "<<-", isLiteral: !target.isBare })
    } else if (operator === "<<<") this.input += `${target.text}\n`
    else if (operator === "<" || operator === "<&") this.reads.push(target)
    else this.writes.push(target)
  }

  /** Here-documents begin after the line that names them; they belong to the command that was closed last. */
  private readDocuments(): void {
    const texts: Array<string> = []
    for (const { end, isIndented, isLiteral } of this.documents) {
      const { at, text: body } = scanDocument(this.source, this.at, end, isIndented)
      this.at = at
      const last = this.commands.pop()
      if (last !== undefined) this.commands.push({ ...last, input: last.input + body })
      if (!isLiteral && /[`$]/.test(body)) texts.push(body)
    }
    this.documents = []
    for (const text of texts) this.nested(text, (inner) => inner.doubleQuoted(new WordBuilder(), ""))
  }

  private word(): Word {
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

  private doubleQuoted(word: WordBuilder, end = '"'): void {
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
      this.features.add("substitution")
      this.at += 1
      const { input, joins, joint, nextJoint, reads, words, writes } = this
      Object.assign(this, { input: "", joins: [], joint: ";", nextJoint: "", reads: [], words: [], writes: [] })
      this.inShell(() => this.list(")"))
      Object.assign(this, { input, joins, joint, nextJoint, reads, words, writes })
      this.expect(")")
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

  private nested(source: string, read = (inner: Parser): void => inner.list(undefined)): void {
    const inner = new Parser(source, this.isAnsi)
    Object.assign(inner, { depth: this.depth, lastShell: this.lastShell, shells: this.shells })
    inner.inShell(() => read(inner))
    this.lastShell = inner.lastShell
    this.commands.push(...inner.commands)
    for (const feature of inner.features) this.features.add(feature)
  }

  private scanned({ at, isOpen, text }: Scanned): string {
    this.at = at
    if (isOpen) this.features.add("broken")
    return text
  }

  private expect(end: string): void {
    if (this.source[this.at] === end) this.at += 1
    else this.features.add("broken")
  }
}
