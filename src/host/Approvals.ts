import type { Grant } from "../protocol/Grant.ts"
import type { EventPayload, SidecarEvent } from "../protocol/Event.ts"

/** The payload of an `approval_request` event. */
export type ApprovalRequest = EventPayload<"approval_request">

/** The answer to an approval request. */
export interface Approval {
  readonly approved: boolean
  /** Passed on to the model if the request is denied. */
  readonly reason?: string | undefined
  /** One of the request's `offers`, which holds for the session (extension `grants`). */
  readonly grant?: Grant | undefined
}

/**
 * Asks a person. The signal is aborted when the answer is no longer needed, because the turn was cancelled or the
 * sidecar has ended; an answer after that is not sent. A handler that throws or rejects denies the request.
 */
export type OnApproval = (request: ApprovalRequest, signal: AbortSignal) => Approval | Promise<Approval>

interface PendingApproval {
  readonly sessionId: string
  readonly callId: string
  readonly controller: AbortController
}

export interface ApprovalsOptions {
  readonly onApproval: OnApproval | undefined
  readonly respond: (approvalId: string, approval: Approval) => void
}

/**
 * Passes approval requests to the handler and its answers to the sidecar, and withdraws those that have become moot.
 */
export class Approvals {
  readonly #options: ApprovalsOptions
  readonly #pending = new Map<string, PendingApproval>()

  constructor(options: ApprovalsOptions) {
    this.#options = options
  }

  onEvent(event: SidecarEvent): void {
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

  /** Withdraws all pending requests. */
  close(): void {
    this.#withdraw(() => true)
  }

  async #ask(request: ApprovalRequest): Promise<void> {
    const { onApproval, respond } = this.#options
    const { approvalId, callId, sessionId } = request
    // Without an answer the turn would wait without end. A listener to events is no promise of one: it may be a logger.
    if (onApproval === undefined) {
      return respond(approvalId, { approved: false, reason: "this host has nobody to ask" })
    }
    const controller = new AbortController()
    this.#pending.set(approvalId, { sessionId, callId, controller })
    const approval = await askHandler(onApproval, request, controller.signal)
    if (this.#pending.delete(approvalId)) respond(approvalId, approval)
  }

  #withdraw(matches: (pending: PendingApproval, approvalId: string) => boolean): void {
    for (const [approvalId, pending] of this.#pending) {
      if (!matches(pending, approvalId)) continue
      this.#pending.delete(approvalId)
      pending.controller.abort()
    }
  }
}

/**
 * The handler's answer. Only `approved: true` approves; an error denies. The reason is made a string, whatever it is.
 */
const askHandler = async (onApproval: OnApproval, request: ApprovalRequest, signal: AbortSignal): Promise<Approval> => {
  try {
    const { approved, grant, reason } = await onApproval(request, signal)
    return {
      approved: approved === true,
      ...(reason == null ? {} : { reason: String(reason) }),
      ...(grant == null || approved !== true ? {} : { grant })
    }
  } catch (error) {
    return { approved: false, reason: `the host could not ask: ${error instanceof Error ? error.message : "it threw"}` }
  }
}
