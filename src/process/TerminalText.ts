/** A line that is longer goes on in another row, as on a terminal: what is in a row before cannot be overwritten. */
const maxColumns = 64 * 1024

/** An escape sequence that is longer is none. */
const maxSequence = 4096

/** What acts on a terminal in place of being shown: control characters but the tab, of both ranges. */
const controls = /[\p{Cc}--[\t]]/gv

/** The same without the line break. */
const acts = /[\p{Cc}--[\t\n]]/v

const mark = /^\p{M}$/u

/** Where in an escape sequence the reading is; `text`: it waits for the end of a string that a terminal does not show. */
type State = "plain" | "escape" | "charset" | "control" | "text" | "text escape"

/**
 * Turns the output of a program into what a terminal would show of it: after a carriage return or a backspace what is
 * written over it, and no colours, titles, links or movements to other lines. Takes pieces of any size.
 */
export class TerminalText {
  /** The row that is being written, as long as nothing in it was overwritten. */
  #row = ""
  /** Its characters once something was, empty where nothing was written or it was erased; and where the next one goes. */
  #cells: Array<string> | undefined
  #column = 0
  #state: State = "plain"
  #sequence = ""

  /** The text that is finished with this piece: whole rows. */
  push(piece: string): string {
    if (this.#state === "plain" && this.#cells === undefined && !acts.test(piece)) {
      const end = piece.lastIndexOf("\n") + 1
      const rows = end === 0 ? "" : this.#takeRow() + piece.slice(0, end)
      return rows + this.#write(piece.slice(end))
    }
    let shown = ""
    for (let at = 0; at < piece.length;) {
      if (this.#state !== "plain") {
        const character = String.fromCodePoint(piece.codePointAt(at) ?? 0)
        // A sequence that is cut off hides no more than its line.
        if (character === "\n") this.#state = "plain"
        else {
          this.#inSequence(character)
          at += character.length
        }
        continue
      }
      controls.lastIndex = at
      const end = controls.exec(piece)?.index ?? piece.length
      if (end > at) shown += this.#write(piece.slice(at, end))
      for (at = end; this.#state === "plain" && isControl(piece.charCodeAt(at)); at++) {
        shown += this.#act(piece[at] ?? "")
      }
    }
    return shown
  }

  /** The rest: the row that was being written. */
  end(): string {
    return this.#takeRow()
  }

  /** Writes characters that act on nothing. */
  #write(text: string): string {
    if (this.#cells === undefined) {
      this.#row += text
      let shown = ""
      while (this.#row.length >= maxColumns) {
        const length = maxColumns + Number(isFirstHalf(this.#row[maxColumns - 1]))
        shown += this.#row.slice(0, length)
        this.#row = this.#row.slice(length)
      }
      return shown
    }
    let shown = ""
    for (const character of text) shown += this.#put(character)
    return shown
  }

  #put(character: string): string {
    const cells = (this.#cells ??= [])
    const last = cells[this.#column - 1]
    if (last !== undefined && character >= "\x80" && mark.test(character)) {
      cells[this.#column - 1] = last + character
      return last.length < 32 ? "" : this.#takeRow()
    }
    cells[this.#column++] = character
    return this.#column < maxColumns ? "" : this.#takeRow()
  }

  #act(character: string): string {
    switch (character) {
      case "\n":
      case "\v":
      case "\f":
        return `${this.#takeRow()}\n`
      case "\r":
        this.#moveTo(0)
        return ""
      case "\b":
        this.#moveBy(-1)
        return ""
      case "\x1b":
        this.#begin("escape")
        return ""
      case "\x9b":
        this.#begin("control")
        return ""
      case "\x90":
      case "\x98":
      case "\x9d":
      case "\x9e":
      case "\x9f":
        this.#begin("text")
    }
    return ""
  }

  #begin(state: State): void {
    this.#state = state
    this.#sequence = ""
  }

  #inSequence(character: string): void {
    this.#sequence += character
    if (this.#sequence.length > maxSequence) this.#state = "plain"
    switch (this.#state) {
      case "escape":
        if (character === "[") this.#begin("control")
        else if (/[\]PX^_]/.test(character)) this.#begin("text")
        else this.#state = /[ -/]/.test(character) ? "charset" : "plain"
        return
      case "charset":
        if (!/[ -/]/.test(character)) this.#state = "plain"
        return
      case "control":
        if (character === "\x1b") return this.#begin("escape")
        if (!/[@-~]/.test(character)) return
        this.#state = "plain"
        return this.#control(character, Number.parseInt(this.#sequence, 10))
      case "text":
        if (character === "\x07" || character === "\x9c") this.#state = "plain"
        else if (character === "\x1b") this.#state = "text escape"
        return
      case "text escape":
        this.#state = character === "\\" ? "plain" : "text"
    }
  }

  /** The sequences that change the row: it is erased, or the cursor moves in it. */
  #control(final: string, given: number): void {
    const count = Number.isNaN(given) ? 1 : Math.min(given, maxColumns - 1)
    switch (final) {
      case "K": {
        const cells = this.#open()
        if (given === 2) cells.length = 0
        else if (given === 1) cells.fill("", 0, this.#column + 1)
        else cells.length = Math.min(cells.length, this.#column)
        return this.#moveTo(this.#column)
      }
      case "C":
        return this.#moveBy(count)
      case "D":
        return this.#moveBy(-count)
      case "G":
        return this.#moveTo(count - 1)
    }
  }

  /** The cells of the row. */
  #open(): Array<string> {
    if (this.#cells !== undefined) return this.#cells
    const row = this.#row
    this.#row = ""
    this.#column = 0
    this.#cells = []
    for (const character of row) this.#put(character)
    return this.#cells
  }

  #moveBy(columns: number): void {
    this.#open()
    this.#moveTo(this.#column + columns)
  }

  #moveTo(column: number): void {
    const cells = this.#open()
    this.#column = Math.max(0, Math.min(column, maxColumns - 1))
    while (cells.length < this.#column) cells.push("")
  }

  #takeRow(): string {
    const cells = this.#cells
    if (cells === undefined) {
      const row = this.#row
      this.#row = ""
      return row
    }
    while (cells.at(-1) === "") cells.pop()
    this.#cells = undefined
    this.#column = 0
    return cells.map((cell) => cell || " ").join("")
  }
}

const isFirstHalf = (unit: string | undefined): boolean => unit !== undefined && unit >= "\ud800" && unit <= "\udbff"

const isControl = (code: number): boolean => (code < 0x20 && code !== 0x09) || (code >= 0x7f && code < 0xa0)
