import { Buffer } from "node:buffer"
import { OutputCapture } from "./OutputCapture.ts"
import { TerminalText } from "./TerminalText.ts"

/** Keeps head and tail of what a stream of bytes would show on a terminal, at most `limit` bytes together. */
export class ShownOutput {
  readonly #decoder = new TextDecoder()
  readonly #terminal = new TerminalText()
  readonly #capture: OutputCapture

  constructor(limit: number) {
    this.#capture = new OutputCapture(limit)
  }

  /** Returns the characters that are complete with these bytes, as they were printed. */
  push(bytes: Buffer): string {
    const printed = this.#decoder.decode(bytes, { stream: true })
    this.#keep(this.#terminal.push(printed))
    return printed
  }

  /** Takes the line that has not ended too. Called once, at the end of the stream. */
  end(): OutputCapture {
    this.#keep(this.#terminal.push(this.#decoder.decode()))
    this.#keep(this.#terminal.end())
    return this.#capture
  }

  #keep(text: string): void {
    if (text !== "") this.#capture.push(Buffer.from(text))
  }
}
