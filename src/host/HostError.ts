import type { ResponseErrorCode } from "../protocol/Frame.ts"

/** How a sidecar ended; both null where it never ran, or was no process of ours. */
export interface SidecarExit {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** Its last words: what is wrong with its configuration, else the end of its stderr; empty where it had none. */
  readonly detail: string
}

/** The answer to a request is that it failed (contract 3), or it was not sent, or is longer than is read: `not_sent`. */
export class RequestFailed extends Error {
  readonly _tag = "RequestFailed"
  override readonly name = "RequestFailed"
  readonly code: ResponseErrorCode | "not_sent"

  constructor(code: ResponseErrorCode | "not_sent", message: string) {
    super(message)
    this.code = code
  }
}

/** The sidecar is gone, and with it the answers that it owed; nothing that was asked is asked again by itself. */
export class SidecarGone extends Error implements SidecarExit {
  readonly _tag = "SidecarGone"
  override readonly name = "SidecarGone"
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly detail: string

  constructor({ detail, exitCode, signal }: SidecarExit) {
    const how = exitCode === null && signal === null ? "" : ` (${signal ?? `exit ${exitCode}`})`
    super(`the sidecar is gone${how}${detail === "" ? "" : `: ${detail}`}`)
    this.exitCode = exitCode
    this.signal = signal
    this.detail = detail
  }
}

/** An iterator of events was not read for so long that it had to give up; what it had kept was still delivered. */
export class EventsLost extends Error {
  readonly _tag = "EventsLost"
  override readonly name = "EventsLost"

  constructor(limit: number) {
    super(`more than ${limit} events waited for an iterator that nobody read`)
  }
}
