import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import type { ApprovalCategory } from "../../src/protocol/SessionState.ts"
import * as Tool from "../../src/tools/Tool.ts"
import { Refused } from "../../src/files/Refused.ts"
import { awaited } from "./Patience.ts"

/** One run of a gated tool. */
export interface ToolRun {
  readonly name: string
  readonly finish: (text: string) => void
  readonly fail: (detail: string) => void
  readonly die: (defect: unknown) => void
  readonly interrupted: Effect.Effect<void>
}

/** A tool that waits until the test says what it gives back; it asks the gate where it has a category. */
export const gatedTool = (
  name: string,
  options: {
    readonly category?: ApprovalCategory
    readonly reads?: boolean
    /** What it asks, where that matters. */
    readonly need?: Omit<Tool.ActNeed, "categories">
  } = {}
) => {
  const runs = Effect.runSync(Queue.unbounded<ToolRun>())
  const { category } = options

  const run = Effect.gen(function* () {
    const answer = Deferred.makeUnsafe<Tool.ToolOutput, Refused>()
    const interrupted = Deferred.makeUnsafe<void>()
    Queue.offerUnsafe(runs, {
      name,
      finish: (text) => void Deferred.doneUnsafe(answer, Effect.succeed({ text })),
      fail: (detail) => void Deferred.doneUnsafe(answer, Effect.fail(new Refused({ detail }))),
      die: (defect) => void Deferred.doneUnsafe(answer, Effect.die(defect)),
      interrupted: awaited(`an interruption of the tool ${name}`, Deferred.await(interrupted))
    })
    return yield* Effect.onInterrupt(Deferred.await(answer), () => Deferred.succeed(interrupted, undefined))
  })

  const tool = Tool.make({
    name,
    description: "waits for the test",
    parameters: Schema.Struct({ value: Schema.optionalKey(Schema.Unknown) }),
    reads: options.reads ?? category === undefined,
    plan: () =>
      Effect.succeed({
        ...(category === undefined
          ? {}
          : {
              need: {
                categories: [category] as const,
                reason: `${name} would do something`,
                preview: "what it would do",
                affectedResources: [`/r/${name}`],
                ...options.need
              }
            }),
        run
      })
  })
  return { tool, next: awaited(`a run of the tool ${name}`, Queue.take(runs)) }
}
