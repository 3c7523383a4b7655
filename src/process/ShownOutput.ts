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

  /** Returns what is shown of the bytes, as far as it is finished. */
  push(bytes: Buffer): string {
    return this.#keep(this.#terminal.push(this.#decoder.decode(bytes, { stream: true })))
  }

  /** The stream has ended, or nobody reads on. Returns the rest. */
  end(): string {
    return this.#keep(this.#terminal.push(this.#decoder.decode()) + this.#terminal.end())
  }

  #keep(text: string): string {
    if (text !== "") this.capture.push(Buffer.from(text))
    return text
  }
}
