import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import type { ModelFinished } from "../session/turn/TurnObserver.ts"
import type { EventPayload } from "../protocol/Event.ts"
import type { TurnReason } from "../protocol/SessionState.ts"
import type { TurnEvent } from "../session/SessionFeed.ts"

type Attributes = { readonly [key: string]: string | number | ReadonlyArray<string> }
/** How a span ended: without an error, by a cancel, or with a failure. */
type End = "done" | "cut" | { readonly failed: string }

interface OpenTurn {
  readonly span: Tracer.Span
  step: Tracer.Span | undefined
  chat: Tracer.Span | undefined
  readonly calls: Map<string, Tracer.Span>
  readonly approvals: Map<string, Tracer.Span>
  /** Ids of the calls that the host denied. */
  readonly denied: Set<string>
  /** The category of the failure that ends the turn. */
  failed: string | undefined
}

/** The period of `maxSpansAPeriod`, in nanoseconds. */
const periodNanos = 5_000_000_000n
/** How many spans begin in a period, beside those of open turns: without a collector they would fill the memory. */
const maxSpansAPeriod = 2000

/** How many open turns are kept. A turn ends before the next one begins, unless a defect left it open. */
const maxOpenTurns = 100

/**
 * Makes spans of turns, steps, model calls, tools and approvals. Their attributes are names, numbers and outcomes of our
 * own; prompts, answers, arguments and results are never in them.
 */
export class TurnSpans {
  readonly #tracer: Tracer.Tracer
  /** Epoch nanoseconds. */
  readonly #now: () => bigint
  readonly #open = new Map<string, OpenTurn>()
  #periodBegan = 0n
  #spansInPeriod = 0

  constructor(tracer: Tracer.Tracer, now: () => bigint) {
    this.#tracer = tracer
    this.#now = now
  }

  onEvent(sessionId: string, turnId: string, event: TurnEvent): void {
    if (event.type === "turn_started") return this.#beginTurn(sessionId, turnId, event.payload.turnIndex)
    const turn = this.#open.get(turnId)
    if (turn === undefined) return
    switch (event.type) {
      case "step_started": {
        const attributes = { "atomic_agent.step.index": event.payload.stepIndex }
        turn.step = this.#begin("step", turn.span, attributes)
        return
      }
      case "llm_progress":
        if (event.payload.phase === "generating") turn.chat?.event("first_token", this.#now())
        return
      case "approval_request": {
        const { approvalId, callId, category = "other" } = event.payload
        const parent = turn.calls.get(callId) ?? turn.step ?? turn.span
        turn.approvals.set(approvalId, this.#begin("approval", parent, { "atomic_agent.approval.category": category }))
        return
      }
      case "approval_resolved":
        return this.#endApproval(turn, event.payload)
      case "tool_call_result":
        return this.#endCall(turn, event.payload)
      case "error": {
        const [, category] = /^step_error:(.*)$/.exec(event.payload.code ?? "") ?? []
        if (category !== undefined) this.#endStep(turn, { failed: category })
        return
      }
      case "step_finished":
        // The model call is still open: it was cut short.
        return this.#endStep(turn, turn.chat === undefined ? "done" : "cut")
      case "session_failed":
        turn.failed = event.payload.category
        return
      case "turn_finished":
        this.#open.delete(turnId)
        return this.#endTurn(turn, event.payload)
    }
  }

  onModelCall(turnId: string, model: string | undefined): void {
    const turn = this.#open.get(turnId)
    if (turn === undefined) return
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "llama.cpp",
      ...(model === undefined ? {} : { "gen_ai.request.model": model })
    }
    turn.chat = this.#begin(
      model === undefined ? "chat" : `chat ${model}`,
      turn.step ?? turn.span,
      attributes,
      "client"
    )
  }

  onModelAnswer(turnId: string, { reason, tokensPerSecond, usage }: ModelFinished): void {
    const turn = this.#open.get(turnId)
    if (turn?.chat === undefined) return
    describe(turn.chat, {
      "gen_ai.response.finish_reasons": [reason],
      ...usageOf(usage),
      ...(tokensPerSecond === undefined ? {} : { "atomic_agent.tokens_per_second": tokensPerSecond })
    })
    this.#end(turn.chat)
    turn.chat = undefined
  }

  onToolCall(turnId: string, callId: string, tool: string | undefined): void {
    const turn = this.#open.get(turnId)
    if (turn === undefined) return
    const name = tool ?? "unknown"
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": callId
    }
    turn.calls.set(callId, this.#begin(`execute_tool ${name}`, turn.step ?? turn.span, attributes))
  }

