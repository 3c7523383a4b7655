import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"
import type { ToolCall } from "../domain/ToolCall.ts"
import { freshCallId } from "../protocol/Ids.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import { Toolbox } from "../tools/Toolbox.ts"
import { recover } from "./Recover.ts"
import { metric } from "./Metric.ts"
import { type ModelAnswer, ModelStep } from "./ModelStep.ts"
import * as SessionFeed from "./SessionFeed.ts"
import type { HeadChange, SessionLog, Undated } from "./SessionLog.ts"
import type { SkillNotices } from "./SkillNotices.ts"
import * as Steering from "./Steering.ts"
import { finishTool, ToolBatch } from "./ToolBatch.ts"
import type { Turn } from "./Turn.ts"
import { endTurn, finishStep, headAfter, outcomeOf } from "./TurnEnd.ts"
import { observed, TurnObserver } from "./TurnObserver.ts"
import { type OpenStep, StepFailure, toMillis, type TurnState } from "./TurnState.ts"

/** What a turn belongs to. */
export interface TurnSession {
  readonly ledger: SessionLog["Service"]
  /** The system prompt, byte-stable within the session. */
  readonly system: string
  readonly skills: SkillNotices
}

/** What a turn begins with. */
interface Opening {
  readonly entries: ReadonlyArray<Undated>
  readonly change?: HeadChange
  readonly events?: ReadonlyArray<SessionFeed.TurnEvent>
}

