import * as Schema from "effect/Schema"

/** Names one session: `s-` and a UUID. */
export const SessionId = Schema.String.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** Names one turn: `t-` and a UUID. */
export const TurnId = Schema.String.pipe(Schema.brand("TurnId"))
export type TurnId = typeof TurnId.Type

/** Names one tool call, unique in the process: `c-` and a UUID. */
export const CallId = Schema.String.pipe(Schema.brand("CallId"))
export type CallId = typeof CallId.Type

/** Names one open question of the approval gate: `a-` and a UUID. */
export const ApprovalId = Schema.String.pipe(Schema.brand("ApprovalId"))
export type ApprovalId = typeof ApprovalId.Type

/** Names one open call of a tool that the host runs: `q-` and a UUID. */
export const RequestId = Schema.String.pipe(Schema.brand("RequestId"))
export type RequestId = typeof RequestId.Type

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

const word = (bits: number): string =>
  hex[bits >>> 24]! + hex[(bits >>> 16) & 255]! + hex[(bits >>> 8) & 255]! + hex[bits & 255]!

/**
 * A fresh UUID, version 4. It names things and keeps no secret, so the engine's own generator will do, which every
 * process seeds from the system's entropy: the crypto modules would cost 5 ms of start and a microsecond a frame.
 */
export const uuid = (): string => {
  const [a, b, c, d] = [random32(), random32(), random32(), random32()]
  const middle = word((b & 0xffff0fff) | 0x4000)
  const variant = word((c & 0x3fffffff) | 0x80000000)
  return `${word(a)}-${middle.slice(0, 4)}-${middle.slice(4)}-${variant.slice(0, 4)}-${variant.slice(4)}${word(d)}`
}

const random32 = (): number => (Math.random() * 0x1_0000_0000) | 0

export const freshSessionId = (): SessionId => SessionId.make(`s-${uuid()}`)
export const freshTurnId = (): TurnId => TurnId.make(`t-${uuid()}`)
export const freshCallId = (): CallId => CallId.make(`c-${uuid()}`)
export const freshRequestId = (): RequestId => RequestId.make(`q-${uuid()}`)
export const freshApprovalId = (): ApprovalId => ApprovalId.make(`a-${uuid()}`)
