import { afterKeywords, isCaseHead, isLoopHead } from "./Keywords.ts"
import { scanDocument } from "./Scanner.ts"
import { type Command, type Script, separator, type Word } from "./Syntax.ts"
import { WordBuilder } from "./Word.ts"
import { WordParser } from "./WordParser.ts"

/**
 * Parses a command line of `sh`. It never fails: what it does not understand becomes a feature. Some shells give the
 * backslashes in `$'…'` a meaning (`isAnsi`), others do not, and then the text ends elsewhere.
 */
export const parse = (source: string, isAnsi = false): Script => {
  const parser = new Parser(source, isAnsi)
  parser.list(undefined)
  return { commands: parser.commands, features: parser.features }
}

class Parser extends WordParser {
  readonly commands: Array<Command> = []
  private depth = 0
  private words: Array<Word> = []
  private writes: Array<Word> = []
  private reads: Array<Word> = []
  private joins: Array<string> = []
  private input = ""
  /** The parentheses and the name of a function that belong to the command being read. */
  private parentheses: Array<string> = []
  private defines = ""
  private joint = ";"
  private nextJoint = ""
  private shells: ReadonlyArray<number> = []
  private lastShell = 0
  private documents: Array<{ readonly end: string; readonly isIndented: boolean; readonly isLiteral: boolean }> = []
  /** The number of open `case` statements. */
  private cases = 0
  private isRedirected = false

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
        this.parenthesis()
        before = "group"
      } else if (char === ")") {
        this.features.add("broken")
        this.at += 1
      } else {
        before = undefined
        if (isLoopHead(this.words) && /^do(?![^\s;|&<>()])/.test(this.source.slice(this.at, this.at + 3))) this.close()
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

  /** Reads `(…)`: a subshell, the end of the head of a function, or the values of an array. */
  private parenthesis(): void {
    const last = this.words.at(-1)
    if (last !== undefined && /^[A-Za-z_]\w*\+?=$/.test(last.text)) return this.array(last)
    this.features.add(this.words.length > 0 ? "function" : "compound")
    this.at += 1
    const isHead = this.source[this.at] === ")" && afterKeywords(this.words).words.length < 2
    // The name in `name()` is no command.
    if (isHead) this.defines = this.words.pop()?.text ?? ""
    this.close()
    if (!isHead) this.parentheses.push("(")
    this.inShell(() => this.list(")"))
    this.expect(")")
    if (!isHead) this.parentheses.push(")")
  }

  /** The values become parts of the word `name=`, each behind a `separator`. */
  private array(name: Word): void {
    this.features.add("compound")
    this.at += 1
    const parts = [...name.parts]
    while (this.at < this.source.length && this.source[this.at] !== ")") {
      if (this.source[this.at] === "#") this.comment()
      else if (/[\s;|&<>(]/.test(this.source[this.at] ?? "")) this.at += 1
      else parts.push({ text: separator, isQuoted: false, isExpansion: false }, ...this.word().parts)
    }
    this.expect(")")
    this.words[this.words.length - 1] = { ...name, text: parts.map(({ text }) => text).join(""), parts }
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
    const { defines = this.defines, keywords: leading, words } = afterKeywords(this.words)
    const keywords = [...this.parentheses, ...leading]
    if (keywords.length > 0) this.features.add("compound")
    if (keywords.includes("esac")) this.cases = Math.max(0, this.cases - 1)
    const isLoop = /^(for|select)$/.test(keywords.at(-1) ?? "")
    const { input, joins, joint, nextJoint, reads, shells, writes } = this
    const isCommand = [words, writes, reads, keywords, defines].some(({ length }) => length > 0)
    if (isCommand) this.commands.push({ words, writes, reads, joins, input, joint, shells, isLoop, keywords, defines })
    else if (joins.length > 0) this.features.add("redirection")
    if (isCommand || nextJoint !== "") this.joint = nextJoint === "" ? ";" : nextJoint
    Object.assign(this, { nextJoint: "", words: [], writes: [], reads: [], joins: [], input: "", isRedirected: false })
    Object.assign(this, { parentheses: [], defines: "" })
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
    if (this.source[this.at] === "(") {
      if (operator === "<") this.words.push(this.processSubstitution())
      else this.features.add("substitution")
      return
    }
    while (this.source[this.at] === " " || this.source[this.at] === "\t") this.at += 1
    const isProcess = this.source.startsWith("<(", this.at)
    if (isProcess) this.at += 1
    const target = isProcess ? this.processSubstitution() : this.word()
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

  /** `<(…)`, from its parenthesis on. */
  private processSubstitution(): Word {
    const from = this.at - 1
    this.substitution()
    const word = new WordBuilder()
    word.expansion(this.source.slice(from, this.at), true)
    return word.build()
  }

  protected substitution(): void {
    this.features.add("substitution")
    this.at += 1
    const { input, joins, joint, nextJoint, parentheses, reads, words, writes } = this
    Object.assign(this, { input: "", joins: [], joint: ";", nextJoint: "", parentheses: [] })
    Object.assign(this, { reads: [], words: [], writes: [] })
    this.inShell(() => this.list(")"))
    Object.assign(this, { input, joins, joint, nextJoint, parentheses, reads, words, writes })
    this.expect(")")
  }

  protected nested(source: string, read = (inner: Parser): void => inner.list(undefined)): void {
    const inner = new Parser(source, this.isAnsi)
    Object.assign(inner, { depth: this.depth, lastShell: this.lastShell, shells: this.shells })
    inner.inShell(() => read(inner))
    this.lastShell = inner.lastShell
    this.commands.push(...inner.commands)
    for (const feature of inner.features) this.features.add(feature)
  }
}
