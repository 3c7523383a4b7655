import * as Fs from "node:fs"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { check } from "../../src/testing/ContractChecker.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../../test/support/Bin.ts"
import { faultsOf } from "../../test/support/Schema.ts"
import { extensions } from "./Acts.ts"
import { Dice } from "./Dice.ts"
import { type Figure, quantile } from "./Figure.ts"
import { commandOf, until } from "./Processes.ts"
import { type End, endMs, ends, RandomHost } from "./RandomHost.ts"
import { answer } from "./RandomModel.ts"

/** What a busy machine may add to the time of an end, in milliseconds. */
const slackMs = 1500

interface Run {
  readonly faults: ReadonlyArray<string>
  readonly story: ReadonlyArray<string>
  readonly end: End
  readonly tookMs: number
  readonly turns: number
  readonly calls: number
  readonly questions: number
}

/** One conversation over the real bin with real tools, and how it ends. */
const run = async (seed: number): Promise<Run> => {
  const dice = new Dice(seed)
  const end = dice.one(ends)
  const faults: Array<string> = []
  const server = await LlamaServer.start()
  using dir = new StateDir({
    localModels: { url: server.url },
    agent: { approvalLevel: dice.one([1, 1, 4, 5]) },
    llama: { completionRetries: 0 },
    sidecar: { outputBufferBytes: dice.one([1000, 1_000_000]) }
  })
  const workingDir = Path.join(dir.path, "work")
  Fs.mkdirSync(workingDir)
  Fs.writeFileSync(Path.join(workingDir, "here.txt"), "here")
  server.answer(() => answer(dice, workingDir))
  using bin = new Bin(dir, { env: { RACES_MARK: workingDir } })
  const host = new RandomHost(bin, dice, workingDir)
  try {
    if (dice.chance(0.8)) host.post("hello", { extensions })
    const first = host.post("ping")
    host.post("start_session", { workingDir })
    // What a signal does before anyone reads is another matter.
    if (end.includes("SIG")) await bin.response(first)
    if (dice.chance(0.8)) await bin.event("session_started")
    for (let acts = dice.below(40); acts > 0; acts--) {
      host.act()
      await host.wait()
    }
    bin.child.stdout.resume()
    const from = performance.now()
    if (dice.chance(0.3)) await host.goOn(server)
    if (performance.now() - from > endMs + slackMs) faults.push("to cancel and to go on took too long")
  } catch (error) {
    faults.push(String(error))
  }
  const endedAt = performance.now()
  host.end(end)
  const exit = await Promise.race([
    bin.exited,
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 4 * endMs))
  ])
  const tookMs = performance.now() - endedAt
  if (exit === undefined) faults.push(`still there ${tookMs} ms after ${end}`)
  else if (tookMs > endMs + slackMs) faults.push(`gone only ${tookMs} ms after ${end}`)
  if (end === "SIGKILL") await until(() => host.left.length === 0, endMs)
  for (const pid of host.left) {
    faults.push(`left behind: ${commandOf(pid)}`)
    process.kill(pid, "SIGKILL")
  }
  if (end !== "SIGKILL" && exit !== undefined) {
    const isLate = tookMs >= endMs - 100
    const wanted = isLate && end.includes("SIG") ? [0, 143, 130] : [0]
    if (!wanted.includes(exit.code ?? -1)) faults.push(`exit ${exit.code ?? exit.signal} after ${tookMs} ms`)
  }
  const { frames, noise, requests, stderr } = bin
  if (stderr !== "" || noise.length > 0) faults.push(`stderr ${stderr}, noise ${noise.join()}`)
  const isWhole = end !== "SIGKILL" && end !== "stdout broken"
  for (const { at, rule } of check(frames, { requests, ended: isWhole })) faults.push(`frame ${at}: ${rule}`)
  for (const fault of faultsOf(frames, requests)) faults.push(String(fault))
  faults.push(...storedFaults(Path.join(dir.path, "sidecar.sqlite"), end))
  await server.stop()
  const count = (type: string) => frames.filter((frame) => frame.kind === "event" && frame.type === type).length
  const story = faults.length === 0 ? host.story : [...host.story, ...frames.map((frame) => JSON.stringify(frame))]
  const [turns, calls, questions] = [count("turn_started"), count("tool_call_started"), count("approval_request")]
  return { faults, story, end, tookMs, turns, calls, questions }
}

/** A whole database, and no session that says it runs, unless there was no time to say that it does not. */
const storedFaults = (filename: string, end: End): ReadonlyArray<string> => {
  if (!Fs.existsSync(filename)) return []
  const database = new DatabaseSync(filename)
  try {
    const faults: Array<string> = []
    const whole = database.prepare("PRAGMA integrity_check").get()?.["integrity_check"]
    if (whole !== "ok") faults.push(`the database: ${String(whole)}`)
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE name = 'sessions'").all()
    if (end === "SIGKILL" || tables.length === 0) return faults
    for (const { id, status } of database.prepare("SELECT id, status FROM sessions").all()) {
      if (status === "running" || status === "awaiting_approval") faults.push(`${String(id)} is stored as ${status}`)
    }
    return faults
  } finally {
    database.close()
  }
}

export interface RealToolsOptions {
  readonly runs: number
  /** The same seed throws the same dice; what the clock adds is its own. */
  readonly seed: number
  readonly onRun?: () => void
}

/** So many conversations with tools and questions, cancelled, steered, replaced and ended at random moments. */
export const realTools = async ({ onRun, runs, seed }: RealToolsOptions): Promise<ReadonlyArray<Figure>> => {
  const done: Array<Run> = []
  for (let index = 0; index < runs; index++) {
    const one = await run(seed + index)
    done.push(one)
    if (one.faults.length > 0) {
      const again = `npm run races -- tools --runs 1 --seed ${seed + index}`
      const ended = `ended by ${one.end}, gone after ${one.tookMs} ms`
      throw new Error([...one.faults, ended, "", ...one.story, "", `Again: ${again}`].join("\n"))
    }
    onRun?.()
  }
  const sum = (of: (run: Run) => number) => done.reduce((total, run) => total + of(run), 0)
  const counts = [sum((run) => run.turns), sum((run) => run.calls), sum((run) => run.questions)]
  const took = done.filter(({ end }) => end !== "SIGKILL").map(({ tookMs }) => tookMs)
  return [
    { name: "conversations with tools, without a breach", value: runs, unit: `seed ${seed}` },
    { name: "  turns, calls, questions in them", value: counts.join(", "), unit: "" },
    { name: "  from the word to the end, p50", value: quantile(took, 0.5), unit: "ms" },
    { name: "  from the word to the end, most", value: Math.max(...took), unit: "ms" }
  ]
}
