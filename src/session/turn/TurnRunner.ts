import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../../config/Config.ts"
import { monotonicMs } from "../../domain/MonotonicTime.ts"
import type { ToolCall } from "../../domain/ToolCall.ts"
import type { Usage } from "../../llama/LlamaClient.ts"
import { StdoutSink } from "../../stdio/StdoutSink.ts"
import { metric } from "./Metric.ts"
import { type ModelAnswer, ModelStep } from "./ModelStep.ts"
import { isEmpty, type Nudge, notices, nudgeFor } from "./Notices.ts"
import { recover } from "../Recover.ts"
import * as SessionFeed from "../SessionFeed.ts"
import type { HeadChange, Undated } from "../SessionLog.ts"
import { finishTool, ToolBatch } from "./ToolBatch.ts"
import type { Turn } from "./Turn.ts"
import type { TurnContext } from "./TurnContext.ts"
import type { TurnSession } from "./TurnSession.ts"
import { emptyAnswer, nothingUsable, outOfSteps, sumOf } from "./StepEnds.ts"
import { inTime, outOfTime } from "./TurnDeadline.ts"
import { endTurn, finishStep, type OpenStep, type TurnProgress } from "./TurnEnd.ts"
import { observed, TurnObserver } from "./TurnObserver.ts"
import { understood } from "./UnderstoodCalls.ts"
import { type ClosedReason, headAfter, outcomeOf, StepFailure } from "./TurnOutcome.ts"

/** What is committed and emitted together with the first step. */
interface Opening {
  readonly entries: ReadonlyArray<Undated>
  readonly change?: HeadChange
  readonly events?: ReadonlyArray<SessionFeed.TurnEvent>
}

/** The state of the running turn; only this file changes it. */
interface RunningTurn extends TurnContext, TurnProgress {
  /** The step budget. */
  readonly maxSteps: number
  stepCount: number
  step: OpenStep | undefined
  usage: Usage | undefined
  /** Absolute paths for the closing reply. */
  attachments: ReadonlyArray<string>
  /** Steps in a row that asked for nothing but unusable calls. */
  unusableSteps: number
  /** What the model has been told instead of the turn ending, and what it is told so with the next step. */
  readonly nudged: Set<Nudge>
  nudge: Nudge | undefined
  /** Why the turn ends, set when the closing reply is sent; it does not change afterwards. */
  closed: ClosedReason | undefined
}

/** The loop of a turn: step, batch, step … until a reason (contract 4, 6). */
export class TurnRunner extends Context.Service<
  TurnRunner,
  {
    /**
     * Plays a turn to its response, whatever happens in it; interrupting it cancels the turn. Texts that are offered to
     * its `steering` meanwhile reach the model with its next step.
     */
    run(turn: Turn, session: TurnSession): Effect.Effect<void>
  }
