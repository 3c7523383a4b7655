/**
 * `npm run bench`: what the sidecar costs, each figure beside bare Node doing the same work, medians of interleaved
 * rounds. Prints a table and writes bench.json. The executable is measured where `npm run build:binary` has made it.
 *
 * `npm run bench -- --against DIR`: the same figures of this build and of the one in the checkout DIR, interleaved in
 * one run, and the ratio of the two, new / old, as the median of the rounds' ratios.
 *
 * `--only start,pings,streaming,turns`: some of the figures. `--effort 0.3`: so many times the usual number of rounds.
 * `--bin FILE`, `--executable FILE`: others than those in dist/.
 */
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { folderWith, given, positive, someOf, text } from "./Arguments.ts"
import { compareRows } from "./bench/Against.ts"
import { type Experiment, measureRows } from "./bench/Experiment.ts"
import { pings } from "./bench/Pings.ts"
import { executableStart, start } from "./bench/Start.ts"
import { streaming } from "./bench/Streaming.ts"
import { type Bench, sidecar } from "./bench/Subject.ts"
import { comparedTableOf, tableOf } from "./bench/Table.ts"
import { turnsAndCancel } from "./bench/Turns.ts"
import { textOf, Wire } from "./bench/Wire.ts"
import { executableName, targetOf } from "./build/Target.ts"

const all: Record<string, ReadonlyArray<Experiment>> = { start, pings, streaming, turns: turnsAndCancel }
const root = Path.resolve(import.meta.dirname, "..")
const main = "dist/sidecar/main.js"
const {
  only = Object.keys(all),
  effort = 1,
  bin = Path.join(root, main),
  executable = Path.join(root, "dist/binary", executableName(targetOf())),
  against
} = given({
  only: someOf(Object.keys(all)),
  effort: positive,
  bin: text,
  executable: text,
  against: folderWith(main)
}).options

const ofFile = (file: string) => sidecar([process.execPath, Path.resolve(file)])

const measureAll = async <Row>(bench: Bench, rowsOf: (experiment: Experiment) => Promise<ReadonlyArray<Row>>) => {
  const experiments = Object.entries(all).filter(([name]) => only.includes(name))
  const rows: Array<Row> = []
  for (const [name, parts] of experiments) {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[Kmeasuring: ${name}`)
    for (const experiment of parts) rows.push(...(await rowsOf(experiment)))
  }
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K")
  return rows
}

/** This build beside its limits. */
const measure = async (bench: Bench) => {
  const rows = await measureAll(bench, (experiment) => measureRows(experiment, ofFile(bin), bench, effort))
  if (only.includes("start") && Fs.existsSync(executable)) {
    const experiment = executableStart(ofFile(bin))
    rows.push(...(await measureRows(experiment, sidecar([Path.resolve(executable)]), bench, effort)))
  }
  console.log(tableOf(rows))
  return rows
}

/** This build beside another. */
const compare = async (bench: Bench, other: string) => {
  const old = ofFile(Path.join(other, main))
  const rows = await measureAll(bench, (experiment) => compareRows(experiment, ofFile(bin), old, bench, effort))
  console.log(comparedTableOf(rows))
  return rows
}

const server = new Wire([process.execPath, Path.join(import.meta.dirname, "bench/ModelServer.ts")])
await server.until("\n")
const bench: Bench = {
  port: Number(textOf(server.take())),
  folder: Fs.mkdtempSync(Path.join(Os.tmpdir(), "atomic-agent-bench-"))
}
try {
  const rows = await (against === undefined ? measure(bench) : compare(bench, against))
  const machine = {
    node: process.version,
    cpu: Os.cpus()[0]?.model,
    cores: Os.cpus().length,
    platform: process.platform
  }
  Fs.writeFileSync(Path.join(root, "bench.json"), `${JSON.stringify({ machine, rows }, null, 2)}\n`)
} finally {
  await server.end()
  Fs.rmSync(bench.folder, { recursive: true, force: true })
}
