import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert } from "@effect/vitest"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../../test/support/Bin.ts"
import { type Figure, quantile } from "./Figure.ts"

/** What one session of so many turns costs at its beginning and at its end. */
export interface LongSession {
  readonly figures: ReadonlyArray<Figure>
  /** Bytes written to files by a turn, at the beginning and at the end. */
  readonly bytesThen: number
  readonly bytesNow: number
}

/** Plays so many turns in one session, each with a call, over a server whose window is soon full. */
export const longSession = async (turns: number): Promise<LongSession> => {
  const server = await LlamaServer.start({
    contextTokens: 4096,
    countTokens: (text) => Math.ceil(text.length / 8),
    answer: (_, index) =>
      index % 2 === 0
        ? LlamaAnswers.say({ toolCalls: [{ name: "fs_read", arguments: { path: "tsconfig.json", limit: 3 } }] })
        : LlamaAnswers.say({ text: `This is the answer to question ${index}.` })
  })
  using dir = new StateDir({ localModels: { url: server.url } })
  using bin = new Bin(dir)
  try {
    const sessionId = await bin.session()
    const took: Array<number> = []
    const written: Array<number> = []
    const memory: Array<number> = []
    for (let turn = 0; turn < turns; turn++) {
      const from = performance.now()
      const { payload } = await bin.request("send_message", { sessionId, text: `question ${turn}` })
      took.push(performance.now() - from)
      assert.deepStrictEqual(payload, { reason: "reply", turnCount: turn + 1, stepCount: 2 * (turn + 1) })
      written.push(bytesToFiles(bin))
      memory.push(bin.residentMiB)
    }
    const stored = (name: string) => Fs.statSync(Path.join(dir.path, name), { throwIfNoEntry: false })?.size ?? 0
    const size = stored("sidecar.sqlite")
    const log = stored("sidecar.sqlite-wal")
    await bin.end()
    const part = Math.floor(turns / 10)
    const bytes = (from: number, to: number) => ((written[to - 1] ?? 0) - (written[from - 1] ?? 0)) / (to - from)
    const bytesThen = bytes(part, 2 * part)
    const bytesNow = bytes(turns - part, turns)
    const around = (from: number, to: number) => quantile(took.slice(from, to), 0.5)
    return {
      bytesThen,
      bytesNow,
      figures: [
        { name: "turns in one session", value: turns, unit: "" },
        { name: `  a turn, ${part} to ${2 * part}, p50`, value: around(part, 2 * part), unit: "ms" },
        { name: `  a turn, ${turns - part} to ${turns}, p50`, value: around(turns - part, turns), unit: "ms" },
        { name: `  written by a turn, ${part} to ${2 * part}`, value: bytesThen / 1024, unit: "KiB" },
        { name: `  written by a turn, ${turns - part} to ${turns}`, value: bytesNow / 1024, unit: "KiB" },
        { name: "  database, and its log", value: `${mebibytes(size)} + ${mebibytes(log)}`, unit: "MiB" },
        { name: `  resident memory after ${2 * part} turns`, value: memory[2 * part - 1] ?? 0, unit: "MiB" },
        { name: `  resident memory after ${turns} turns`, value: memory.at(-1) ?? 0, unit: "MiB" }
      ]
    }
  } finally {
    await server.stop()
  }
}

const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)

/** All that the process has written, less what went to the host. Requests to the model are not counted as written. */
const bytesToFiles = (bin: Bin): number => {
  const io = Fs.readFileSync(`/proc/${bin.pid}/io`, "utf8")
  return Number(/^write_bytes: (\d+)/m.exec(io)?.[1])
}
