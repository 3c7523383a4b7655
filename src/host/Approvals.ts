import type { EventPayload, SidecarEvent } from "../protocol/Event.ts"

/** What the gate asks. */
export type ApprovalRequest = EventPayload<"approval_request">

export interface Approval {
  readonly approved: boolean
  /** Told to the model where it was denied. */
  readonly reason?: string | undefined
}

/**
 * Asks a person. The signal is aborted when the answer is no longer wanted: the turn was cancelled, or the sidecar is
 * gone. What it answers then is not sent.
 */
export type OnApproval = (request: ApprovalRequest, signal: AbortSignal) => Approval | Promise<Approval>

interface Open {
  readonly sessionId: string
  readonly callId: string
  readonly controller: AbortController
}

export interface ApprovalsOptions {
  readonly onApproval: OnApproval | undefined
  /** Whether somebody else may answer, where there is no callback. */
  readonly heard: () => boolean
  readonly answer: (approvalId: string, approval: Approval) => void
}

/** The questions that are open, each with the callback that will answer it. */
export class Approvals {
  readonly #options: ApprovalsOptions
  readonly #open = new Map<string, Open>()

  constructor(options: ApprovalsOptions) {
    this.#options = options
  }

  hear(event: SidecarEvent): void {
    switch (event.type) {
      case "approval_request":
        return void this.#ask(event.payload)
      case "approval_resolved":
        return this.#withdraw((_, approvalId) => approvalId === event.payload.approvalId)
      case "tool_call_result":
        return this.#withdraw(({ callId }) => callId !== undefined && callId === event.payload.callId)
      case "turn_finished":
        return this.#withdraw(({ sessionId }) => sessionId === event.payload.sessionId)
      default:
    }
  }

  close(): void {
    this.#withdraw(() => true)
  }

  async #ask(request: ApprovalRequest): Promise<void> {
    const { answer, heard, onApproval } = this.#options
    const { approvalId, callId, sessionId } = request
    if (onApproval === undefined) {
      // The turn would wait for ever.
      if (!heard()) answer(approvalId, { approved: false, reason: "this host has nobody to ask" })
      return
    }
    const controller = new AbortController()
    this.#open.set(approvalId, { sessionId, callId, controller })
    const approval = await decide(onApproval, request, controller.signal)
    if (this.#open.delete(approvalId)) answer(approvalId, approval)
  }

  #withdraw(fits: (open: Open, approvalId: string) => boolean): void {
    for (const [approvalId, open] of this.#open) {
      if (!fits(open, approvalId)) continue
      this.#open.delete(approvalId)
      open.controller.abort()
    }
  }
}

/** Anything but a clear yes is a no: a dialog that broke has approved nothing. A reason is text, whatever was given. */
const decide = async (onApproval: OnApproval, request: ApprovalRequest, signal: AbortSignal): Promise<Approval> => {
  try {
    const { approved, reason } = await onApproval(request, signal)
    return (reason ?? undefined) === undefined
      ? { approved: approved === true }
      : { approved: approved === true, reason: String(reason) }
  } catch (error) {
    return { approved: false, reason: `the host could not ask: ${error instanceof Error ? error.message : "it threw"}` }
  }
}
