import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Entry } from "../../src/domain/Transcript.ts"
import * as RealLlamaServer from "../../src/testing/RealLlamaServer.ts"
import { root } from "../support/Bin.ts"
import { textOf } from "./support/captures.ts"
import { clientOf, outcome, question, userEntry } from "./support/client.ts"

const found = RealLlamaServer.find(root)

const base = { at: 1, turnId: "t-1" }
const call = (callId: string): Entry => ({
  kind: "assistant_tool_call",
  ...base,
  callId,
  tool: "fs.list",
  args: { path: "." },
  reasoning: "I look."
})
const result = (callId: string, summary: string): Entry => ({
  kind: "tool_result",
  ...base,
  callId,
  tool: "fs.list",
  status: "ok",
  summary,
  truncated: false
})

/** What a session can come to: several calls, an empty result, a steer and a notice behind results, texts in a row. */
const history: ReadonlyArray<Entry> = [
  { kind: "notice", ...base, text: "Skills have changed." },
  userEntry("One."),
  call("c-1"),
  call("c-2"),
  result("c-1", ""),
  result("c-2", "two"),
  { kind: "user", ...base, text: "Be quick.", steered: true },
  call("c-3"),
  result("c-3", "three"),
  { kind: "notice", ...base, text: "The last step." },
  { kind: "assistant_reply", ...base, text: "I begin", interrupted: true },
  userEntry("Two."),
  userEntry("Three.")
]

describe.skipIf(typeof found === "string")(
  `a real llama-server${typeof found === "string" ? `: ${found}` : ""}`,
  () => {
    const withServer = (template: string | undefined, use: (url: string) => Effect.Effect<void>) =>
      Effect.acquireUseRelease(
        Effect.promise(() => RealLlamaServer.start(found as RealLlamaServer.Installation, template)),
        ({ url }) => use(url),
        (server) => Effect.sync(() => server.stop())
      )

    it.live("answers, with its window and its model", () =>
      withServer(undefined, (url) =>
        Effect.scoped(
          Effect.gen(function* () {
            const client = yield* clientOf(url)
            assert.deepInclude(yield* client.probe, { state: "ready" })
            const { events, failure } = yield* outcome(client.stream(question("[[text]]")))
            assert.isUndefined(failure)
            assert.isNotEmpty(textOf(events))
          })
        )
      )
    )

    const templates =
      typeof found === "string" || !Fs.existsSync(found.templates) ? [] : Fs.readdirSync(found.templates)
    for (const family of [
      "Mistral-Nemo",
      "Ministral",
      "Llama-3.1-8B-Instruct",
      "gemma-2",
      "command-r-plus",
      "Qwen3.5"
    ]) {
      const template = templates.find((name) => name.includes(family))
      it.live.skipIf(template === undefined)(
        `with the template of ${family} takes whatever a session can come to`,
        () =>
          withServer(Path.join((found as RealLlamaServer.Installation).templates, template ?? ""), (url) =>
            Effect.scoped(
              Effect.gen(function* () {
                const client = yield* clientOf(url, { localModels: { completionMaxTokens: 1 } })
                yield* client.probe
                for (const length of [2, 6, 7, 9, 10, history.length]) {
                  const { failure } = yield* outcome(client.stream(question("", { history: history.slice(0, length) })))
                  // The model without training speaks no template's format, which says nothing of the request.
                  if (failure !== undefined)
                    assert.include(failure.message, "The model produced output that does not match")
                }
              })
            )
          )
      )
    }
  }
)
