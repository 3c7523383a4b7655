/** A sidecar put together by hand, whose tool and model print wherever programs print. */
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Sidecar from "../../src/index.ts"

// As a module that is loaded first may have done.
const write = process.stdout.write.bind(process.stdout)

const printEverywhere = (where: string) =>
  Effect.gen(function* () {
    write(`${where} by a copy of write\n`)
    process.stdout.write(`${where} by stdout.write\n`)
    // oxlint-disable-next-line no-console -- the noise that is tested
    console.log(`${where} by console.log`)
    yield* Effect.logError(`${where} by Effect's logger`)
  })

const model = Sidecar.LlamaClient.of({
  url: "app:",
  slotId: -1,
  probe: Effect.succeed({ state: "ready", url: "app:" }),
  window: () => Effect.succeed(null),
  stream: ({ history }) => {
    const call = { name: "app.print", args: { _tag: "Parsed", value: {} } } as const
    const events: ReadonlyArray<Sidecar.ModelEvent> =
      history.at(-1)?.kind === "tool_result"
        ? [
            { _tag: "Text", text: "printed" },
            { _tag: "Finished", reason: "stop", calls: [] }
          ]
        : [{ _tag: "Finished", reason: "tool_calls", calls: [call] }]
    return Stream.unwrap(Effect.as(printEverywhere("the model"), Stream.fromArray(events)))
  }
})

const print = Sidecar.Tool.make({
  name: "app.print",
  description: "Prints.",
  parameters: Schema.Struct({}),
  reads: true,
  plan: () => Effect.succeed({ run: Effect.as(printEverywhere("the tool"), { text: "done" }) })
})

const services = Sidecar.agent.pipe(
  Layer.provide(Sidecar.Toolbox.layerWith([print])),
  Layer.provide(Sidecar.Workspace.layer),
  Layer.provideMerge(Layer.merge(Layer.succeed(Sidecar.LlamaClient, model), Sidecar.SessionStore.layerMemory)),
  Layer.provideMerge(Layer.merge(Sidecar.ApprovalGate.layer, Sidecar.SkillFolders.layer))
)

const program =
  process.argv[2] === "serve" ? Sidecar.serve(services).pipe(Effect.provide(Sidecar.hostPipe())) : Sidecar.run(services)

await Effect.runPromise(program.pipe(Effect.provide([Sidecar.Config.layer, NodeStdio.layer])))
