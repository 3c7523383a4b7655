/** Something in a command line that makes it more than words, pipes and lists. */
export type Feature =
  | "substitution"
  | "variable"
  | "redirection"
  | "background"
  | "compound"
  | "function"
  | "comment"
  | "braces"
  | "oddity"
  | "broken"

/** One word after the shell has taken its quotes; what it would expand is left as it stands. */
export interface Word {
  readonly text: string
  /** Characters of `*?[` that are not quoted, and so stand for file names: where the first of them is, else -1. */
  readonly globAt: number
  /** Nothing of it is quoted: only then can it be a keyword, or a `~` a home. */
  readonly isBare: boolean
}

/** A simple command. */
export interface Command {
  readonly words: ReadonlyArray<Word>
  /** Targets of `>`, `>>` and the like. */
  readonly writes: ReadonlyArray<Word>
  /** The text of a here-document or here-string that it reads. */
  readonly input: string
}

export interface Script {
  /** All simple commands in the order they begin, those in substitutions and compound commands too. */
  readonly commands: ReadonlyArray<Command>
  readonly features: ReadonlySet<Feature>
}

/** Takes a command line of `sh` apart. It never fails: what it does not understand is a feature. */
export const parse = (source: string): Script => {
  const parser = new Parser(source)
  parser.list(undefined)
  return { commands: parser.commands, features: parser.features }
}

const keywords = new Set(
  "! { } if then else elif fi for while until do done case esac in select function time coproc [[ ]]".split(" ")
)

/** Blanks that are none to the shell, and controls that hide what is seen. */
const odd = /[\p{Z}\p{Cc}\p{Cf}]/u

class Parser {
  readonly commands: Array<Command> = []
  readonly features = new Set<Feature>()
  private readonly source: string
  private at = 0
  private depth = 0
  private words: Array<Word> = []
  private writes: Array<Word> = []
  private input = ""
  private documents: Array<{ readonly end: string; readonly isIndented: boolean }> = []

  constructor(source: string) {
    this.source = source
  }

  /** Reads commands up to `end` or the end of the source. */
  list(end: ")" | undefined): void {
    this.depth += 1
    if (this.depth > 50) {
      this.features.add("broken")
      this.at = this.source.length
    }
    let isOpen = false
    while (this.at < this.source.length) {
      const char = this.source[this.at] ?? ""
      if (char === " " || char === "\t") this.at += 1
      else if (char === end) break
      else if (char === "#") this.comment()
      else if (char === "\n") {
        this.at += 1
        // Nothing may be missing before a line break but the next line.
        if (this.words.length > 0) isOpen = false
        this.close()
        this.readDocuments()
      } else if (char === ";" || char === "|" || char === "&") {
        if (this.words.length === 0 && this.writes.length === 0) this.features.add("broken")
        isOpen = this.operator(char)
        this.close()
      } else if (char === "<" || char === ">") this.redirection()
      else if (char === "(") {
        this.features.add(this.words.length > 0 ? "function" : "compound")
        this.at += 1
        this.close()
        this.list(")")
        this.expect(")")
      } else if (char === ")") {
        this.features.add("broken")
        this.at += 1
      } else {
        isOpen = false
        this.words.push(this.word())
      }
    }
    if (isOpen) this.features.add("broken")
    this.close()
    this.depth -= 1
  }

  /** Whether something must follow. */
  private operator(char: string): boolean {
    const two = this.source.slice(this.at, this.at + 2)
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
    while (this.words[0]?.isBare === true && keywords.has(this.words[0].text)) {
      this.features.add("compound")
      this.words.shift()
    }
    const { input, words, writes } = this
    if (words.length > 0 || writes.length > 0) this.commands.push({ words, writes, input })
    this.words = []
    this.writes = []
    this.input = ""
  }

  private comment(): void {
    this.features.add("comment")
    const end = this.source.indexOf("\n", this.at)
    this.at = end === -1 ? this.source.length : end
  }

  private redirection(): void {
    const operator = /^(?:<<<|<<-?|<>|<&|<|>>|>&|>\||>)/.exec(this.source.slice(this.at, this.at + 3))?.[0] ?? ">"
    this.at += operator.length
    const last = this.words.at(-1)
    // A number right before it is a descriptor, no word.
    const before = this.source[this.at - operator.length - 1] ?? ""
    const isNumbered = last?.isBare === true && /^\d+$/.test(last.text) && /\d/.test(before)
    const descriptor = isNumbered ? this.words.pop()?.text : "1"
    if (this.source[this.at] === "(") {
      this.features.add("substitution")
      return
    }
    while (this.source[this.at] === " " || this.source[this.at] === "\t") this.at += 1
    const target = this.word()
    // `2>&1` joins two streams that are there anyway.
    if (operator === ">&" && /^[12]$/.test(`${descriptor}`) && target.isBare && /^[12]$/.test(target.text)) return
    this.features.add("redirection")
    if (operator.startsWith("<<") && operator !== "<<<") {
      this.documents.push({ end: target.text, isIndented: operator === "<<-" })
    } else if (operator === "<<<") this.input += `${target.text}\n`
    else if (operator !== "<" && operator !== "<&") this.writes.push(target)
  }

