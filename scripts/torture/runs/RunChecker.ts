import type { SidecarFrame } from "../../../src/protocol/Frame.ts"
import { check as checkContract, type Violation } from "../../../src/testing/ContractChecker.ts"
import { type Exchange, eventsOf, exchangesOf, failureOf, lastMessage, resultOf, type Run } from "./HostRun.ts"
import { stateViolations } from "./SessionStateChecker.ts"

/**
 * Checks a whole run: what `ContractChecker` checks, and besides what can only be known with the payloads of the requests.
 * A message is played once, a cancel counts what it ended, an approval has the outcome of its answer, and the sessions
 * that `get_session` returns at the end are what the events said. An empty list: no breach.
 */
export const check = (run: Run): ReadonlyArray<string> => {
  const exchanges = exchangesOf(run)
  const answered = new Set(exchanges.map(({ id }) => id))
  const requests = run.posted.filter(({ id, isLost }) => !isLost || answered.has(id))
  return [
    ...checkContract(run.frames, { requests, ended: true }).map(inWords),
    ...lateRequests(exchanges),
    ...run.posted.flatMap(({ id, type }) => (type === "send_message" ? message(id, exchanges, run) : [])),
    ...cancels(exchanges, run),
    ...steers(exchanges, run),
    ...approvals(exchanges, run),
    ...badLines(run),
    ...last(exchanges, run),
    ...stateViolations(exchanges, run)
  ]
}

export const inWords = ({ at, rule }: Violation): string => `frame ${at}: ${rule}`

/** A line that is no request gets an `error` event with one of these codes. */
export const badLineErrors = (frames: ReadonlyArray<SidecarFrame>): number =>
  eventsOf(frames, "error").filter(({ code }) => code === "parse_error" || code === "invalid_frame").length

/** What was sent after the end is refused, and nothing else is. */
const lateRequests = (exchanges: ReadonlyArray<Exchange>) =>
  exchanges.flatMap((exchange) => {
    const isRefused = failureOf(exchange) === "shutting down"
    if (isRefused === exchange.isLate) return []
    return [`${exchange.type} ${exchange.id} was ${isRefused ? "refused" : "served"}, late: ${exchange.isLate}`]
  })

/** Requests that end the messages sent before them. */
const enders = new Set(["cancel", "unqueue", "start_session", "resume_session", "shutdown"])
/** Requests that wait for the running turn, and also end the messages sent after them. */
const starters = new Set(["start_session", "resume_session"])

const hasInputEnded = ({ posted }: Run) =>
  !posted.some(({ payload, type }) => type === "shutdown" || payload["text"] === lastMessage)

/** A message is played once or not at all, and is cancelled only if somebody asked for it afterwards. */
const message = (id: string, exchanges: ReadonlyArray<Exchange>, run: Run): ReadonlyArray<string> => {
  const index = exchanges.findIndex((exchange) => exchange.id === id)
  const sent = exchanges[index]
  if (sent === undefined) return []
  const reason = resultOf(sent)["reason"]
  // Half of a character is read as U+FFFD.
  const played = String(sent.payload["text"]).toWellFormed()
  const times = eventsOf(run.frames, "user_message").filter(({ text }) => text === played).length
  if (times > 1) return [`message ${id} was played ${times} times`]
  if (!sent.response.ok) return times === 0 ? [] : [`message ${id} was played and refused`]
  if (reason !== "cancelled") return times === 1 ? [] : [`message ${id} ended ${String(reason)} and was not played`]
  const wasEnded = exchanges.some(
    ({ answeredAt, type }, place) =>
      (place > index && enders.has(type)) || (starters.has(type) && answeredAt >= sent.at)
  )
  return wasEnded || hasInputEnded(run) ? [] : [`message ${id} was cancelled, and nobody had asked for it`]
}

/** A cancel is answered after the messages that it ended, and all cancels together count those that were cancelled. */
const cancels = (exchanges: ReadonlyArray<Exchange>, run: Run): ReadonlyArray<string> => {
  if (run.cancelsMayTimeOut) return []
  const wrong = exchanges.flatMap((cancel, index) => {
    if (cancel.type !== "cancel" || resultOf(cancel)["cancelled"] !== true) return []
    return exchanges
      .slice(0, index)
      .filter(({ payload, type }) => type === "send_message" && payload["sessionId"] === cancel.payload["sessionId"])
      .filter(({ answeredAt }) => answeredAt > cancel.answeredAt)
      .map(({ id }) => `cancel ${cancel.id} was answered before ${id}`)
  })
  const hasMoved =
    exchanges.filter(({ type }) => starters.has(type)).length > 1 || exchanges.some(({ isLate }) => isLate)
  if (hasMoved || exchanges.some(({ type }) => type === "shutdown") || hasInputEnded(run)) return wrong
  const results = (type: string) => exchanges.filter((each) => each.type === type).map(resultOf)
  const ended = results("send_message").filter(({ reason }) => reason === "cancelled").length
  const removed = results("unqueue").filter(({ removed }) => removed === true).length
  const counted = results("cancel").reduce((sum, { turns }) => sum + Number(turns ?? 0), 0)
  if (ended === removed + counted) return wrong
  return [
    ...wrong,
    `${ended} messages were cancelled; cancels count ${counted}, and ${removed} were taken out of the queue`
  ]
}

/** A steer that was accepted is applied or undelivered, once. */
const steers = (exchanges: ReadonlyArray<Exchange>, { frames }: Run) => {
  const fates = [...eventsOf(frames, "steer_applied"), ...eventsOf(frames, "steer_undelivered")].map(({ text }) => text)
  return exchanges.flatMap((exchange) => {
    if (exchange.type !== "steer_message") return []
    const count = fates.filter((text) => text === exchange.payload["text"]).length
    const expected = resultOf(exchange)["steered"] === true ? 1 : 0
    return count === expected ? [] : [`steer ${exchange.id} has ${count} fates, and not ${expected}`]
  })
}

/** One answer resolves an approval, and its outcome is that of this answer. */
const approvals = (exchanges: ReadonlyArray<Exchange>, { frames }: Run) => {
  const answers = Map.groupBy(
    exchanges.filter(({ type }) => type === "approval_response"),
    ({ payload }) => payload["approvalId"] as string
  )
  return [...answers].flatMap(([id, given]) => {
    const resolving = given.filter((answer) => resultOf(answer)["resolved"] === true)
    if (resolving.length > 1) return [`approval ${id} was resolved ${resolving.length} times`]
    const outcome = eventsOf(frames, "approval_resolved").find(({ approvalId }) => approvalId === id)?.outcome
    const [answer] = resolving
    if (outcome === undefined) return []
    const expected = answer === undefined ? "withdrawn" : answer.payload["approved"] === true ? "approved" : "denied"
    return outcome === expected ? [] : [`approval ${id} is ${outcome}, and its answer made it ${expected}`]
  })
}

const badLines = ({ badLines, frames }: Run) => {
  const errors = badLineErrors(frames)
  return errors === badLines ? [] : [`${badLines} bad lines, and ${errors} errors`]
}

const last = (exchanges: ReadonlyArray<Exchange>, { posted }: Run) => {
  if (!posted.some(({ payload }) => payload["text"] === lastMessage)) return []
  const sent = exchanges.find(({ payload }) => payload["text"] === lastMessage)
  const reason = sent === undefined ? "no answer" : (resultOf(sent)["reason"] ?? failureOf(sent))
  return reason === "reply" ? [] : [`the last message ended with ${String(reason)}`]
}
