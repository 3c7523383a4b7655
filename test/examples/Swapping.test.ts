import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { agent, ApprovalGate, Config, SessionStore, SkillFolders, Toolbox, Workspace } from "../../src/index.ts"
import { ContractChecker, GatedModel, TestHost } from "../../src/testing/index.ts"

it.effect("tells the model that a person said no", () =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const gate = ApprovalGate.of({
      require: (_feed, _callId, tool, { category }) => {
        asked.push(tool)
        return Effect.succeed({ approved: false, reason: "not today", category, at: 0 })
      },
      resolve: () => Effect.succeed(false)
    })

    const committed: Array<string> = []
    const store = Effect.map(SessionStore, (memory) =>
      SessionStore.of({
        ...memory,
        commit: (head, entries) => {
          committed.push(...entries.map(({ kind }) => kind))
          return memory.commit(head, entries)
        }
      })
    )

    const model = GatedModel.make()
    const services = agent.pipe(
      Layer.provide(Toolbox.layer),
      Layer.provide(Workspace.layer),
      Layer.provideMerge(Layer.mergeAll(Layer.succeed(ApprovalGate, gate), SkillFolders.layer, model.layer)),
      Layer.provideMerge(Layer.provide(Layer.effect(SessionStore, store), SessionStore.layerMemory))
    )
    // Stands at the other end of a `Stdio` that is in memory, too.
    const host = yield* TestHost.make({ services, config: Config.layerOf({ stateDir: "/nowhere" }) })

    yield* host.request("start_session", { workingDir: "." })
    const { sessionId } = (yield* host.event("session_started")).payload
    const response = host.post("send_message", { sessionId, text: "Write it down." })
    const first = yield* model.next
    first.finish([GatedModel.toolCall("fs.write", { path: "note.txt", content: "it" })])
    const second = yield* model.next
    assert.include(JSON.stringify(second.request.history.at(-1)), "not today")
    second.answer("I was not allowed to.")
    assert.isTrue((yield* response).ok)

    yield* host.end
    assert.deepStrictEqual(asked, ["fs.write"])
    assert.deepStrictEqual(committed, ["user", "assistant_tool_call", "tool_result", "assistant_reply"])
    assert.deepStrictEqual(ContractChecker.check(host.frames, { requests: host.requests, ended: true }), [])
  })
)
