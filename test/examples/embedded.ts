import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Sidecar from "../../src/index.ts"

// Any stream of model events can be the model.
const model = Sidecar.LlamaClient.of({
  url: "app:",
  slotId: -1,
  probe: Effect.succeed({ state: "ready", url: "app:" }),
  window: () => Effect.succeed(null),
  stream: ({ history }) => {
    const last = history.at(-1)
    if (last?.kind === "tool_result") {
      return Stream.make({ _tag: "Text", text: last.summary }, { _tag: "Finished", reason: "stop", calls: [] })
    }
    const call = { name: "app.add", args: { _tag: "Parsed", value: { numbers: [1, 2, 3] } } } as const
    return Stream.make({ _tag: "Finished", reason: "tool_calls", calls: [call] })
  }
})

const add = Sidecar.Tool.make({
  name: "app.add",
  description: "Adds numbers.",
  parameters: Schema.Struct({ numbers: Schema.Array(Schema.Number) }),
  reads: true,
  plan: ({ numbers }) => Effect.succeed({ run: Effect.succeed({ text: `${numbers.reduce((a, b) => a + b, 0)}` }) })
})

const services = Sidecar.agent.pipe(
  Layer.provide(Sidecar.Toolbox.layerWith([add])),
  Layer.provide(Sidecar.Workspace.layer),
  Layer.provideMerge(Layer.merge(Layer.succeed(Sidecar.LlamaClient, model), Sidecar.SessionStore.layerMemory)),
  Layer.provideMerge(Layer.merge(Sidecar.ApprovalGate.layer, Sidecar.SkillFolders.layer))
)

await Effect.runPromise(Sidecar.run(services).pipe(Effect.provide([Sidecar.Config.layer, NodeStdio.layer])))
