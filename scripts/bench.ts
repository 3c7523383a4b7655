/**
 * `npm run bench [-- --only start,pings,streaming,turns] [--effort 0.3] [--bin FILE] [--executable FILE]`: what the
 * sidecar costs, each figure beside bare Node doing the same work, medians of interleaved rounds. Prints a table, writes
 * bench.json. The executable is measured where `npm run build:binary` has made it.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { given, positive, someOf, text } from "./Arguments.ts"
import { type Bench, makeFolder, type Row } from "./bench/Bench.ts"
import { pings } from "./bench/Pings.ts"
import { start } from "./bench/Start.ts"
import { streaming } from "./bench/Streaming.ts"
import { ratioOf, tableOf } from "./bench/Table.ts"
import { turnsAndCancel } from "./bench/Turns.ts"
import { Wire } from "./bench/Wire.ts"
import { executableName, targetOf } from "./build/Target.ts"

const all = { start, pings, streaming, turns: turnsAndCancel }
const root = Path.resolve(import.meta.dirname, "..")
const {
  only = Object.keys(all),
  effort = 1,
  bin = Path.join(root, "dist/sidecar/main.js"),
  executable = Path.join(root, "dist/binary", executableName(targetOf()))
} = given({ only: someOf(Object.keys(all)), effort: positive, bin: text, executable: text }).options

const server = new Wire([Path.join(import.meta.dirname, "bench/ModelServer.ts")])
await server.until("\n")
const port = Number(
  server
    .take()
    .map(({ bytes }) => bytes.toString())
    .join("")
)
const bench: Bench = {
  bin: Path.resolve(bin),
  ...(Fs.existsSync(executable) && { executable: Path.resolve(executable) }),
  port,
  folder: makeFolder(),
  effort
}

const rows: Array<Row> = []
try {
  for (const [name, measure] of Object.entries(all)) {
    if (!only.includes(name)) continue
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[Kmeasuring: ${name}`)
    rows.push(...(await measure(bench)))
  }
} finally {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
  await server.end()
  Fs.rmSync(bench.folder, { recursive: true, force: true })
}

console.log(tableOf(rows))
const machine = { node: process.version, cpu: Os.cpus()[0]?.model, cores: Os.cpus().length, platform: process.platform }
const report = { machine, rows: rows.map((row) => ({ ...row, ...(row.beside && { ratio: ratioOf(row) }) })) }
Fs.writeFileSync(Path.join(root, "bench.json"), `${JSON.stringify(report, null, 2)}\n`)
