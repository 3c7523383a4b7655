import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { Config } from "../../src/config/Config.ts"
import type { LlamaClient } from "../../src/llama/LlamaClient.ts"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import { ApprovalGate } from "../../src/session/ApprovalGate.ts"
import { HostTools } from "../../src/session/HostTools.ts"
import { ModelStep } from "../../src/session/turn/ModelStep.ts"
import { ModelStatus } from "../../src/session/ModelStatus.ts"
import { PerSession } from "../../src/session/PerSession.ts"
import { ToolBatch } from "../../src/session/turn/ToolBatch.ts"
import { TurnRunner } from "../../src/session/turn/TurnRunner.ts"
import * as SkillFolders from "../../src/skills/SkillFolders.ts"
import type { SkillRegistry } from "../../src/skills/SkillRegistry.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import { check } from "../../src/testing/ContractChecker.ts"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import * as TestHost from "../../src/testing/TestHost.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import { Toolbox } from "../../src/tools/Toolbox.ts"
import { Workspace } from "../../src/tools/Workspace.ts"
import { awaited } from "./Patience.ts"
import { faultsOf } from "./Schema.ts"
import type { Lifeline } from "../../src/stdio/Lifeline.ts"
import type { StdoutSink } from "../../src/stdio/StdoutSink.ts"

export interface Setup {
  readonly config?: Parameters<typeof Config.layerOf>[0]
  readonly tools?: ReadonlyArray<Tool>
  readonly store?: Layer.Layer<SessionStore>
  readonly skills?: Layer.Layer<SkillRegistry, never, Config>
  readonly lifeline?: Layer.Layer<Lifeline, never, StdoutSink>
}

/** A host, a sidecar in this process, and a model that waits to be told what to say. */
export interface Stage {
  readonly host: TestHost.TestHost
  readonly model: GatedModel.GatedModel
  /** Starts a session in this repository's folder. */
  readonly session: Effect.Effect<string>
  /** Sends a message; the effect waits for its response. */
  send(sessionId: string, text: string, maxSteps?: number): Effect.Effect<unknown>
}

/** What sessions are made of, over this model. */
export const servicesWith = (
  model: Layer.Layer<LlamaClient>,
  { skills = SkillFolders.layer, store = SessionStore.layerMemory, tools = [] }: Setup
) =>
  TurnRunner.layer.pipe(
    Layer.provide(Layer.mergeAll(ModelStep.layer, ToolBatch.layer)),
    Layer.provideMerge(Layer.mergeAll(ApprovalGate.layer, HostTools.layer, ModelStatus.layer, PerSession.layerOf({}))),
    Layer.provide(Toolbox.layerWith(tools)),
    Layer.provide(Workspace.layer),
    Layer.provideMerge(skills),
    Layer.provideMerge(Layer.merge(model, store))
  )

/** How long the end of an interrupted sidecar is waited for, in milliseconds: less than is left of a test that hung. */
const interruptedMs = 5000

/** Sets the stage; when the test is over, everything that was read is held against the contract and the schema. */
export const stage = (setup: Setup = {}): Effect.Effect<Stage, never, Scope.Scope> =>
  Effect.gen(function* () {
    const model = GatedModel.make()
    const scope = yield* Scope.make()
    const made = TestHost.make({
      // Not the one of whoever runs the tests.
      config: Config.layerOf({ stateDir: "/nonexistent/state", ...setup.config }),
      services: servicesWith(model.layer, setup),
      ...(setup.lifeline === undefined ? {} : { layers: { lifeline: setup.lifeline } })
    })
    const host = inTime(yield* Scope.provide(made, scope))
    yield* Effect.addFinalizer((exit) =>
      Effect.gen(function* () {
        // A sidecar that hangs must not keep the test from saying what it waited for.
        if (Exit.isSuccess(exit)) yield* host.end
        const closing = yield* Effect.forkDetach(Scope.close(scope, exit))
        yield* awaited("the end of the sidecar after its interruption", Fiber.join(closing), interruptedMs)
        if (Exit.isFailure(exit)) return
        assert.deepStrictEqual(check(host.frames, { requests: host.requests, ended: true }), [])
        assert.deepStrictEqual(faultsOf(host.frames, host.requests), [])
      })
    )
    return {
      host,
      model: { ...model, next: awaited(() => `a call of the model, after ${latest(host)}`, model.next) },
      session: Effect.map(host.request("start_session", { workingDir: "." }), (response) => {
        assert.isTrue(response.ok, JSON.stringify(response))
        return (response.payload as { sessionId: string }).sessionId
      }),
      send: (sessionId, text, maxSteps) =>
        Effect.map(
          host.post("send_message", { sessionId, text, ...(maxSteps === undefined ? {} : { maxSteps }) }),
          (response) => (response.ok ? response.payload : response.error)
        )
    }
  })

/** The host, whose waiting has a limit and says what it waited for. */
const inTime = (host: TestHost.TestHost): TestHost.TestHost => {
  const within = <A>(what: string, effect: Effect.Effect<A>) => awaited(() => `${what}, after ${latest(host)}`, effect)
  return {
    ...host,
    request: (type, payload) => within(`the response to ${type}`, host.request(type, payload)),
    post: (type, payload) => within(`the response to ${type}`, host.post(type, payload)),
    event: (type, fits) => within(`an event ${type}`, host.event(type, fits)),
    frame: (fits) => within(`a frame that ${fits}`, host.frame(fits)),
    get output() {
      return host.output
    },
    end: within("the end after the end of the input", host.end),
    ended: within("the end", host.ended)
  }
}

const latest = ({ frames }: TestHost.TestHost): string => types(frames).slice(-8).join(", ") || "nothing"

/** The frames as short words: `type` of an event, `response` of a response; figures have no place in the order. */
export const types = (frames: ReadonlyArray<SidecarFrame>): ReadonlyArray<string> =>
  frames.map((frame) => (frame.kind === "event" ? frame.type : "response")).filter((type) => type !== "metric")
