/** Longer lines, in columns, can be overwritten only behind the last multiple of this. */
const maxColumns = 2048

/** The most that one place keeps of a character and its marks, in UTF-16 units, and a sequence of its parameters. */
const maxUnits = 32

const control = /\r(?!\n)|[\p{Cc}--[\t\n\r]]/gv

const isControl = (char: string): boolean => char < " " || (char > "~" && char <= "\x9f")

/** The whole lines from a place on in which nothing is to be obeyed. */
const plainLines = (text: string, from: number): string => {
  control.lastIndex = from
  const plain = text.slice(from, control.exec(text)?.index)
  return plain.slice(0, plain.lastIndexOf("\n") + 1)
}

/** The next place whose character a terminal shows or obeys, as it does not most controls: binary data is full of them. */
const behindIgnored = (text: string, from: number): number => {
  let at = from
  for (let code = text.charCodeAt(at); code < 0x07 || (code > 0x0d && code < 0x1b); code = text.charCodeAt(at)) at++
  return at
}

const narrow = /[ -~]+/y

/** The characters from a place on that take one column each. */
const narrowRun = (text: string, from: number): string => {
  narrow.lastIndex = from
  return narrow.exec(text)?.[0] ?? ""
}

/** Characters that are shown in the column before them. */
const isMark = (char: string): boolean => char > "\u02ff" && /[\p{Mn}\p{Me}\p{Cf}]/u.test(char)

/** Characters that take two columns. */
const isWide = (char: string): boolean =>
  char > "\u10ff" &&
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]/u.test(
    char
  )

/**
 * Turns what a program writes for a terminal into the text that stands there at the end. A carriage return, a backspace and
 * movements within the line (CSI C, D, G) go back and forth, what follows overwrites column by column, and CSI K erases. All
 * else that a terminal would obey is dropped: colours, movements between lines, titles, links, images, other controls. Takes
 * the text in pieces, cut between any two characters.
 */
export class TerminalText {
  /** One entry per column: a character with its marks. The further columns of a wide character or a tab are empty. */
  private cells: Array<string> = []
  private column = 0
  /** What the characters that follow belong to. */
  private within: "text" | "escape" | "sequence" | "string" = "text"
  private parameters = ""

  /** Takes a piece; returns what it has completed: lines, and of a very long line its beginning. */
  push(text: string): string {
    let done = ""
    let at = 0
    while (at < text.length) {
      const isText = this.within === "text"
      const alive = isText ? behindIgnored(text, at) : at
      if (alive > at) {
        at = alive
        continue
      }
      const run = isText ? narrowRun(text, at) : ""
      if (run !== "" && this.column >= maxColumns) done += this.release()
      const isFresh = isText && this.cells.length === 0 && this.column === 0
      const lines = isFresh ? plainLines(text, at) : ""
      if (lines !== "") {
        done += lines.replaceAll("\r\n", "\n")
        at += lines.length
      } else if (isFresh && run.length > maxColumns) {
        // As much as would have been released by the end of the run.
        const released = run.length - 1 - ((run.length - 1) % maxColumns)
        done += run.slice(0, released)
        at += released
      } else if (run !== "") {
        const piece = run.slice(0, maxColumns - this.column)
        done += this.put(piece.split(""))
        at += piece.length
      } else {
        const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
        done += this.take(char)
        at += char.length
      }
    }
    return done
  }

  /** Returns the line that has not ended. */
  end(): string {
    this.within = "text"
    return this.release()
  }

  private release(): string {
    const line = this.cells.join("")
    this.cells = []
    this.column = 0
    return line
  }

  private take(char: string): string {
    if (this.within !== "text" && this.belongs(char)) return ""
    if (!isControl(char)) return this.write(char)
    switch (char) {
      case "\n":
      case "\v":
      case "\f":
        return `${this.release()}\n`
      case "\r":
        this.column = 0
        return ""
      case "\b":
        this.move(this.column - 1)
        return ""
      case "\t":
        return this.tab()
      case "\x1b":
        this.within = "escape"
        return ""
      case "\x9b":
        this.begin()
        return ""
      case "\x90":
      case "\x98":
      case "\x9d":
      case "\x9e":
      case "\x9f":
        this.within = "string"
    }
    return ""
  }

  private begin(): void {
    this.within = "sequence"
    this.parameters = ""
  }

  /** True if a character is part of the sequence or string; otherwise that is over, and the character stands for itself. */
  private belongs(char: string): boolean {
    switch (this.within) {
      case "escape":
        if (char === "[") this.begin()
        else if ("]PX^_".includes(char)) this.within = "string"
        else if (char >= "0" && char <= "~") this.within = "text"
        else if (char < " " || char > "/") break
        return true
      case "sequence":
        if (char >= "@" && char <= "~") {
          this.within = "text"
          this.obey(char)
        } else if (char < " " || char > "?") break
        else if (this.parameters.length < maxUnits) this.parameters += char
        return true
      case "string":
        // BEL and ST end it. A terminal would read on over most others, without end where a file that is no text begins a
        // string by chance.
        if (isControl(char)) break
        return true
    }
    this.within = "text"
    return false
  }

  /** Carries out a sequence that moves or erases within the line; ignores all others. */
  private obey(final: string): void {
    if (!/^[\d;]*$/.test(this.parameters)) return
    const given = Number.parseInt(this.parameters, 10) || 0
    const count = Math.max(1, given)
    if (final === "C") this.move(this.column + count)
    else if (final === "D") this.move(this.column - count)
    else if (final === "G") this.move(count - 1)
    else if ((final === "K" || final === "J") && given === 0) this.cut(this.column)
    else if (final === "K" && given === 2) this.cut(0)
    else if (final === "K" && given === 1) {
      this.split(this.column + 1)
      this.cells.fill(" ", 0, this.column + 1)
    }
  }

  private move(column: number): void {
    this.column = Math.min(Math.max(0, column), maxColumns)
  }

  private cut(from: number): void {
    this.split(from)
    this.cells.length = Math.min(this.cells.length, from)
  }

  /** Replaces the character that reaches across the edge before a column by blanks, as a terminal does with half of one. */
  private split(column: number): void {
    if (this.cells[column] !== "") return
    let from = column - 1
    while (from > 0 && this.cells[from] === "") from -= 1
    let to = column
    while (this.cells[to] === "") to += 1
    this.cells.fill(" ", from, to)
  }

  private write(char: string): string {
    if (!isMark(char)) return this.put(isWide(char) ? [char, ""] : [char])
    let at = Math.min(this.column, this.cells.length) - 1
    while (this.cells[at] === "") at -= 1
    const marked = (this.cells[at] ?? "") + char
    if (at < 0 || marked.length > maxUnits) return this.put([char])
    this.cells[at] = marked
    return ""
  }

  /** Over text a tab only moves; behind it, it stays a tab. */
  private tab(): string {
    const width = 8 - (this.column % 8)
    if (this.column >= this.cells.length) return this.put(["\t", ...Array<string>(width - 1).fill("")])
    const to = this.column + width
    while (this.cells.length < to) this.cells.push(" ")
    this.column = to
    return ""
  }

  /** Writes characters, with an empty entry for each further column. */
  private put(written: ReadonlyArray<string>): string {
    const done = this.column + written.length > maxColumns ? this.release() : ""
    while (this.cells.length < this.column) this.cells.push(" ")
    this.split(this.column)
    this.split(this.column + written.length)
    for (const cell of written) this.cells[this.column++] = cell
    return done
  }
}
