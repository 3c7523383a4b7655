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

/** A fresh UUID; node draws entropy for 128 of them at a time. */
export const uuid = (): string => globalThis.crypto.randomUUID()

export const freshSessionId = (): SessionId => SessionId.make(`s-${uuid()}`)
export const freshTurnId = (): TurnId => TurnId.make(`t-${uuid()}`)
export const freshCallId = (): CallId => CallId.make(`c-${uuid()}`)
export const freshApprovalId = (): ApprovalId => ApprovalId.make(`a-${uuid()}`)
