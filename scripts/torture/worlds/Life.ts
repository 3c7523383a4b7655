import { once } from "node:events"
import * as Fs from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { SidecarFrame } from "../../../src/protocol/Frame.ts"
import type { SessionState } from "../../../src/protocol/SessionState.ts"
import type { PostedRequest } from "../runs/HostRun.ts"
import { commandOf, kill, processorMs, until } from "../../../src/testing/Processes.ts"
import type { Host } from "./Host.ts"
import type { End, LifePlan } from "./Plan.ts"

/** All that came of one process. */
export interface Lived {
  readonly plan: LifePlan
  readonly posted: ReadonlyArray<PostedRequest>
  readonly frames: ReadonlyArray<SidecarFrame>
  readonly badLines: number
  readonly noise: ReadonlyArray<string>
  readonly stderr: string
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Milliseconds from the sign to the end; undefined if it did not end, and was killed. */
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
  /** The command lines of what it started and did not end. */
  readonly leftovers: ReadonlyArray<string>
}

/** A process that has not ended after so many milliseconds never will. */
const patience = 60_000
/** How long what it had started may outlive it, in milliseconds. */
const grace = 3000

/** Plays a life from its first request to its last process; `more` comes before its end. */
export const live = async (
  host: Host,
  plan: LifePlan,
  sessions: ReadonlyArray<string>,
  more: (host: Host) => Promise<void>
): Promise<Lived> => {
  const { sidecar } = host
  const exited = once(sidecar.child, "exit")
  const isValid = plan.settings.invalid === undefined
  if (isValid) {
    await play(host, plan, sessions)
    await more(host)
    // A managed model server lives on.
    if (plan.cancels && plan.settings.mode !== "managed") await host.cancelAll()
    if (plan.end.startsWith("settled")) {
      await host.settle()
      await host.goOn()
      await host.checkIdle()
    }
    await sleep(plan.endsAfterMs)
    if (!plan.end.startsWith("SIGKILL")) await host.flushed
  }
  const before = processorMs(sidecar.pid) ?? 0
  let usedMs = 0
  const from = performance.now()
  const waitedBefore = processorWaitMs()
  if (isValid) await end(host, plan.end)
  const took = await until(() => {
    usedMs = Math.max(usedMs, (processorMs(sidecar.pid) ?? 0) - before)
    return sidecar.hasExited
  }, patience)
  const tookMs = took === undefined ? undefined : performance.now() - from
  const heldMs = processorWaitMs() - waitedBefore
  if (took === undefined) sidecar.child.kill("SIGKILL")
  await exited
  sidecar.child.stdout.resume()
  const isClosed = await Promise.race([sidecar.exited.then(() => true), sleep(2000, false)])
  await until(() => host.started.length === 0, grace)
  const leftovers = host.started.map((pid) => {
    const command = commandOf(pid)
    kill(pid)
    return command
  })
  await host.unlocked()
  const { frames, noise, stderr } = sidecar
  const { exitCode: code, signalCode: signal } = sidecar.child
  const { badLines, isCorrupted, posted, wasStopped, wrong } = host
  const isWhole = isClosed && !cuts.has(plan.end) && (tookMs ?? Infinity) < 2900
  return {
    plan,
    posted,
    frames,
    badLines,
    noise,
    stderr,
    code,
    signal,
    tookMs,
    heldMs,
    usedMs,
    isWhole,
    wasStopped,
    isCorrupted,
    wrong,
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
  for (const { act, wait } of plan.steps) {
    await host.play(act)
    await host.wait(wait)
  }
}

const begin = async (host: Host, plan: LifePlan, sessions: ReadonlyArray<string>): Promise<void> => {
  const sessionId = plan.resumes && plan.extensions.includes("sessions") ? sessions.at(-1) : undefined
  const isEarly = plan.steps.length === 0
  const hello = isEarly
    ? host.post("hello", { extensions: plan.extensions })
    : await host.request("hello", { extensions: plan.extensions })
  if (hello === undefined) return
  if (sessionId === undefined) return host.act({ do: "start", where: "good", withMetadata: false })
  // A process that is killed while it starts need not have answered anything.
  if (isEarly) return void host.post("resume_session", { sessionId })
  const resumed = await host.request("resume_session", { sessionId })
  const got = await host.request("get_session", { sessionId })
  if (resumed?.kind !== "response" || !resumed.ok || got?.kind !== "response" || !got.ok) {
    if (plan.isResumable) host.wrong.push(`session ${sessionId} is not taken up: ${JSON.stringify([resumed, got])}`)
    return
  }
  const { lastError, status } = got.payload as SessionState
  if (status === "running" || status === "awaiting_approval") host.wrong.push(`a resumed session is ${status}`)
  if (status === "cancelled" && lastError === "") host.wrong.push("a cancelled session has an empty lastError")
  if (!plan.isResumable) return
  const isRight =
    status === "cancelled" ? /interrupted/.test(String(lastError)) : status === "pending" && lastError === null
  if (!isRight) host.wrong.push(`a session of a killed process is ${status}: ${lastError}`)
}

const end = async (host: Host, how: End): Promise<void> => {
  const { child } = host.sidecar
  const shutDown = () => {
    host.post("shutdown")
    host.mayBeUnread = true
    host.post("ping")
    return host.flushed
  }
  if (how !== "end of input, unread") child.stdout.resume()
  switch (how) {
    case "settled shutdown":
    case "shutdown":
      return void shutDown()
    case "end of input after shutdown":
      await shutDown()
      return void child.stdin.end()
    case "SIGTERM after shutdown":
      await shutDown()
      return void child.kill("SIGTERM")
    case "settled end of input":
    case "end of input":
    case "end of input, unread":
      // A late answer would be written into what has ended.
      host.close()
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
      // It can only notice when it writes.
      host.post("ping")
      return void host.flushed
    case "all pipes closed":
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
      return
    default:
      return void child.kill(how)
  }
}

/** Milliseconds so far in which somebody had to wait for a processor; 0 where the system does not say. */
const processorWaitMs = (): number => {
  try {
    return Number(/^some .*total=(\d+)$/m.exec(Fs.readFileSync("/proc/pressure/cpu", "latin1"))?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}
