import { check as checkContract } from "../../../src/testing/ContractChecker.ts"
import { eventsOf, exchangesOf, failureOf, type Run } from "../runs/HostRun.ts"
import { badLineErrors, check, inWords } from "../runs/RunChecker.ts"
import { schemaFaults } from "../Schema.ts"
import type { Lived } from "./Life.ts"
import type { End } from "./Plan.ts"

/** What an end may take, in milliseconds: the three seconds of contract 10, and what a busy machine adds. */
const longestEnd = 4500
/** Processor time of an end, in milliseconds. */
const mostUsed = 2000

/** All that is wrong with a life, in words; nothing, where it kept the contract. */
export const judge = (lived: Lived): ReadonlyArray<string> => {
  const { invalid } = lived.plan.settings
  return [
    ...lived.wrong,
    ...(invalid === undefined ? [...frames(lived), ...exit(lived)] : refusal(lived)),
    ...schemaFaults(lived.frames, lived.posted),
    ...lived.noise.map((line) => `a line that is no JSON: ${line.slice(0, 200)}`),
    ...(lived.stderr === "" ? [] : [`stderr: ${lived.stderr.slice(0, 2000)}`]),
    ...lived.leftovers.map((command) => `left behind: ${command.slice(0, 200)}`)
  ]
}

const frames = (lived: Lived): ReadonlyArray<string> => {
  const { frames, posted } = lived
  // What had not been written to the pipe whole was never read.
  if (!lived.isWhole) return checkContract(frames, { requests: posted }).map(inWords)
  const run = {
    posted,
    frames,
    badLines: lived.badLines,
    cancelsMayTimeOut: mayHaveWaited(lived),
    hasStoreFailed: storeFailedAt(lived) < frames.length
  }
  return check(lived.plan.end.startsWith("SIG") ? asRead(run) : run)
}

/**
 * A signal may come before what was written is read. What was not read needs no answer, and what was read after the
 * signal is refused.
 */
const asRead = (run: Run): Run => {
  const exchanges = exchangesOf(run)
  const indexOf = (last: { readonly id: string } | undefined) => run.posted.findIndex(({ id }) => id === last?.id)
  const lastServed = indexOf(exchanges.findLast((exchange) => failureOf(exchange) !== "shutting down"))
  const lastRead = indexOf(exchanges.at(-1))
  return {
    ...run,
    posted: run.posted.slice(0, lastRead + 1).map((each, at) => ({ ...each, isLate: at > lastServed, isLost: false })),
    badLines: Math.min(badLineErrors(run.frames), run.badLines)
  }
}

/**
 * A cancel is answered after two seconds, whatever is left: what may have kept it waiting is known, how long it took is
 * not.
 */
const mayHaveWaited = ({ frames, plan, wasStopped }: Lived): boolean =>
  wasStopped ||
  plan.steps.some(({ act }) => act.do === "lock") ||
  eventsOf(frames, "tool_call_started").some(({ tool }) => slow.has(tool))

const slow = new Set(["shell.run", "skill.run_script"])

/** The index of the frame by which the database has failed; the number of frames, if it never did. */
export const storeFailedAt = ({ frames, isCorrupted }: Pick<Lived, "frames" | "isCorrupted">): number => {
  if (isCorrupted) return 0
  const at = frames.findIndex(
    (frame) =>
      frame.kind === "event" &&
      frame.type === "log" &&
      frame.payload.level === "error" &&
      /in memory|was renamed to/.test(frame.payload.message)
  )
  return at === -1 ? frames.length : at
}

const exit = (lived: Lived): ReadonlyArray<string> => {
  const { code, heldMs, plan, signal, tookMs, usedMs } = lived
  if (tookMs === undefined) return [`it did not end after: ${plan.end}`]
  const wrong: Array<string> = []
  const wanted: ReadonlyArray<unknown> = plan.end.startsWith("SIGKILL") ? ["SIGKILL"] : [0, ...late(plan.end, tookMs)]
  if (!wanted.includes(signal ?? code)) wrong.push(`exit ${signal ?? code} after: ${plan.end}`)
  if (tookMs - heldMs > longestEnd) wrong.push(`it took ${Math.round(tookMs)} ms to end after: ${plan.end}`)
  if (usedMs > mostUsed) wrong.push(`it used ${usedMs} ms of processor time to end after: ${plan.end}`)
  return wrong
}

/** What it may exit with once its three seconds are over. */
const late = (end: End, tookMs: number): ReadonlyArray<number> => {
  if (tookMs < 2900) return []
  if (end.startsWith("SIGTERM")) return [143]
  return end === "SIGINT" ? [130] : end === "SIGHUP" ? [129] : []
}

const refusal = ({ code, frames, signal }: Lived): ReadonlyArray<string> => {
  const [frame] = frames
  const isRefused = frame?.kind === "event" && frame.type === "error" && frame.payload.code === "config_invalid"
  const wrong = isRefused && frames.length === 1 ? [] : [`${frames.length} frames for an invalid configuration`]
  return code === 78 ? wrong : [...wrong, `exit ${signal ?? code} for an invalid configuration`]
}