>()("atomic-agent-sidecar/session/turn/TurnRunner") {
  static readonly layer = Layer.effect(
    TurnRunner,
    Effect.gen(function* () {
      const { agent } = yield* Config
      const sink = yield* StdoutSink
      const modelStep = yield* ModelStep
      const toolBatch = yield* ToolBatch
      const observer = yield* TurnObserver

      const { maxDurationMs } = agent.task

      const withinTurn = <A, E>(
        running: RunningTurn,
        step: OpenStep,
        part: Effect.Effect<A, E>,
        late: Effect.Effect<A, StepFailure>
      ) => Effect.interruptible(inTime(running, step, maxDurationMs, part, late))

      const lateAnswer = Effect.fail(new StepFailure({ category: "model", detail: outOfTime(maxDurationMs) }))

      /** Begins a step. The first step of a turn also commits and emits `opening`, in the same transaction. */
      const beginStep = Effect.fnUntraced(function* (running: RunningTurn, opening: Opening = { entries: [] }) {
        const { feed, log, turn } = running
        const { steering } = turn
        const now = yield* monotonicMs
        const index = running.stepCount++
        const isLast = index + 1 >= running.maxSteps || now - running.startedAt >= maxDurationMs
        running.step = { index, isLast, startedAt: now, tokensUsed: 0 }
        const notice = isLast ? "lastStep" : running.nudge
        running.nudge = undefined
        const steers = isLast ? steering.close() : steering.take()
        yield* log.commit(
          [
            ...opening.entries,
            ...steers.map((text) => ({ kind: "user", turnId: turn.id, text, steered: true }) as const),
            ...(notice === undefined ? [] : [{ kind: "notice", turnId: turn.id, text: notices[notice] } as const])
          ],
          { ...opening.change, stepCount: log.head.stepCount + 1 }
        )
        yield* feed.emitAll([
          ...(opening.events ?? []),
          { type: "step_started", payload: { stepIndex: index } },
          ...steers.map((text) => ({ type: "steer_applied", payload: { text, stepIndex: index } }) as const)
        ])
        return running.step
      })

      const begin = Effect.fnUntraced(function* (running: RunningTurn) {
        const { skills, turn, turnIndex } = running
        const notice = yield* recover("the skills cannot be listed", () => skills.next, undefined)
        return yield* beginStep(running, {
          entries: [
            ...(notice === undefined ? [] : [{ kind: "notice", turnId: turn.id, text: notice } as const]),
            { kind: "user", turnId: turn.id, text: turn.text }
          ],
          change: { status: "running", turnCount: turnIndex + 1 },
          events: [
            { type: "user_message", payload: { text: turn.text } },
            { type: "turn_started", payload: { turnIndex } },
            ...metric("turn.queue_wait_ms", running.startedAt - turn.acceptedAt)
          ]
        })
      })

      /** Commits and sends a text as a reply: the closing one where `closes` says how the turn ends, else a note. */
      const reply = Effect.fnUntraced(function* (
        { attachments, feed, log, turn }: RunningTurn,
        text: string,
        reasoning: string,
        closes: ClosedReason | undefined
      ) {
        const extras = {
          ...(closes === undefined || attachments.length === 0 ? {} : { attachments }),
          ...(closes === undefined ? { progressNote: true } : {})
        }
        yield* log.commit(
          [{ kind: "assistant_reply", turnId: turn.id, text, ...extras, ...(reasoning === "" ? {} : { reasoning }) }],
          closes === undefined ? {} : headAfter({ reason: closes })
        )
        yield* feed.emit({ type: "assistant_reply", payload: { text, ...extras } })
      })

      const endStep = (running: RunningTurn, step: OpenStep) => {
        running.step = undefined
        return finishStep(running, step)
      }

      /**
       * Ends the turn unless a steer waits that another step can read. With its closing reply a turn has ended: an
       * interruption comes too late.
       */
      const closeWith = Effect.fnUntraced(function* (
        running: RunningTurn,
        step: OpenStep,
        reason: ClosedReason,
        text: string,
        reasoning: string
      ) {
        running.closed = running.turn.steering.closeIfEmpty() ? reason : undefined
        yield* reply(running, text, reasoning, running.closed)
        yield* endStep(running, step)
        return running.closed
      })

      /** Runs a step's calls. Returns the summary if one of them is a `finish` that succeeded. */
      const act = Effect.fnUntraced(function* (
        running: RunningTurn,
        step: OpenStep,
        { reasoning, text }: ModelAnswer,
        calls: ReadonlyArray<ToolCall>
      ) {
        if (text.trim() !== "") yield* reply(running, text, "", undefined)
        const batch = toolBatch.run(running, step.index, calls, reasoning)
        const { attachments, finished } = yield* withinTurn(running, step, batch, Effect.succeed({ attachments: [] }))
        running.attachments = [...running.attachments, ...attachments]
        return finished
      })

      /** Ends a step whose answer neither acts nor closes the turn; with the next one the model is told so. */
      const nudgeOn = Effect.fnUntraced(function* (
        running: RunningTurn,
        step: OpenStep,
        { reasoning, text }: ModelAnswer,
        nudge: Nudge
      ) {
        running.nudged.add(nudge)
        running.nudge = nudge
        yield* Effect.logDebug(`the model is told: ${notices[nudge]}`)
        if (nudge === "callInText") yield* reply(running, text, reasoning, undefined)
        yield* endStep(running, step)
        return undefined
      })

      /** A step that is followed by another one, if its calls do not end the turn. */
      const goOn = Effect.fnUntraced(function* (running: RunningTurn, step: OpenStep, answer: ModelAnswer) {
        const calls = yield* understood(answer, running.tools)
        if (calls.length === 0) return yield* closeWith(running, step, "reply", answer.text, answer.reasoning)
        const summary = yield* act(running, step, answer, calls)
        if (summary !== undefined) return yield* closeWith(running, step, "finish", summary, "")
        const isUsable = calls.some((call) => call.args._tag === "Parsed")
        running.unusableSteps = isUsable ? 0 : running.unusableSteps + 1
        if (running.unusableSteps === 2) return yield* new StepFailure({ category: "grammar", detail: nothingUsable })
        yield* endStep(running, step)
        return undefined
      })

      /** The last allowed step: only a `finish` is run any more. */
      const wrapUp = Effect.fnUntraced(function* (running: RunningTurn, step: OpenStep, answer: ModelAnswer) {
        const { reasoning, text } = answer
        const calls = yield* understood(answer, running.tools)
        if (calls.length === 0) return yield* closeWith(running, step, "reply", text, reasoning)
        const finish = calls.find((call) => call.tool === finishTool && call.args._tag === "Parsed")
        if (finish !== undefined) {
          const summary = yield* act(running, step, answer, [finish])
          if (summary !== undefined) return yield* closeWith(running, step, "finish", summary, "")
        }
        const closing = finish !== undefined || text.trim() === "" ? outOfSteps(running.stepCount) : text
        return yield* closeWith(running, step, "max_steps", closing, reasoning)
      })

      /**
       * Only the model and the tools can be interrupted, and they keep what they have done by then; between them a turn
       * goes on until it can be left without losing anything.
       */
      const play = Effect.fnUntraced(function* (running: RunningTurn) {
        let step = yield* begin(running)
        while (true) {
          const answer = yield* withinTurn(running, step, modelStep.run(running, step.index), lateAnswer)
          if (answer.usage !== undefined) {
            step.tokensUsed = answer.usage.promptTokens + answer.usage.completionTokens
            running.usage = sumOf(running.usage, answer.usage)
          }
          const nudge = nudgeFor(answer, step, running.tools.specs)
          const isNudged = nudge !== undefined && !running.nudged.has(nudge)
          if (!isNudged && isEmpty(answer)) return yield* emptyAnswer(answer)
          const end = isNudged
            ? nudgeOn(running, step, answer, nudge)
            : (step.isLast ? wrapUp : goOn)(running, step, answer)
          const reason = yield* end
          if (reason !== undefined) return reason
          yield* Effect.interruptible(Effect.void)
          step = yield* beginStep(running)
        }
      })

      const run = (turn: Turn, session: TurnSession) =>
        Effect.gen(function* () {
          const { log } = session
          const context: TurnContext = {
            ...session,
            turn,
            feed: observed(SessionFeed.make(sink, log.sessionId, turn.id), observer),
            turnIndex: log.head.turnCount,
            startedAt: yield* monotonicMs
          }
          const running: RunningTurn = {
            ...context,
            maxSteps: Math.min(turn.maxSteps ?? session.options.current.maxSteps, agent.task.maxSteps),
            stepCount: 0,
            step: undefined,
            usage: undefined,
            attachments: [],
            unusableSteps: 0,
            nudged: new Set(),
            nudge: undefined,
            closed: undefined
          }
          const exit = yield* Effect.exit(play(running))
          yield* endTurn(context, running, outcomeOf(exit, running.closed, turn))
          // An interrupted turn still sends its first and last events.
        }).pipe(Effect.uninterruptible)

      return TurnRunner.of({ run })
    })
  )
}
