import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Config } from "../../src/config/Config.ts"
import { LlamaClient } from "../../src/llama/LlamaClient.ts"
import { ApprovalGate } from "../../src/session/ApprovalGate.ts"
import { HostTools } from "../../src/session/HostTools.ts"
import { ModelStep } from "../../src/session/turn/ModelStep.ts"
import { ModelStatus } from "../../src/session/ModelStatus.ts"
import { ToolBatch } from "../../src/session/turn/ToolBatch.ts"
import { TurnRunner } from "../../src/session/turn/TurnRunner.ts"
import * as SkillFolders from "../../src/skills/SkillFolders.ts"
import { SkillRegistry } from "../../src/skills/SkillRegistry.ts"
import { SessionStore } from "../../src/store/SessionStore.ts"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import * as TestHost from "../../src/testing/TestHost.ts"
import * as Tool from "../../src/tools/Tool.ts"
import { Toolbox } from "../../src/tools/Toolbox.ts"
import { Workspace } from "../../src/tools/Workspace.ts"
import { PerSession } from "../../src/session/PerSession.ts"

/** How a member of a service goes wrong. */
export type Way = "throws" | "dies" | "dies of something odd" | "interrupts itself"

/** One member of one service, and how it goes wrong while the fault is armed. */
export interface Fault {
  readonly service: string
  readonly member: string
  readonly way: Way
  isArmed: boolean
  /** How often it went wrong. */
  hits: number
}

const services = {
  LlamaClient,
  ApprovalGate,
  ModelStep,
  ModelStatus,
  ToolBatch,
  TurnRunner,
  SkillRegistry,
  SessionStore
}
export type ServiceName = keyof typeof services | "SessionTools"

/** Its message cannot even be read. */
const odd = Object.defineProperty(Object.create(null), "message", {
  get: () => {
    throw new Error("no message")
  }
})

const gone = (fault: Fault): Effect.Effect<never> => {
  fault.hits++
  switch (fault.way) {
    case "throws":
      throw new TypeError(`${fault.member} is wrong`)
    case "dies":
      return Effect.die(new TypeError(`${fault.member} is wrong`))
    case "dies of something odd":
      return Effect.die(odd)
    case "interrupts itself":
      return Effect.interrupt
  }
}

/** An effect may be run long after it was asked for. */
const unlessArmed = (effect: Effect.Effect<unknown, unknown, unknown>, fault: Fault) =>
  Effect.suspend(() => (fault.isArmed ? gone(fault) : effect))

/** The service as it is, but for the one member. */
const broken = (service: object, fault: Fault): object =>
  new Proxy(service, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      if (key !== fault.member) return member
      if (typeof member === "function") {
        return (...args: ReadonlyArray<unknown>) => {
          if (fault.isArmed) return key === "stream" ? Stream.drain(Stream.fromEffect(gone(fault))) : gone(fault)
          const result: unknown = Reflect.apply(member, target, args)
          return Effect.isEffect(result) ? unlessArmed(result, fault) : result
        }
      }
      if (Effect.isEffect(member)) return unlessArmed(member, fault)
      return fault.isArmed ? gone(fault) : member
    }
  })

const quickTool = (name: string, asks: boolean) =>
  Tool.make({
    name,
    description: "is done at once",
    parameters: Schema.Struct({}),
    reads: !asks,
    plan: () =>
      Effect.succeed({
        ...(asks
          ? { need: { categories: ["shell"] as const, reason: "because", preview: "done", affectedResources: [] } }
          : {}),
        run: Effect.succeed({ text: "done" })
      })
  })

/**
 * A sidecar in which one member of one service can go wrong, and everyone else does what they must: the model asks for
 * two tools and then answers, the host approves.
 */
export const faultyStage = (fault: Fault) =>
  Effect.gen(function* () {
    const model = GatedModel.make()
    const wrap = <I, E, R>(name: ServiceName, layer: Layer.Layer<I, E, R>): Layer.Layer<I, E, R> => {
      if (name !== fault.service) return layer
      const tag: Context.Key<never, object> = services[name as keyof typeof services] as never
      return Layer.effect(
        tag,
        Effect.map(tag, (service) => broken(service as object, fault))
      ).pipe(Layer.provide(layer)) as Layer.Layer<I, E, R>
    }
    const tools = [quickTool("look", false), quickTool("act", true)]
    const toolbox =
      fault.service !== "SessionTools"
        ? Toolbox.layerWith(tools)
        : Layer.effect(
            Toolbox,
            Effect.map(Toolbox, ({ names, open }) =>
              Toolbox.of({
                names,
                open: (session) => Effect.map(open(session), (opened) => broken(opened, fault) as typeof opened)
              })
            )
          ).pipe(Layer.provide(Toolbox.layerWith(tools)))
    const host = yield* TestHost.make({
      config: Config.layerOf({ stateDir: "/nonexistent/state" }),
      services: wrap("TurnRunner", TurnRunner.layer).pipe(
        Layer.provide(Layer.merge(wrap("ModelStep", ModelStep.layer), wrap("ToolBatch", ToolBatch.layer))),
        Layer.provideMerge(
          Layer.mergeAll(
            wrap("ApprovalGate", ApprovalGate.layer),
            HostTools.layer,
            wrap("ModelStatus", ModelStatus.layer),
            PerSession.layerOf({})
          )
        ),
        Layer.provide(toolbox),
        Layer.provide(Workspace.layer),
        Layer.provideMerge(
          Layer.mergeAll(
            wrap("SkillRegistry", SkillFolders.layer),
            wrap("LlamaClient", model.layer),
            wrap("SessionStore", SessionStore.layerMemory)
          )
        )
      )
    })
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.map(model.next, (call) => {
          if (call.request.stepIndex > 0) return call.answer("Done.")
          call.say("I will look.")
          return call.finish([GatedModel.toolCall("look"), GatedModel.toolCall("act")])
        })
      )
    )
    host.stdio.onOutput((text) => {
      for (const [, approvalId] of text.matchAll(/"approval_request","payload":\{.*?"approvalId":"([^"]+)"/g)) {
        void host.post("approval_response", { approvalId, approved: true })
      }
    })
    return host
  })
