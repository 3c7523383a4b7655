/** A line that is longer goes on in another row, as on a terminal: what is in a row before cannot be overwritten. */
const maxColumns = 64 * 1024

/** An escape sequence that is longer is none. */
const maxSequence = 4096

/** What acts on a terminal in place of being shown: control characters but line break and tab, of both ranges. */
const acts = /[\p{Cc}--[\n\t]]/v

const mark = /^\p{M}$/u

/** Where in an escape sequence the reading is; `text`: it waits for the end of a string that a terminal does not show. */
type State = "plain" | "escape" | "charset" | "control" | "text" | "text escape"

/**
 * Turns the output of a program into what a terminal would show of it: after a carriage return or a backspace what is
 * written over it, and no colours, titles, links or movements to other lines. Takes pieces of any size.
 */
export class TerminalText {
  /** The characters of the row that is being written; empty where nothing was written, or it was erased. */
  #cells: Array<string> = []
  #column = 0
  #state: State = "plain"
  #sequence = ""

  /** The text that is finished with this piece: whole rows. */
  push(piece: string): string {
    const isAtEnd = this.#column === this.#cells.length && this.#cells.at(-1) !== ""
    if (this.#state !== "plain" || acts.test(piece) || !isAtEnd) return this.#read(piece)
    const end = piece.lastIndexOf("\n") + 1
    const rows = end === 0 ? "" : this.#takeRow() + piece.slice(0, end)
    return rows + this.#read(piece.slice(end))
  }

  /** The rest: the row that was being written. */
  end(): string {
    return this.#takeRow()
  }

  #read(piece: string): string {
    let shown = ""
    for (const character of piece) {
      if (this.#state === "plain") shown += this.#plain(character)
      else if (character === "\n") {
        // A sequence that is cut off hides no more than its line.
        this.#state = "plain"
        shown += this.#plain(character)
      } else this.#inSequence(character)
    }
    return shown
  }

  #plain(character: string): string {
    switch (character) {
      case "\n":
      case "\v":
      case "\f":
        return `${this.#takeRow()}\n`
      case "\r":
        this.#column = 0
        return ""
      case "\b":
        this.#column = Math.max(0, this.#column - 1)
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
        return ""
    }
    if (acts.test(character)) return ""
    const last = this.#cells[this.#column - 1]
    if (last !== undefined && character >= "\x80" && mark.test(character)) {
      this.#cells[this.#column - 1] = last + character
      return last.length < 32 ? "" : this.#takeRow()
    }
    this.#cells[this.#column++] = character
    return this.#column < maxColumns ? "" : this.#takeRow()
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
      case "K":
        if (given === 2) this.#cells = []
        else if (given === 1) this.#cells.fill("", 0, this.#column + 1)
        else this.#cells.length = Math.min(this.#cells.length, this.#column)
        return this.#moveTo(this.#column)
      case "C":
        return this.#moveTo(this.#column + count)
      case "D":
        return this.#moveTo(this.#column - count)
      case "G":
        return this.#moveTo(count - 1)
    }
  }

  #moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(column, maxColumns - 1))
    while (this.#cells.length < this.#column) this.#cells.push("")
  }

  #takeRow(): string {
    while (this.#cells.at(-1) === "") this.#cells.pop()
    const row = this.#cells.map((cell) => cell || " ").join("")
    this.#cells = []
    this.#column = 0
    return row
  }
}