/** The loop of a turn: step, batch, step … until a reason (contract 4, 6). */
export class TurnRunner extends Context.Service<
  TurnRunner,
  {
    /**
     * Plays a turn to its response, whatever happens in it; interrupting it cancels the turn. `onSteering` gets the
     * turn's steering before its first event.
     */
    run(turn: Turn, session: TurnSession, onSteering: (steering: Steering.Steering) => void): Effect.Effect<void>
    /** Ends what the tools of earlier calls have left running in the background. */
    readonly endBackground: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/session/TurnRunner") {
  static readonly layer = Layer.effect(
    TurnRunner,
    Effect.gen(function* () {
      const { agent } = yield* Config
      const sink = yield* StdoutSink
      const modelStep = yield* ModelStep
      const toolBatch = yield* ToolBatch
      const toolbox = yield* Toolbox
      const follower = yield* TurnObserver

      /** Begins a step; what opens the turn comes with its first one, and is kept in the same transaction. */
      const beginStep = Effect.fnUntraced(function* (progress: TurnState, opening: Opening = { entries: [] }) {
        const { feed, ledger, steering, turn } = progress
        const now = toMillis(yield* Clock.monotonicTimeNanos)
        const isLast = progress.stepCount + 1 >= turn.maxSteps || now - progress.startedAt > agent.task.maxDurationMs
        const step: OpenStep = {
          index: progress.stepCount,
          isLast,
          startedAt: now,
          text: "",
          reasoning: "",
          tokensUsed: 0,
          openCalls: new Map()
        }
        progress.stepCount++
        progress.step = step
        const steers = isLast ? steering.takeLast() : steering.take()
        yield* ledger.commit(
          [
            ...opening.entries,
            ...steers.map((text) => ({ kind: "user", turnId: turn.id, text, steered: true }) as const),
            ...(isLast ? [{ kind: "notice", turnId: turn.id, text: closingNotice } as const] : [])
          ],
          { ...opening.change, stepCount: ledger.head.stepCount + 1 }
        )
        yield* feed.emitAll([
          ...(opening.events ?? []),
          { type: "step_started", payload: { stepIndex: step.index } },
          ...steers.map((text) => ({ type: "steer_applied", payload: { text, stepIndex: step.index } }) as const)
        ])
        return step
      }, Effect.uninterruptible)

      const begin = Effect.fnUntraced(function* (progress: TurnState, skills: SkillNotices) {
        const { turn, turnIndex } = progress
        const news = yield* recover("the skills cannot be listed", () => skills.next, undefined)
        return yield* beginStep(progress, {
          entries: [
            ...(news === undefined ? [] : [{ kind: "notice", turnId: turn.id, text: news } as const]),
            { kind: "user", turnId: turn.id, text: turn.text }
          ],
          change: { status: "running", turnCount: turnIndex + 1 },
          events: [
            { type: "user_message", payload: { text: turn.text } },
            { type: "turn_started", payload: { turnIndex } },
            ...metric("turn.queue_wait_ms", progress.startedAt - turn.acceptedAt)
          ]
        })
      }, Effect.uninterruptible)

      /** Tells a text as a reply and keeps it: the closing one, or a note on the way. */
      const reply = Effect.fnUntraced(function* (
        progress: TurnState,
        step: OpenStep,
        text: string,
        options: { readonly closes: NonNullable<TurnState["closed"]> | false; readonly reasoning?: string }
      ) {
        const { feed, ledger, turn } = progress
        const { closes, reasoning = "" } = options
        step.text = ""
        const attachments = closes === false ? [] : progress.attachments
        const extras = {
          ...(attachments.length === 0 ? {} : { attachments }),
          ...(closes === false ? { progressNote: true } : {})
        }
        yield* ledger.commit(
          [{ kind: "assistant_reply", turnId: turn.id, text, ...extras, ...(reasoning === "" ? {} : { reasoning }) }],
          closes === false ? {} : headAfter({ reason: closes })
        )
        yield* feed.emit({ type: "assistant_reply", payload: { text, ...extras } })
      }, Effect.uninterruptible)

      /**
       * Ends the turn unless a steer waits that another step can read. With its closing reply a turn has ended: who comes
       * to interrupt it comes too late.
       */
      const closeWith = Effect.fnUntraced(function* (
        progress: TurnState,
        step: OpenStep,
        ended: NonNullable<TurnState["closed"]>,
        text: string,
        reasoning: string
      ) {
        const closes = progress.steering.closeIfEmpty() && ended
        progress.closed = closes || undefined
        yield* reply(progress, step, text, { closes, reasoning })
        yield* finishStep(progress, step)
        return progress.closed
      }, Effect.uninterruptible)

      /** Runs a step's calls and keeps what came with them; the summary, where one of them was a `finish` that held. */
      const act = Effect.fnUntraced(function* (
        progress: TurnState,
        step: OpenStep,
        answer: ModelAnswer,
        calls: ReadonlyArray<ToolCall>
      ) {
        if (answer.text.trim() !== "") yield* reply(progress, step, answer.text, { closes: false })
        step.text = ""
        const results = yield* toolBatch.run(progress, step, calls, answer.reasoning)
        return calls
          .filter((call) => call.tool === finishTool)
          .map((call) => results.get(call.callId))
          .find((result) => result?.status === "ok")?.summary
      })

      /** A step that is followed by another one, if its calls do not end the turn. */
      const goOn = Effect.fnUntraced(function* (progress: TurnState, step: OpenStep, answer: ModelAnswer) {
        const calls = toCalls(answer)
        if (calls.length === 0) return yield* closeWith(progress, step, "reply", answer.text, answer.reasoning)
        const summary = yield* act(progress, step, answer, calls)
        if (summary !== undefined) return yield* closeWith(progress, step, "finish", summary, "")
        const usable = calls.some((call) => call.args._tag === "Parsed")
        progress.unusableSteps = usable ? 0 : progress.unusableSteps + 1
        if (progress.unusableSteps === 2) return yield* new StepFailure({ category: "grammar", detail: nothingUsable })
        yield* finishStep(progress, step)
        return undefined
      })

      /** The last allowed step: only a `finish` is run any more. */
      const wrapUp = Effect.fnUntraced(function* (progress: TurnState, step: OpenStep, answer: ModelAnswer) {
        const { reasoning, text } = answer
        const calls = toCalls(answer)
        if (calls.length === 0) return yield* closeWith(progress, step, "reply", text, reasoning)
        const finish = calls.find((call) => call.tool === finishTool && call.args._tag === "Parsed")
        if (finish !== undefined) {
          const summary = yield* act(progress, step, answer, [finish])
          if (summary !== undefined) return yield* closeWith(progress, step, "finish", summary, "")
        }
        const closing = finish !== undefined || text.trim() === "" ? outOfSteps(progress.stepCount) : text
        return yield* closeWith(progress, step, "max_steps", closing, reasoning)
      })

      const play = Effect.fnUntraced(function* (progress: TurnState, first: OpenStep) {
        let step = first
        while (true) {
          const answer = yield* modelStep.run(progress, step)
          const ended = yield* (step.isLast ? wrapUp : goOn)(progress, step, answer)
          if (ended !== undefined) return ended
          step = yield* beginStep(progress)
        }
      })

      const run = (turn: Turn, session: TurnSession, onSteering: (steering: Steering.Steering) => void) =>
        Effect.gen(function* () {
          const { ledger, skills, system } = session
          const steering = Steering.make()
          onSteering(steering)
          const progress: TurnState = {
            turn,
            feed: observed(SessionFeed.make(sink, ledger.sessionId, turn.id), follower),
            ledger,
            steering,
            system,
            turnIndex: ledger.head.turnCount,
            startedAt: toMillis(yield* Clock.monotonicTimeNanos),
            stepCount: 0,
            step: undefined,
            usage: undefined,
            attachments: [],
            denied: new Map(),
            repeated: undefined,
            unusableSteps: 0,
            closed: undefined
          }
          const begun = begin(progress, skills)
          const exit = yield* Effect.exit(Effect.flatMap(begun, (step) => Effect.interruptible(play(progress, step))))
          yield* endTurn(progress, outcomeOf(exit, progress))
          // Whatever interrupts it, a turn says its first words, and its last.
        }).pipe(Effect.uninterruptible)

      return TurnRunner.of({ run, endBackground: toolbox.endBackground })
    })
  )
}

const closingNotice =
  "[This was the last step of this turn: no tool will be run any more. Answer now, in words, and sum up what is done and what is left.]"

const nothingUsable = "the model asked twice in a row for nothing but tool calls that cannot be read"

const outOfSteps = (steps: number): string =>
  `I stopped after ${steps} ${steps === 1 ? "step" : "steps"}, the limit of this turn, before the work was done. Send another message and I will continue.`

const toCalls = ({ calls }: ModelAnswer): ReadonlyArray<ToolCall> =>
  calls.map(({ args, name }) => ({ callId: freshCallId(), tool: name, args }))
