import * as Assert from "node:assert/strict"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as LlamaAnswers from "../../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../../src/testing/LlamaServer.ts"
import { StateDir } from "../../../src/testing/StateDir.ts"
import { type Figure, quantile } from "../Figure.ts"
import { Sidecar } from "../Sidecar.ts"

/** What a late turn may write, as a multiple of what an early one writes. */
const mostWritten = 1.25

/** Turns in one session, each with a call, over a server whose window is soon full: a late turn writes no more. */
export const longSession = async (turns: number): Promise<ReadonlyArray<Figure>> => {
  const server = await LlamaServer.start({
    contextTokens: 4096,
    countTokens: (text) => Math.ceil(text.length / 8),
    answer: (_, index) =>
      index % 2 === 0
        ? LlamaAnswers.say({ toolCalls: [{ name: "fs_read", arguments: { path: "tsconfig.json", limit: 3 } }] })
        : LlamaAnswers.say({ text: `This is the answer to question ${index}.` })
  })
  using dir = new StateDir({ localModels: { url: server.url } })
  using sidecar = new Sidecar(dir)
  try {
    const sessionId = await sidecar.session()
    const took: Array<number> = []
    const written: Array<number> = []
    const memory: Array<number> = []
    for (let turn = 0; turn < turns; turn++) {
      const from = performance.now()
      const { payload } = await sidecar.request("send_message", { sessionId, text: `question ${turn}` })
      took.push(performance.now() - from)
      Assert.deepEqual(payload, { reason: "reply", turnCount: turn + 1, stepCount: 2 * (turn + 1) })
      written.push(bytesToFiles(sidecar))
      memory.push(sidecar.residentMiB)
    }
    const mebibytes = (name: string) => {
      const size = Fs.statSync(Path.join(dir.path, name), { throwIfNoEntry: false })?.size ?? 0
      return (size / 1024 / 1024).toFixed(1)
    }
    const [size, log] = [mebibytes("sidecar.sqlite"), mebibytes("sidecar.sqlite-wal")]
    await sidecar.end()
    const part = Math.floor(turns / 10)
    const of = (from: number, to: number) => ({
      range: `${from} to ${to}`,
      ms: quantile(took.slice(from, to), 0.5),
      bytes: ((written[to - 1] ?? 0) - (written[from - 1] ?? 0)) / (to - from)
    })
    const [early, late] = [of(part, 2 * part), of(turns - part, turns)]
    Assert.ok(late.bytes < mostWritten * early.bytes, `bytes written by a turn: ${early.bytes}, then ${late.bytes}`)
    return [
      { name: "turns in one session", value: turns, unit: "" },
      ...[early, late].flatMap(({ bytes, ms, range }) => [
        { name: `  a turn, ${range}, p50`, value: ms, unit: "ms" },
        { name: `  written by a turn, ${range}`, value: bytes / 1024, unit: "KiB" }
      ]),
      { name: "  database, and its log", value: `${size} + ${log}`, unit: "MiB" },
      { name: `  resident memory after ${2 * part} turns`, value: memory[2 * part - 1] ?? 0, unit: "MiB" },
      { name: `  resident memory after ${turns} turns`, value: memory.at(-1) ?? 0, unit: "MiB" }
    ]
  } finally {
    await server.stop()
  }
}

/** What the process has written to the disk so far; nothing that went to pipes or sockets is counted. */
const bytesToFiles = ({ pid }: Sidecar): number =>
  Number(/^write_bytes: (\d+)/m.exec(Fs.readFileSync(`/proc/${pid}/io`, "utf8"))?.[1])
