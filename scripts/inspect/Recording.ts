import * as Fs from "node:fs"
import * as Readline from "node:readline"
import { once } from "node:events"
import { type Crossing, fromRecording, recordedLine } from "./Entry.ts"

export interface Recorder {
  /** Writes a line; where the disk is slower than the conversation, tells when to go on. */
  readonly write: (crossing: Crossing) => Promise<void> | undefined
  readonly close: () => Promise<void>
}

/** Writes a recording, in place of one that was there; rejects where it cannot be written. */
export const startRecording = async (file: string): Promise<Recorder> => {
  const stream = Fs.createWriteStream(file)
  await once(stream, "open")
  // A disk that is full ends the recording, not the conversation.
  let broken: Error | undefined
  stream.on("error", (error) => {
    broken ??= error
    console.error(`${file}: ${error.message}; the recording ends here`)
  })
  return {
    write: (crossing) => {
      if (broken !== undefined || stream.write(recordedLine(crossing))) return undefined
      return Promise.race([once(stream, "drain"), once(stream, "close")]).then(() => {})
    },
    close: async () => {
      if (broken !== undefined) return
      stream.end()
      await once(stream, "close").catch(() => {})
    }
  }
}

/** Reads a recording, line by line; rejects where it cannot be read. */
export const readRecording = async (file: string, onLine: (crossing: Crossing) => void): Promise<void> => {
  const stream = Fs.createReadStream(file)
  await once(stream, "open")
  for await (const line of Readline.createInterface({ input: stream, crlfDelay: Infinity })) {
    const read = fromRecording(line)
    if (read !== undefined) onLine(read)
  }
}
