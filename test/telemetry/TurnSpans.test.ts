import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { TurnEvent } from "../../src/session/SessionFeed.ts"
import { TurnSpans } from "../../src/telemetry/TurnSpans.ts"

/** Spans in a list, on a clock that moves by a millisecond whenever it is looked at. */
const make = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span(options) {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  let now = 0n
  const turns = new TurnSpans(tracer, () => (now += 1_000_000n))
  const told = (...events: ReadonlyArray<TurnEvent>) => events.forEach((event) => turns.onEvent("s-1", "t-1", event))
  /** Each as `name < parent: attribute, how it ended`, in the order that they began. */
  const story = (attribute: string) =>
    spans.map((span) => {
      const parent = Option.match(span.parent, { onNone: () => "", onSome: (one) => ` < ${nameOf(one, spans)}` })
      return `${span.name}${parent}: ${String(span.attributes.get(attribute) ?? "–")}, ${endOf(span)}`
    })
  return { spans, turns, told, story, pass: (nanos: bigint) => (now += nanos) }
}

const nameOf = (span: Tracer.AnySpan, spans: ReadonlyArray<Tracer.NativeSpan>) =>
  spans.find(({ spanId }) => spanId === span.spanId)?.name ?? "?"

const endOf = ({ status }: Tracer.Span) => {
  if (status._tag === "Started") return "open"
  if (Exit.isSuccess(status.exit)) return "ok"
  return Exit.hasInterrupts(status.exit) ? "cut" : "failed"
}

const started: TurnEvent = { type: "turn_started", payload: { turnIndex: 3 } }
const step: TurnEvent = { type: "step_started", payload: { stepIndex: 0 } }
const stepFinished: TurnEvent = {
  type: "step_finished",
  payload: { stepIndex: 0, tokensUsed: 1, durationMs: 1 }
}
const finished = (reason: "reply" | "failed" | "cancelled"): TurnEvent => ({
  type: "turn_finished",
  payload: { turnIndex: 3, reason, stepCount: 1, durationMs: 1 }
})
const asked: TurnEvent = {
  type: "approval_request",
  payload: { approvalId: "a-1", callId: "c-1", tool: "shell.run", category: "shell", reason: "x", preview: "x" }
}
const resolved = (outcome: "approved" | "denied" | "withdrawn"): TurnEvent => ({
  type: "approval_resolved",
  payload: { approvalId: "a-1", outcome }
})
const result = (status: "ok" | "error"): TurnEvent => ({
  type: "tool_call_result",
  payload: { stepIndex: -1, step: 0, callId: "c-1", tool: "shell.run", status, summary: "x" }
})
const stop = { _tag: "Finished", reason: "stop", calls: [] } as const
const toolCalls = { _tag: "Finished", reason: "tool_calls", calls: [] } as const

type Turns = ReturnType<typeof make>
const begin = ({ told, turns }: Turns) => {
  told(started, step)
  turns.onModelCall("t-1", "qwen")
}
const call = (stage: Turns) => {
  begin(stage)
  stage.turns.onModelAnswer("t-1", toolCalls)
  stage.turns.onToolCall("t-1", "c-1" as never, "shell.run")
}

