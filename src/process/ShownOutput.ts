import { Buffer } from "node:buffer"
import { OutputCapture } from "./OutputCapture.ts"
import { TerminalText } from "./TerminalText.ts"

/** Keeps of a program's output what a terminal would show: a progress bar takes the room of one line. */
export class ShownOutput {
  readonly capture: OutputCapture
  readonly #decoder = new TextDecoder()
  readonly #terminal = new TerminalText()

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.capture = new OutputCapture(limit)
  }

  /** Returns the characters that are complete with these bytes, as they were printed. */
  push(bytes: Buffer): string {
    const printed = this.#decoder.decode(bytes, { stream: true })
    this.#keep(this.#terminal.push(printed))
    return printed
  }

  /** The stream has ended, or nobody reads on. */
  end(): void {
    this.#keep(this.#terminal.push(this.#decoder.decode()) + this.#terminal.end())
  }

  #keep(text: string): void {
    if (text !== "") this.capture.push(Buffer.from(text))
  }
}
