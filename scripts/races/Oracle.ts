import { check, type Violation } from "../../src/testing/ContractChecker.ts"
import { type Exchange, eventsOf, exchangesOf, messageOf, resultOf } from "./Exchanges.ts"
import type { Played } from "./Play.ts"
import { stored } from "./Stored.ts"

/** All that is wrong with what was played, in words; nothing, where it kept the contract. */
export const judge = (played: Played): ReadonlyArray<string> => {
  const exchanges = exchangesOf(played)
  const answered = new Set(exchanges.map(({ id }) => id))
  const requests = played.posted.filter(({ id, isLost }) => !isLost || answered.has(id))
  return [
    ...played.stuck,
    ...check(played.frames, { requests, ended: true }).map(inWords),
    ...late(exchanges),
    ...played.posted.filter(({ type }) => type === "send_message").flatMap(({ id }) => message(id, exchanges, played)),
    ...cancels(exchanges, played),
    ...steers(exchanges, played),
    ...approvals(exchanges, played),
    ...badLines(played),
    ...last(exchanges, played),
    ...stored(exchanges, played)
  ]
}

/** A breach of the contract in words. */
export const inWords = ({ at, rule }: Violation): string => `frame ${at}: ${rule}`

/** What was sent after the end is refused, and nothing else is. */
const late = (exchanges: ReadonlyArray<Exchange>) =>
  exchanges.flatMap((exchange) => {
    const isRefused = messageOf(exchange) === "shutting down"
    if (isRefused === exchange.isLate) return []
    return [`${exchange.type} ${exchange.id} was ${isRefused ? "refused" : "served"}, late: ${exchange.isLate}`]
  })

/** They end the messages that were sent before them. */
const enders = new Set(["cancel", "unqueue", "start_session", "resume_session", "shutdown"])
/** They wait their turn, and end what came after them too. */
const starters = new Set(["start_session", "resume_session"])

const hasInputEnded = ({ posted }: Played) =>
  !posted.some(({ payload, type }) => type === "shutdown" || payload["text"] === "the last one")

/** A message is played once or not at all, and is cancelled only where somebody asked for it afterwards. */
const message = (id: string, exchanges: ReadonlyArray<Exchange>, played: Played): ReadonlyArray<string> => {
  const index = exchanges.findIndex((exchange) => exchange.id === id)
  const sent = exchanges[index]
  if (sent === undefined) return []
  const reason = resultOf(sent)["reason"]
  const text = sent.payload["text"]
  const times = eventsOf(played.frames, "user_message").filter(({ payload }) => payload.text === text).length
  if (times > 1) return [`message ${id} was played ${times} times`]
  if (!sent.response.ok) return times === 0 ? [] : [`message ${id} was played and refused`]
  if (reason !== "cancelled") return times === 1 ? [] : [`message ${id} ended ${String(reason)} and was not played`]
  const wasEnded = exchanges.some(
    ({ answeredAt, type }, place) =>
      (place > index && enders.has(type)) || (starters.has(type) && answeredAt >= sent.at)
  )
  return wasEnded || hasInputEnded(played) ? [] : [`message ${id} was cancelled, and nobody had asked for it`]
}

const cancels = (exchanges: ReadonlyArray<Exchange>, played: Played): ReadonlyArray<string> => {
  // After two seconds a cancel is answered, whatever is left.
  if (played.hasTimePassed) return []
  const found: Array<string> = []
  for (const [index, cancel] of exchanges.entries()) {
    if (cancel.type !== "cancel" || resultOf(cancel)["cancelled"] !== true) continue
    for (const sent of exchanges.slice(0, index)) {
      if (sent.type !== "send_message" || sent.payload["sessionId"] !== cancel.payload["sessionId"]) continue
      if (sent.answeredAt > cancel.answeredAt) found.push(`cancel ${cancel.id} was answered before ${sent.id}`)
    }
  }
  const hasMoved =
    exchanges.filter(({ type }) => starters.has(type)).length > 1 || exchanges.some(({ isLate }) => isLate)
  if (hasMoved || exchanges.some(({ type }) => type === "shutdown") || hasInputEnded(played)) return found
  const ended = exchanges.filter(
    (sent) => sent.type === "send_message" && resultOf(sent)["reason"] === "cancelled"
  ).length
  const removed = exchanges.filter(
    (unqueue) => unqueue.type === "unqueue" && resultOf(unqueue)["removed"] === true
  ).length
  const counted = exchanges.reduce(
    (sum, cancel) => sum + (cancel.type === "cancel" ? Number(resultOf(cancel)["turns"] ?? 0) : 0),
    0
  )
  if (ended !== removed + counted) {
    found.push(`${ended} messages were cancelled; cancels say ${counted}, and ${removed} were taken out of the queue`)
  }
  return found
}

const steers = (exchanges: ReadonlyArray<Exchange>, { frames }: Played) => {
  const fates = [...eventsOf(frames, "steer_applied"), ...eventsOf(frames, "steer_undelivered")].map(
    ({ payload }) => payload.text
  )
  return exchanges.flatMap((exchange) => {
    if (exchange.type !== "steer_message") return []
    const count = fates.filter((text) => text === exchange.payload["text"]).length
    const wanted = resultOf(exchange)["steered"] === true ? 1 : 0
    return count === wanted ? [] : [`steer ${exchange.id} has ${count} fates, and not ${wanted}`]
  })
}

const approvals = (exchanges: ReadonlyArray<Exchange>, { frames }: Played) => {
  const answers = Map.groupBy(
    exchanges.filter(({ type }) => type === "approval_response"),
    ({ payload }) => payload["approvalId"] as string
  )
  return [...answers].flatMap(([id, given]) => {
    const resolving = given.filter((answer) => resultOf(answer)["resolved"] === true)
    if (resolving.length > 1) return [`approval ${id} was resolved ${resolving.length} times`]
    const told = eventsOf(frames, "approval_resolved").find(({ payload }) => payload.approvalId === id)?.payload.outcome
    const [answer] = resolving
    if (told === undefined) return []
    const wanted = answer === undefined ? "withdrawn" : answer.payload["approved"] === true ? "approved" : "denied"
    return told === wanted ? [] : [`approval ${id} is told ${told}, and the answer made it ${wanted}`]
  })
}

const badLines = ({ badLines, frames }: Played) => {
  const told = eventsOf(frames, "error").filter(
    ({ payload }) => payload.code === "parse_error" || payload.code === "invalid_frame"
  ).length
  return told === badLines ? [] : [`${badLines} bad lines, and ${told} errors`]
}

/** The message that is sent when all is over. */
const last = (exchanges: ReadonlyArray<Exchange>, { posted }: Played) => {
  if (!posted.some(({ payload }) => payload["text"] === "the last one")) return []
  const sent = exchanges.find(({ payload }) => payload["text"] === "the last one")
  const reason = sent === undefined ? "no answer" : (resultOf(sent)["reason"] ?? messageOf(sent))
  return reason === "reply" ? [] : [`the last message ended with ${String(reason)}`]
}
