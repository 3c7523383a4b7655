import { Buffer } from "node:buffer"
import { OutputCapture } from "./OutputCapture.ts"
import { TerminalText } from "./TerminalText.ts"

/** Keeps head and tail of what a stream of bytes would show on a terminal, at most `limit` bytes together. */
export class ShownOutput {
  private readonly decoder = new TextDecoder()
  private readonly terminal = new TerminalText()
  private readonly capture: OutputCapture

  constructor(limit: number) {
    this.capture = new OutputCapture(limit)
  }

  push(bytes: Buffer): void {
    this.keep(this.terminal.push(this.decoder.decode(bytes, { stream: true })))
  }

  /** Takes the line that has not ended too. Called once, at the end of the stream. */
  end(): OutputCapture {
    this.keep(this.terminal.push(this.decoder.decode()))
    this.keep(this.terminal.end())
    return this.capture
  }

  private keep(text: string): void {
    if (text !== "") this.capture.push(Buffer.from(text))
  }
}