  /** Here-documents begin after the line that names them; they belong to the command that was closed last. */
  private readDocuments(): void {
    for (const { end, isIndented } of this.documents) {
      let body = ""
      while (this.at < this.source.length) {
        const newline = this.source.indexOf("\n", this.at)
        const stop = newline === -1 ? this.source.length : newline
        const line = this.source.slice(this.at, stop)
        this.at = Math.min(this.source.length, stop + 1)
        if ((isIndented ? line.replace(/^\t+/, "") : line) === end) break
        body += `${line}\n`
      }
      const last = this.commands.pop()
      if (last !== undefined) this.commands.push({ ...last, input: last.input + body })
    }
    this.documents = []
  }

  private word(): Word {
    let text = ""
    let globAt = -1
    let isBare = true
    let isBraced = false
    while (this.at < this.source.length) {
      const char = this.source[this.at] ?? ""
      if (/[\s;|&<>()]/.test(char) && !this.isOdd(char)) break
      this.at += 1
      if (char === "'") {
        isBare = false
        text += this.until("'")
      } else if (char === '"') {
        isBare = false
        text += this.doubleQuoted()
      } else if (char === "\\") {
        isBare = false
        text += this.escaped()
      } else if (char === "$" || char === "`") text += this.expansion(char)
      else {
        if (odd.test(char)) this.features.add("oddity")
        if (char === "{") isBraced = true
        // Only lists and ranges are expanded: `@{1}` is not.
        if (isBraced && (char === "," || (char === "." && text.endsWith(".")))) this.features.add("braces")
        if (/[*?[]/.test(char) && globAt === -1) globAt = text.length
        text += char
      }
    }
    return { text, globAt, isBare }
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
    // A line that goes on: two lines that are one, and a word may be cut by it.
    if (char === "\n") this.features.add("oddity")
    return char === "\n" ? "" : char
  }

  private doubleQuoted(): string {
    let text = ""
    while (this.at < this.source.length) {
      const char = this.source[this.at] ?? ""
      this.at += 1
      if (char === '"') return text
      if (char === "$" || char === "`") text += this.expansion(char)
      else if (char === "\\" && /["$`\\\n]/.test(this.source[this.at] ?? "")) text += this.escaped()
      else text += char
    }
    this.features.add("broken")
    return text
  }

  /** What follows a `$` or a backtick; it stays in the word as it is written. */
  private expansion(char: string): string {
    const from = this.at - 1
    if (char === "`") {
      this.features.add("substitution")
      const inner = this.until("`", true)
      this.nested(inner.replaceAll(/\\([`$\\])/g, "$1"))
      return this.source.slice(from, this.at)
    }
    const next = this.source[this.at] ?? ""
    if (next === "(") {
      this.features.add("substitution")
      this.at += 1
      const outer = { words: this.words, writes: this.writes, input: this.input }
      this.words = []
      this.writes = []
      this.input = ""
      this.list(")")
      Object.assign(this, outer)
      this.expect(")")
      return this.source.slice(from, this.at)
    }
    this.features.add("variable")
    if (next === "{") {
      const inner = this.until("}")
      if (/[`$(]/.test(inner)) this.nested(inner.replace(/^\{[^:=+?#%/-]*[:=+?#%/-]*/, ""))
      return this.source.slice(from, this.at)
    }
    if (next === "'" || next === '"') return ""
    const name = /^(?:[A-Za-z_]\w*|[0-9?$!#@*-])/.exec(this.source.slice(this.at, this.at + 256))?.[0] ?? ""
    this.at += name.length
    return `$${name}`
  }

  private nested(source: string): void {
    const inner = new Parser(source)
    inner.depth = this.depth
    inner.list(undefined)
    this.commands.push(...inner.commands)
    for (const feature of inner.features) this.features.add(feature)
  }

  private until(end: string, escapes = false): string {
    const from = this.at
    while (this.at < this.source.length) {
      const char = this.source[this.at]
      this.at += 1
      if (char === end) return this.source.slice(from, this.at - 1)
      if (escapes && char === "\\") this.at += 1
    }
    this.features.add("broken")
    return this.source.slice(from)
  }

  private expect(end: string): void {
    if (this.source[this.at] === end) this.at += 1
    else this.features.add("broken")
  }
}
