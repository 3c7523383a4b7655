import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Config } from "../../src/config/Config.ts"
import { LlamaClient } from "../../src/llama/LlamaClient.ts"
import { ApprovalGate } from "../../src/session/ApprovalGate.ts"
import { ModelStep } from "../../src/session/turn/ModelStep.ts"
import { ModelStatus } from "../../src/session/ModelStatus.ts"
import { ToolBatch } from "../../src/session/turn/ToolBatch.ts"
import { TurnRunner } from "../../src/session/turn/TurnRunner.ts"
import type { SkillRegistry } from "../../src/skills/SkillRegistry.ts"
import type { SessionStore } from "../../src/store/SessionStore.ts"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import * as TestHost from "../../src/testing/TestHost.ts"
import * as Tool from "../../src/tools/Tool.ts"
import { Toolbox } from "../../src/tools/Toolbox.ts"
import { Workspace } from "../../src/tools/Workspace.ts"
// Loaded with the first session otherwise: how long that takes is not the same twice.
import "../../src/router/SessionRequests.ts"
import type { Plan } from "./Acts.ts"
import { slowSkills, slowStore, waits } from "./Slow.ts"
import type { Refused } from "../../src/files/Refused.ts"
import { PerSession } from "../../src/session/PerSession.ts"

/** A run of a tool that waits to be told how it ends. */
export interface ToolRun {
  readonly name: string
  isOver: boolean
  end(exit: Effect.Effect<Tool.ToolOutput, Refused>): void
}

/** A host, a sidecar in the same process, and what waits to be told: model calls and tool runs, oldest first. */
export interface Stage {
  readonly host: TestHost.TestHost
  readonly calls: ReadonlyArray<GatedModel.ModelCall>
  readonly runs: ReadonlyArray<ToolRun>
}

const gatedTool = (name: string, reads: boolean, runs: Array<ToolRun>) =>
  Tool.make({
    name,
    description: "waits",
    parameters: Schema.Struct({ value: Schema.Int }),
    reads,
    plan: ({ value }) =>
      Effect.succeed({
        ...(reads
          ? {}
          : {
              need: { categories: ["shell"] as const, reason: "because", preview: `${value}`, affectedResources: [] }
            }),
        run: Effect.suspend(() => {
          const ended = Deferred.makeUnsafe<Tool.ToolOutput, Refused>()
          const run: ToolRun = { name, isOver: false, end: (exit) => void Deferred.doneUnsafe(ended, exit) }
          runs.push(run)
          return Effect.ensuring(
            Deferred.await(ended),
            Effect.sync(() => {
              run.isOver = true
            })
          )
        })
      })
  })

export const servicesWith = (
  model: Layer.Layer<LlamaClient>,
  store: Layer.Layer<SessionStore>,
  skills: Layer.Layer<SkillRegistry>,
  tools: ReadonlyArray<Tool.Tool>
) =>
  TurnRunner.layer.pipe(
    Layer.provide(Layer.mergeAll(ModelStep.layer, ToolBatch.layer)),
    Layer.provideMerge(Layer.mergeAll(ApprovalGate.layer, ModelStatus.layer, PerSession.layerOf({}))),
    Layer.provide(Toolbox.layerWith(tools)),
    Layer.provide(Workspace.layer),
    Layer.provideMerge(Layer.mergeAll(model, store, skills))
  )

const slowProbe = (model: Layer.Layer<LlamaClient>, delays: ReadonlyArray<number>) =>
  Layer.effect(
    LlamaClient,
    Effect.map(LlamaClient, (client) =>
      LlamaClient.of({ ...client, probe: Effect.andThen(waits(delays), client.probe) })
    )
  ).pipe(Layer.provide(model))

/** Its plan dies before it has looked. */
const oddTool = Tool.make({
  name: "odd",
  description: "dies",
  parameters: Schema.Struct({ value: Schema.Int }),
  reads: true,
  plan: () => {
    throw new TypeError("a bug in the plan of a tool")
  }
})

export const make = (plan: Plan): Effect.Effect<Stage, never, Scope.Scope> =>
  Effect.gen(function* () {
    const model = GatedModel.make()
    const calls: Array<GatedModel.ModelCall> = []
    const runs: Array<ToolRun> = []
    const host = yield* TestHost.make({
      config: Config.layerOf({ sidecar: { outputBufferBytes: plan.outputBufferBytes }, agent: { maxSteps: 4 } }),
      services: servicesWith(slowProbe(model.layer, plan.delays), slowStore(plan), slowSkills(plan.delays), [
        gatedTool("read", true, runs),
        gatedTool("write", false, runs),
        oddTool
      ])
    })
    yield* model.next.pipe(
      Effect.tap((call) => Effect.sync(() => calls.push(call))),
      Effect.forever,
      Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.failCause(cause))),
      Effect.forkScoped
    )
    return { host, calls, runs }
  })

/** Ends with a turn of the event loop in which the file system owes nobody an answer. */
export const quiet: Effect.Effect<void> = Effect.callback((resume) => {
  const look = () =>
    setImmediate(() => {
      const isAwaiting = process
        .getActiveResourcesInfo()
        .some((name) => name.startsWith("FSReq") || name.startsWith("FileHandle"))
      if (isAwaiting) look()
      else resume(Effect.void)
    })
  look()
})
