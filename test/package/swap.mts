/**
 * An embedder's program, which has nothing but the package: it puts a layer of its own in the place of each of the seven
 * concerns, and says which of them were used. `node swap.mts test` plays a turn in this process, `node swap.mts run`
 * serves the process's own pipe.
 */
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import {
  agentWith,
  ApprovalGate,
  Config,
  LlamaClient,
  type PipeLayers,
  RequestRouter,
  run,
  SessionActor,
  SessionStore,
  SkillFolders,
  StdinDecoder,
  StdoutSink,
  Tool,
  Toolbox,
  TurnQueue,
  Workspace
} from "atomic-agent-sidecar"
import { TestHost } from "atomic-agent-sidecar/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

const used = new Set<string>()

const stdinDecoder: PipeLayers["stdinDecoder"] = Layer.effect(
  StdinDecoder,
  Effect.map(StdinDecoder, ({ requests }) =>
    StdinDecoder.of({ requests: Stream.tap(requests, () => Effect.sync(() => used.add("stdin decoder"))) })
  )
).pipe(Layer.provide(StdinDecoder.layer))

const requestRouter: PipeLayers["requestRouter"] = Layer.effect(
  RequestRouter,
  Effect.map(RequestRouter, (router) =>
    RequestRouter.of({
      serve: (handlers, until) => {
        used.add("request router")
        return router.serve(handlers, until)
      }
    })
  )
).pipe(Layer.provide(RequestRouter.layer))

const stdoutSink: PipeLayers["stdoutSink"] = Layer.effect(
  StdoutSink,
  Effect.map(StdoutSink, (sink) =>
    StdoutSink.of({
      ...sink,
      answer: (line) => {
        used.add("stdout sink")
        return sink.answer(line)
      }
    })
  )
).pipe(Layer.provide(StdoutSink.layer))

const sessionActor = Layer.effect(
  SessionActor,
  Effect.map(SessionActor, (actor) =>
    SessionActor.of({
      send: (text, maxSteps, answer) => {
        used.add("session actor")
        return actor.send(text, maxSteps, answer)
      },
      steer: actor.steer,
      cancel: actor.cancel,
      get queue() {
        return actor.queue
      },
      unqueue: actor.unqueue
    })
  )
).pipe(Layer.provide(SessionActor.layer))

const turnQueue = Layer.effect(
  TurnQueue,
  Effect.map(TurnQueue, (queue) =>
    TurnQueue.of({
      offer: (turn) => {
        used.add("turn queue")
        return queue.offer(turn)
      },
      next: queue.next,
      remove: queue.remove,
      get waiting() {
        return queue.waiting
      },
      doorbell: queue.doorbell
    })
  )
).pipe(Layer.provide(TurnQueue.layer))

const approvalGate = Layer.succeed(ApprovalGate, {
  require: (_feed, _callId, _tool, { category }) => {
    used.add("approval gate")
    return Effect.succeed({ approved: true, reason: undefined, category, at: 0 })
  },
  resolve: () => Effect.succeed(false)
})

const llamaClient = Layer.succeed(LlamaClient, {
  url: "app:",
  slotId: -1,
  probe: Effect.succeed({ state: "ready" as const, url: "app:" }),
  window: () => Effect.succeed(null),
  stream: ({ history }) => {
    used.add("llama client")
    return history.at(-1)?.kind === "tool_result"
      ? Stream.make({ _tag: "Text", text: "It is done." }, { _tag: "Finished", reason: "stop", calls: [] })
      : Stream.make({
          _tag: "Finished",
          reason: "tool_calls",
          calls: [{ name: "app.act", args: { _tag: "Parsed", value: {} } }]
        })
  }
})

const act = Tool.make({
  name: "app.act",
  description: "Acts.",
  parameters: Schema.Struct({}),
  reads: false,
  plan: () =>
    Effect.succeed({
      need: { categories: ["other"], reason: "act", preview: "act", affectedResources: [] },
      run: Effect.succeed({ text: "done" })
    })
})

const services = agentWith({ sessionActor, turnQueue }).pipe(
  Layer.provide(Toolbox.layerWith([act])),
  Layer.provide(Workspace.layer),
  Layer.provideMerge(Layer.mergeAll(approvalGate, llamaClient, SkillFolders.layer, SessionStore.layerMemory))
)
const config = Config.layerOf({ stateDir: "/nowhere" })
const layers = { stdinDecoder, requestRouter, stdoutSink }

const overTestHost = Effect.gen(function* () {
  const host = yield* TestHost.make({ services, config, layers })
  yield* host.request("start_session", { workingDir: "." })
  const { sessionId } = (yield* host.event("session_started")).payload
  yield* host.request("send_message", { sessionId, text: "Act." })
  yield* host.end
}).pipe(Effect.scoped)

const overThePipe = run(services, layers).pipe(Effect.provide([config, NodeStdio.layer]))

await Effect.runPromise(process.argv[2] === "test" ? overTestHost : overThePipe)
process.stderr.write(JSON.stringify([...used].toSorted()))