  #beginTurn(sessionId: string, turnId: string, turnIndex: number): void {
    const attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agentName,
      "gen_ai.conversation.id": sessionId,
      "atomic_agent.turn.id": turnId,
      "atomic_agent.turn.index": turnIndex
    }
    const span = this.#begin(`invoke_agent ${agentName}`, undefined, attributes)
    const nothing = { step: undefined, chat: undefined, failed: undefined }
    this.#open.set(turnId, { span, ...nothing, calls: new Map(), approvals: new Map(), denied: new Set() })
    const [oldest] = this.#open.keys()
    if (this.#open.size > maxOpenTurns && oldest !== undefined) this.#open.delete(oldest)
  }

  #endApproval(
    turn: OpenTurn,
    { approvalId, outcome }: Pick<EventPayload<"approval_resolved">, "approvalId" | "outcome">
  ) {
    const span = turn.approvals.get(approvalId)
    if (span === undefined) return
    turn.approvals.delete(approvalId)
    describe(span, { "atomic_agent.approval.outcome": outcome })
    for (const [callId, call] of turn.calls) {
      if (outcome === "denied" && Option.getOrUndefined(span.parent) === call) turn.denied.add(callId)
    }
    this.#end(span)
  }

  #endCall(turn: OpenTurn, { callId, status }: Pick<EventPayload<"tool_call_result">, "callId" | "status">): void {
    const span = turn.calls.get(callId)
    if (span === undefined) return
    turn.calls.delete(callId)
    const outcome = turn.denied.delete(callId) ? "denied" : status
    describe(span, { "atomic_agent.tool.outcome": outcome })
    this.#end(span, outcome === "error" ? { failed: "tool_error" } : "done")
  }

  #endStep(turn: OpenTurn, end: End): void {
    for (const span of [...turn.approvals.values(), ...turn.calls.values(), turn.chat, turn.step]) {
      if (span !== undefined) this.#end(span, end)
    }
    turn.approvals.clear()
    turn.calls.clear()
    turn.chat = undefined
    turn.step = undefined
  }

  #endTurn(turn: OpenTurn, payload: Pick<EventPayload<"turn_finished">, "reason" | "stepCount" | "usage">): void {
    const { reason, stepCount, usage } = payload
    const end = endOf(reason, turn.failed)
    this.#endStep(turn, end)
    describe(turn.span, {
      "atomic_agent.turn.reason": reason,
      "atomic_agent.turn.steps": stepCount,
      ...usageOf(usage)
    })
    this.#end(turn.span, end)
  }

  #begin(name: string, parent: Tracer.Span | undefined, attributes: Attributes, kind: Tracer.SpanKind = "internal") {
    const startTime = this.#now()
    if (startTime - this.#periodBegan > periodNanos) {
      this.#periodBegan = startTime
      this.#spansInPeriod = 0
    }
    const sampled = parent?.sampled ?? this.#spansInPeriod < maxSpansAPeriod
    if (sampled) this.#spansInPeriod++
    const span = this.#tracer.span({
      name,
      parent: Option.fromUndefinedOr(parent),
      annotations: Context.empty(),
      links: [],
      startTime,
      kind,
      root: parent === undefined,
      sampled
    })
    describe(span, attributes)
    return span
  }

  #end(span: Tracer.Span, end: End = "done"): void {
    if (typeof end === "object") span.attribute("error.type", end.failed)
    span.end(this.#now(), exitOf(end))
  }
}

const agentName = "atomic-agent"

const describe = (span: Tracer.Span, attributes: Attributes): void => {
  for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
}

const usageOf = (usage: ModelFinished["usage"]): Attributes =>
  usage === undefined
    ? {}
    : {
        "gen_ai.usage.input_tokens": usage.promptTokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens,
        "gen_ai.usage.output_tokens": usage.completionTokens
      }

const endOf = (reason: TurnReason, category: string | undefined): End => {
  if (reason === "failed") return { failed: category ?? "tool" }
  return reason === "cancelled" ? "cut" : "done"
}

const exitOf = (end: End): Exit.Exit<unknown, unknown> => {
  if (end === "done") return Exit.void
  // Only the category: the message of a failure may quote anything.
  return end === "cut" ? Exit.interrupt() : Exit.fail({ name: end.failed, message: end.failed })
}
