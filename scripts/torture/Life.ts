import { once } from "node:events"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { SessionState } from "../../src/protocol/SessionState.ts"
import type { Posted } from "../races/Play.ts"
import { processorMs, until } from "../races/Processes.ts"
import type { Host } from "./Host.ts"
import * as Leftovers from "./Leftovers.ts"
import { waitedMs } from "./Load.ts"
import type { End, LifePlan } from "./Plan.ts"

/** All that came of one process. */
export interface Lived {
  readonly plan: LifePlan
  readonly posted: ReadonlyArray<Posted>
  readonly frames: ReadonlyArray<SidecarFrame>
  readonly badLines: number
  readonly noise: ReadonlyArray<string>
  readonly stderr: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Milliseconds from the sign to the end; undefined: it did not end, and was killed. */
  readonly tookMs: number | undefined
  /** Milliseconds of them in which somebody had to wait for a processor: an overloaded machine proves nothing. */
  readonly heldMs: number
  /** Processor time in it, in milliseconds. */
  readonly usedMs: number
  /** Everything that it wrote has been read. */
  readonly isWhole: boolean
  readonly wasStopped: boolean
  readonly isCorrupted: boolean
  /** What only showed while it happened. */
  readonly wrong: ReadonlyArray<string>
  /** What it started and did not end. */
  readonly leftovers: ReadonlyArray<string>
}

/** A process that has not ended by then never will, in milliseconds. */
const patience = 60_000
/** How long what it had started may outlive it, in milliseconds. */
const mourning = 3000

/** Plays a life from its first request to its last process; `more` comes before its end. */
export const live = async (
  host: Host,
  mark: string,
  plan: LifePlan,
  sessions: ReadonlyArray<string>,
  more: (host: Host) => Promise<void>
): Promise<Lived> => {
  const { bin } = host
  const exited = once(bin.child, "exit")
  if (plan.settings.invalid === undefined) {
    await play(host, plan, sessions)
    await more(host)
    if (plan.end.startsWith("settled")) {
      await host.settle()
      await host.goOn()
      await host.looksIdle()
    }
    await new Promise((resolve) => setTimeout(resolve, plan.endsAfterMs))
    if (!plan.end.startsWith("SIGKILL")) await host.flushed
  }
  const before = processorMs(bin.pid) ?? 0
  let usedMs = 0
  const from = performance.now()
  const waitedBefore = waitedMs()
  if (plan.settings.invalid === undefined) end(host, plan.end)
  const took = await until(() => {
    usedMs = Math.max(usedMs, (processorMs(bin.pid) ?? 0) - before)
    return bin.child.exitCode !== null || bin.child.signalCode !== null
  }, patience)
  const tookMs = took === undefined ? undefined : performance.now() - from
  const heldMs = waitedMs() - waitedBefore
  if (took === undefined) bin.child.kill("SIGKILL")
  await exited
  bin.child.stdout.resume()
  const closed = await Promise.race([
    bin.exited.then(() => true),
    new Promise((resolve) => setTimeout(resolve, 2000, false))
  ])
  const leftovers = await leftBy(mark)
  await host.unlocked()
  const { exitCode: code, signalCode: signal } = bin.child
  const { badLines, isCorrupted, posted, wasStopped } = host
  return {
    plan,
    posted,
    frames: bin.frames,
    badLines,
    noise: bin.noise,
    stderr: bin.stderr,
    code,
    signal,
    tookMs,
    heldMs,
    usedMs,
    isWhole: closed === true && !cuts.has(plan.end) && (tookMs ?? Infinity) < 2900,
    wasStopped,
    isCorrupted,
    wrong: host.wrong,
    leftovers
  }
}

/** After these not all was read that was written. */
const cuts: ReadonlySet<End> = new Set<End>([
  "end of input, unread",
  "SIGKILL",
  "SIGKILL in a line",
  "stdout closed",
  "all pipes closed"
])

/** Takes up a session, and does what the plan says. */
export const play = async (host: Host, plan: LifePlan, sessions: ReadonlyArray<string>): Promise<void> => {
  await begin(host, plan, sessions)
  for (const { act, wait } of plan.acts) {
    await host.act(act)
    await host.wait(wait)
  }
}

const begin = async (host: Host, plan: LifePlan, sessions: ReadonlyArray<string>): Promise<void> => {
  // A process that is killed while it starts need not have answered anything.
  if (plan.acts.length === 0) return void host.post("ping")
  await host.request("hello", { extensions: plan.extensions })
  const sessionId = plan.resumes && plan.extensions.includes("sessions") ? sessions.at(-1) : undefined
  if (sessionId !== undefined) {
    const resumed = await host.request("resume_session", { sessionId })
    const found = await host.request("get_session", { sessionId })
    if (resumed?.kind !== "response" || !resumed.ok || found?.kind !== "response" || !found.ok) return
    const { lastError, status } = found.payload as SessionState
    if (status === "running" || status === "awaiting_approval") host.wrong.push(`a resumed session is ${status}`)
    if (status === "cancelled" && lastError === "") host.wrong.push("a cancelled session has an empty lastError")
    return
  }
  host.post("start_session", { workingDir: host.workingDir })
}

const end = (host: Host, how: End): void => {
  const { child } = host.bin
  if (how !== "end of input, unread") child.stdout.resume()
  switch (how) {
    case "settled shutdown":
    case "shutdown":
      host.post("shutdown")
      host.post("ping")
      return void host.flushed
    case "settled end of input":
    case "end of input":
    case "end of input, unread":
      // A late answer would be written into what has ended.
      host.isEnding = true
      if (how === "end of input, unread") child.stdout.pause()
      return void child.stdin.end()
    case "SIGTERM twice":
      child.kill("SIGTERM")
      return void child.kill("SIGTERM")
    case "SIGKILL in a line":
      child.stdin.write(`{"kind":"request","id":"cut","ty`)
      return void child.kill("SIGKILL")
    case "stdout closed":
      child.stdout.destroy()
      // It can only tell when it writes.
      host.post("ping")
      return void host.flushed
    case "all pipes closed":
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
      return
    default:
      return void child.kill(how)
  }
}

const leftBy = async (mark: string): Promise<ReadonlyArray<string>> => {
  await until(() => Leftovers.marked(mark).length === 0, mourning)
  return Leftovers.marked(mark).map((pid) => {
    const command = Leftovers.commandOf(pid)
    Leftovers.end(pid)
    return command
  })
}
