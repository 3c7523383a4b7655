import type { ResponseErrorCode } from "../protocol/Frame.ts"

/** How a sidecar ended. Exit code and signal are both null if it was never started or is not a child process. */
export interface SidecarExit {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** What is wrong with its configuration, otherwise the end of its stderr (up to 4096 characters); may be empty. */
  readonly detail: string
}

/**
 * A request failed: the sidecar answered with an error (contract 3), or the request was not sent (`not_sent`) because
 * it cannot be written as JSON, is longer than the sidecar reads, or too much is waiting to be read.
 */
export class RequestFailed extends Error {
  readonly _tag = "RequestFailed"
  override readonly name = "RequestFailed"
  readonly code: ResponseErrorCode | "not_sent"

  constructor(code: ResponseErrorCode | "not_sent", message: string) {
    super(message)
    this.code = code
  }
}

/**
 * The sidecar has ended before it answered. The request may have been carried out. It is not repeated automatically.
 */
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

/** An iterator of events was read too slowly and has ended. The events that it had kept were delivered first. */
export class EventsLost extends Error {
  readonly _tag = "EventsLost"
  override readonly name = "EventsLost"

  constructor(limit: number) {
    super(`more than ${limit} events waited for an iterator that nobody read`)
  }
}

/**
 * `SidecarHost.spawn` does not know which file to run: the option `bin` names no file, or it is not given and the bin is
 * not beside the host's own code, as in a host that is bundled into one file. Thrown at once, since no sidecar exists.
 */
export class BinNotFound extends Error {
  readonly _tag = "BinNotFound"
  override readonly name = "BinNotFound"

  constructor(why: string) {
    super(
      `${why}: give SidecarHost.spawn the path of the sidecar's main.js as the option "bin" ` +
        `(the file that "atomic-agent-sidecar/sidecar" resolves to), or a program to run as the option "command"`
    )
  }
}