describe("the spans of a turn", () => {
  it("are the turn, its steps, model calls, tools and waits for a person, each below what it belongs to", () => {
    const stage = make()
    call(stage)
    stage.told(asked, resolved("approved"), result("ok"), stepFinished, step)
    stage.turns.onModelCall("t-1", "qwen")
    stage.turns.onModelAnswer("t-1", stop)
    stage.told(stepFinished, finished("reply"))
    assert.deepStrictEqual(stage.story("gen_ai.operation.name"), [
      "invoke_agent atomic-agent: invoke_agent, ok",
      "step < invoke_agent atomic-agent: –, ok",
      "chat qwen < step: chat, ok",
      "execute_tool shell.run < step: execute_tool, ok",
      "approval < execute_tool shell.run: –, ok",
      "step < invoke_agent atomic-agent: –, ok",
      "chat qwen < step: chat, ok"
    ])
    for (const { status } of stage.spans) {
      assert.isTrue(status._tag === "Ended" && status.endTime > status.startTime)
    }
  })

  it.each([
    ["approved", "ok", "ok", "ok"],
    ["approved", "error", "error", "failed"],
    ["denied", "error", "denied", "ok"]
  ] as const)("tell of a call that was %s and gave %s: %s", (outcome, status, told, end) => {
    const stage = make()
    call(stage)
    stage.told(asked, resolved(outcome), result(status))
    assert.strictEqual(
      stage.story("atomic_agent.approval.outcome")[4],
      `approval < execute_tool shell.run: ${outcome}, ok`
    )
    assert.strictEqual(stage.story("atomic_agent.tool.outcome")[3], `execute_tool shell.run < step: ${told}, ${end}`)
  })

  it("are cut short by a cancel, in the middle of an answer", () => {
    const stage = make()
    begin(stage)
    stage.told(stepFinished, finished("cancelled"))
    assert.deepStrictEqual(stage.story("atomic_agent.turn.reason"), [
      "invoke_agent atomic-agent: cancelled, cut",
      "step < invoke_agent atomic-agent: –, cut",
      "chat qwen < step: –, cut"
    ])
  })

  it("fail with the category of the failure, and with none of its words", () => {
    const stage = make()
    begin(stage)
    stage.told(
      { type: "error", payload: { code: "step_error:transport", message: "secret words", stack: "secret words" } },
      { type: "session_failed", payload: { error: "secret words", category: "transport" } },
      finished("failed")
    )
    assert.deepStrictEqual(stage.story("error.type"), [
      "invoke_agent atomic-agent: transport, failed",
      "step < invoke_agent atomic-agent: transport, failed",
      "chat qwen < step: transport, failed"
    ])
    assert.notInclude(
      JSON.stringify(
        stage.spans.map(({ status }) => status),
        bigints
      ),
      "secret"
    )
  })

  it("do not have the name of a tool that the model made up", () => {
    const stage = make()
    begin(stage)
    stage.turns.onToolCall("t-1", "c-1" as never, undefined)
    assert.strictEqual(stage.story("gen_ai.tool.name")[3], "execute_tool unknown < step: unknown, open")
  })

  it("have the figures of the answer", () => {
    const stage = make()
    begin(stage)
    const usage = { promptTokens: 10, cachedTokens: 4, completionTokens: 3 }
    stage.turns.onModelAnswer("t-1", { ...stop, usage, tokensPerSecond: 50 })
    assert.deepInclude(Object.fromEntries(stage.spans[2]!.attributes), {
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.cache_read.input_tokens": 4,
      "gen_ai.usage.output_tokens": 3,
      "atomic_agent.tokens_per_second": 50
    })
  })

  it("are all ended with their turn, whatever was left open", () => {
    const stage = make()
    call(stage)
    stage.told(asked, finished("reply"))
    assert.deepStrictEqual(
      stage.spans.map(({ status }) => status._tag),
      stage.spans.map(() => "Ended")
    )
  })

  it("of turns that never end are forgotten", () => {
    const stage = make()
    for (let index = 0; index < 101; index++) stage.turns.onEvent("s-1", `t-${index}`, started)
    const before = stage.spans.length
    for (const turn of ["t-0", "t-1", "t-100"]) stage.turns.onEvent("s-1", turn, step)
    assert.strictEqual(stage.spans.length - before, 2)
  })

  it("of turns that begin while too many are sent already are left out, whole, until some time has passed", () => {
    const stage = make()
    const sampled = () => {
      const from = stage.spans.length
      stage.told(started, step, stepFinished, finished("reply"))
      return stage.spans.slice(from).map((span) => span.sampled)
    }
    for (let index = 0; index < 1000; index++) assert.deepStrictEqual(sampled(), [true, true])
    assert.deepStrictEqual(sampled(), [false, false])
    stage.pass(5_000_000_000n)
    assert.deepStrictEqual(sampled(), [true, true])
  })
})

const bigints = (_: string, value: unknown) => (typeof value === "bigint" ? `${value}` : value)
