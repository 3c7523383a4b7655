import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Config } from "../../../src/config/Config.ts"
import type { Refused } from "../../../src/files/Refused.ts"
import { LlamaClient } from "../../../src/llama/LlamaClient.ts"
import { agent } from "../../../src/Sidecar.ts"
import { ApprovalGate } from "../../../src/session/ApprovalGate.ts"
// Loaded with the first session otherwise: how long that takes is not the same twice.
import "../../../src/router/SessionRequests.ts"
import * as GatedModel from "../../../src/testing/GatedModel.ts"
import * as TestHost from "../../../src/testing/TestHost.ts"
import * as Tool from "../../../src/tools/Tool.ts"
import { Toolbox } from "../../../src/tools/Toolbox.ts"
import { Workspace } from "../../../src/tools/Workspace.ts"
import type { Plan } from "./Plan.ts"
import { slowSkills, slowStore, waits } from "./SlowServices.ts"

/** A run of a tool that waits to be ended. */
export interface ToolRun {
  isOver: boolean
  end(exit: Effect.Effect<Tool.ToolOutput, Refused>): void
}

/** A host, a sidecar in the same process, and what waits to be ended: model calls and tool runs, oldest first. */
export interface Stage {
  readonly host: TestHost.TestHost
  readonly calls: ReadonlyArray<GatedModel.ModelCall>
  readonly runs: ReadonlyArray<ToolRun>
}

const parameters = Schema.Struct({ value: Schema.Int })

const gatedTool = (name: string, reads: boolean, runs: Array<ToolRun>) =>
  Tool.make({
    name,
    description: "waits",
    parameters,
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
          const run: ToolRun = { isOver: false, end: (exit) => void Deferred.doneUnsafe(ended, exit) }
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

/** Its plan throws. */
const oddTool = Tool.make({
  name: "odd",
  description: "dies",
  parameters,
  reads: true,
  plan: () => {
    throw new TypeError("a bug in the plan of a tool")
  }
})

const slowProbe = (model: Layer.Layer<LlamaClient>, delays: ReadonlyArray<number>) =>
  Layer.effect(
    LlamaClient,
    Effect.map(LlamaClient, (client) =>
      LlamaClient.of({ ...client, probe: Effect.andThen(waits(delays), client.probe) })
    )
  ).pipe(Layer.provide(model))

export const make = (plan: Plan): Effect.Effect<Stage, never, Scope.Scope> =>
  Effect.gen(function* () {
    const model = GatedModel.make()
    const calls: Array<GatedModel.ModelCall> = []
    const runs: Array<ToolRun> = []
    const host = yield* TestHost.make({
      config: Config.layerOf({ sidecar: { outputBufferBytes: plan.outputBufferBytes }, agent: { maxSteps: 4 } }),
      services: agent.pipe(
        Layer.provide(Toolbox.layerWith([gatedTool("read", true, runs), gatedTool("write", false, runs), oddTool])),
        Layer.provide(Workspace.layer),
        Layer.provideMerge(Layer.merge(ApprovalGate.layer, slowSkills(plan.delays))),
        Layer.provideMerge(Layer.merge(slowProbe(model.layer, plan.delays), slowStore(plan)))
      )
    })
    yield* model.next.pipe(
      Effect.tap((call) => Effect.sync(() => calls.push(call))),
      Effect.forever,
      Effect.catchCause((cause) => (Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.failCause(cause))),
      Effect.forkScoped
    )
    return { host, calls, runs }
  })
