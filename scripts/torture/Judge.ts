import { check } from "../../src/testing/ContractChecker.ts"
import { faultsOf } from "../../test/support/Schema.ts"
import { eventsOf, exchangesOf, messageOf } from "../races/Exchanges.ts"
import { inWords, judge as judgePlayed } from "../races/Oracle.ts"
import type { Played, Posted } from "../races/Play.ts"
import type { Lived } from "./Life.ts"
import type { End } from "./Plan.ts"

/** What an end may take, in milliseconds: the three seconds of contract 10, and what a busy machine adds. */
const longestEnd = 5000
/** Processor time of an end, in milliseconds. */
const mostUsed = 2000

/** All that is wrong with a life, in words; nothing, where it kept the contract. */
export const judge = (lived: Lived): ReadonlyArray<string> => {
  const { invalid } = lived.plan.settings
  return [
    ...lived.wrong,
    ...(invalid === undefined ? [...frames(lived), ...exit(lived)] : refusal(lived)),
    ...faultsOf(lived.frames, lived.posted).map((fault) => `schema: frame ${fault}`),
    ...lived.noise.map((line) => `a line that is no JSON: ${line.slice(0, 200)}`),
    ...(lived.stderr === "" ? [] : [`stderr: ${lived.stderr.slice(0, 2000)}`]),
    ...lived.leftovers.map((command) => `left behind: ${command.slice(0, 200)}`)
  ]
}

const frames = (lived: Lived): ReadonlyArray<string> => {
  const { frames, posted } = lived
  // What had not been written to the pipe whole was never read.
  if (!lived.isWhole) return check(frames, { requests: posted }).map(inWords)
  return judgePlayed(playedFrom(lived))
}

/** As a played plan, so that it is judged by the same rules. */
const playedFrom = (lived: Lived): Played => {
  const { badLines, frames } = lived
  const unsettled: Played = {
    posted: lived.posted,
    frames,
    badLines,
    hasTimePassed: true,
    hasStoreFailed: storeFailedAt(lived) < frames.length,
    stuck: []
  }
  const posted = wereRead(lived, unsettled)
  return {
    ...unsettled,
    posted,
    badLines: badLinesRead(lived),
    hasTimePassed: mayHaveWaited(lived)
  }
}

/** A signal may come before what was written is read: what was not, need not be answered, and what just was, is refused. */
const wereRead = (lived: Lived, played: Played): ReadonlyArray<Posted> => {
  if (!lived.plan.end.startsWith("SIG")) return lived.posted
  const exchanges = exchangesOf(played)
  const served = exchanges.filter((exchange) => messageOf(exchange) !== "shutting down").at(-1)?.id
  const read = exchanges.at(-1)?.id
  const lastServed = lived.posted.findIndex(({ id }) => id === served)
  const lastRead = lived.posted.findIndex(({ id }) => id === read)
  return lived.posted.map((each, at) => ({ ...each, isLate: at > lastServed, isLost: at > lastRead }))
}

/** Bad lines too may not have been read when a signal came: then no more are told than there were. */
const badLinesRead = ({ badLines, frames, plan }: Lived): number => {
  if (!plan.end.startsWith("SIG")) return badLines
  const told = eventsOf(frames, "error").filter(({ payload }) => badLineCodes.has(payload.code ?? "")).length
  return Math.min(told, badLines)
}

const badLineCodes = new Set(["parse_error", "invalid_frame"])

/** A cancel is answered after two seconds, whatever is left: how long one took cannot be told, what it may wait for can. */
const mayHaveWaited = ({ frames, plan, wasStopped }: Lived): boolean =>
  wasStopped ||
  plan.acts.some(({ act }) => act.do === "lock") ||
  eventsOf(frames, "tool_call_started").some(({ payload }) => slow.has(payload.tool))

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
  const found: Array<string> = []
  const wanted: ReadonlyArray<unknown> = plan.end.startsWith("SIGKILL") ? ["SIGKILL"] : [0, ...late(plan.end, tookMs)]
  if (!wanted.includes(signal ?? code)) found.push(`exit ${signal ?? code} after: ${plan.end}`)
  if (tookMs - heldMs > longestEnd) found.push(`it took ${Math.round(tookMs)} ms to end after: ${plan.end}`)
  if (usedMs > mostUsed) found.push(`it used ${usedMs} ms of processor time to end after: ${plan.end}`)
  return found
}

/** What it may exit with once its three seconds are over. */
const late = (end: End, tookMs: number): ReadonlyArray<number> => {
  if (tookMs < 2900) return []
  if (end.startsWith("SIGTERM")) return [143]
  return end === "SIGINT" ? [130] : end === "SIGHUP" ? [129] : []
}

const refusal = ({ code, frames, signal }: Lived): ReadonlyArray<string> => {
  const [frame] = frames
  const isTold = frame?.kind === "event" && frame.type === "error" && frame.payload.code === "config_invalid"
  const found = isTold && frames.length === 1 ? [] : [`${frames.length} frames for an invalid configuration`]
  return code === 78 ? found : [...found, `exit ${signal ?? code} for an invalid configuration`]
}
