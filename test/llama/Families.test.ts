import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Config } from "../../src/config/Config.ts"
import { Refused } from "../../src/files/Refused.ts"
import * as LlamaHttp from "../../src/llama/LlamaHttp.ts"
import { type Answer, chunk, refuse, say } from "../../src/testing/LlamaAnswers.ts"
import * as Standin from "../../src/testing/LlamaServer.ts"
import { SeededRandom } from "../../src/testing/SeededRandom.ts"
import { families, refusalOf, type TemplateFamily } from "../../src/testing/TemplateFamilies.ts"
import * as TestHost from "../../src/testing/TestHost.ts"
import * as Tool from "../../src/tools/Tool.ts"
import { awaited } from "../support/Patience.ts"
import { servicesWith } from "../support/Sidecar.ts"

const look = Tool.make({
  name: "fs.look",
  description: "Looks.",
  parameters: Schema.Struct({ paths: Schema.optionalKey(Schema.Array(Schema.String)) }),
  reads: true,
  plan: ({ paths = [] }) =>
    Effect.succeed({
      run:
        paths[0] === "missing"
          ? Effect.fail(new Refused({ detail: "it is not there" }))
          : Effect.succeed({ text: paths.join("\n") })
    })
})

/** What the model of a random session says, and what its host does in that moment. */
const answerOf = (random: SeededRandom, host: { steer(): void; cancel(): void }): Answer => {
  const call = () => ({ name: "fs.look", arguments: random.pick([{}, { paths: ["a"] }, { paths: ["missing"] }]) })
  if (random.chance(0.2)) host.steer()
  const kind = random.weighted({
    words: 5,
    calls: 7,
    mixed: 3,
    finish: 1,
    bad: 1,
    empty: 1,
    refused: 1,
    cut: 1,
    hang: 1
  })
  switch (kind) {
    case "words":
      return say({ text: random.pick(["So it is.", "  Indented.", "🚀"]) })
    case "calls":
      return say({ toolCalls: random.list(random.integer(1, 3), call) })
    case "mixed":
      return say({ reasoning: "Hm.", text: "I look.", toolCalls: random.list(random.integer(1, 2), call) })
    case "finish":
      return say({ toolCalls: [call(), { name: "finish", arguments: { summary: "Done." } }] })
    case "bad":
      return say({ toolCalls: [{ name: "no such", arguments: '{"a": ' }] })
    case "empty":
      return say({ text: " " })
    case "refused":
      return refuse(500, "out of memory")
    case "cut":
      return { pieces: [chunk({ content: "I begin" })], ending: "cut" }
    case "hang":
      host.cancel()
      return { pieces: random.chance(0.5) ? [chunk({ content: "I begin" })] : [], ending: "hang" }
  }
}

interface Played {
  /** The requests that the template took, and the refusals of the others. */
  readonly taken: ReadonlyArray<any>
  readonly refusals: ReadonlyArray<string>
  /** The errors of turns that failed, and the warnings. */
  readonly errors: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/** Plays a random session against a server with the template of a family; the family may change with the turns. */
const play = (seed: number, familyOf: (turn: number) => TemplateFamily, turns = 8) =>
  Effect.scoped(
    Effect.gen(function* () {
      const random = new SeededRandom(seed)
      const taken: Array<unknown> = []
      const refusals: Array<string> = []
      let turn = 0
      let acts = { steer: () => {}, cancel: () => {} }
      const server = yield* Standin.make({
        answer: ({ body }) => {
          const family = familyOf(turn)
          const refusal = refusalOf(family, body)
          if (refusal === undefined) {
            taken.push(body)
            return named(family, answerOf(random, acts))
          }
          refusals.push(refusal)
          return refuse(random.chance(0.5) ? 400 : 500, `Error: Jinja Exception: ${refusal}`)
        }
      })
      const config = Config.layerOf({
        stateDir: "/nonexistent/state",
        localModels: { url: server.url },
        llama: { retryBackoffMs: 1 }
      })
      const host = yield* TestHost.make({
        config,
        services: servicesWith(Layer.provide(LlamaHttp.layer, config), { tools: [look] })
      })
      const started = yield* host.request("start_session", { workingDir: "." })
      const { sessionId } = started.payload as { sessionId: string }
      acts = {
        steer: () => void host.post("steer_message", { sessionId, text: "Be quick." }),
        cancel: () => void host.post("cancel", { sessionId })
      }
      for (; turn < turns; turn += 1) {
        const maxSteps = random.pick([undefined, undefined, 1, 2, 3])
        const message = { sessionId, text: `Question ${turn}`, ...(maxSteps === undefined ? {} : { maxSteps }) }
        yield* awaited(`the end of turn ${turn} of seed ${seed}`, host.request("send_message", message))
      }
      yield* host.end
      const ofType = (type: string): ReadonlyArray<any> =>
        host.frames.flatMap((frame) => (frame.kind === "event" && frame.type === type ? [frame.payload] : []))
      return {
        taken,
        refusals,
        errors: ofType("session_failed").map(({ error }) => String(error)),
        warnings: ofType("log").flatMap(({ level, message }) => (level === "warn" ? [String(message)] : []))
      } as Played
    })
  )

/** The same answer of a model of this name. */
const named = (model: string, answer: Answer): Answer => ({
  ...answer,
  pieces: [...answer.pieces].map((piece) =>
    typeof piece === "object" && !(piece instanceof Uint8Array) ? { ...piece, model } : piece
  )
})

/** Turns fail for what the model does, and never for what the template does not take. */
const noRefusalShows = ({ errors }: Played) =>
  assert.deepStrictEqual(
    errors.filter((error) => error.includes("Jinja")),
    []
  )

const textsOf = ({ messages }: { messages: ReadonlyArray<object> }) =>
  messages.map((message) => JSON.stringify(message))

/** Each request begins with all messages of the one before it, byte for byte. */
const onlyGrows = (taken: ReadonlyArray<any>) => {
  for (const [index, body] of taken.entries()) {
    const before = taken[index - 1]
    if (before === undefined) continue
    const texts = textsOf(before)
    assert.deepStrictEqual(textsOf(body).slice(0, texts.length), texts, `request ${index}`)
    assert.strictEqual(JSON.stringify(body.tools), JSON.stringify(before.tools))
  }
}

const seeds = Array.from({ length: 5 }, (_, index) => index + 1)

describe("random sessions with the template of", () => {
  it.live("all demands at once are never refused, and their prompts only grow", () =>
    Effect.forEach([...seeds, 6, 7, 8, 9, 10], (seed) =>
      Effect.map(
        play(seed, () => "careful"),
        (played) => {
          assert.deepStrictEqual(played.refusals, [], `seed ${seed}`)
          noRefusalShows(played)
          onlyGrows(played.taken)
        }
      )
    )
  )

  it.live("llama3 are refused until an answer has begun, and get one call in a message from then on", () =>
    Effect.forEach(seeds, (seed) =>
      Effect.map(
        play(seed, () => "llama3"),
        (played) => {
          noRefusalShows(played)
          assert.isAtMost(played.refusals.length, 2, "only until an answer has begun")
          assert.isTrue(played.taken.every(({ tools }) => tools !== undefined))
          assert.deepStrictEqual(played.warnings, [])
          for (const body of played.taken) assert.isUndefined(refusalOf("careful", body))
        }
      )
    )
  )

  for (const family of ["gemma2", "gemma2Bare", "commandRPlus", "withoutTools"] as const) {
    it.live(`${family} become a plain conversation, and one warning says so`, () =>
      Effect.forEach(seeds, (seed) =>
        Effect.map(
          play(seed, () => family),
          (played) => {
            noRefusalShows(played)
            assert.isAtMost(played.refusals.length, 4, "only until an answer has begun")
            const isPlain = played.taken.some(({ tools }) => tools === undefined)
            assert.isAtMost(played.warnings.length, 1)
            if (played.warnings.length > 0) {
              assert.isTrue(isPlain)
              assert.match(played.warnings[0] ?? "", /no tool is offered/)
            }
            for (const body of played.taken) assert.isUndefined(refusalOf("careful", body))
          }
        )
      )
    )
  }
})

it.live("a session outlives every swap of the server's model", () =>
  Effect.forEach(seeds, (seed) => {
    const swaps = ["qwen", "mistral", "gemma2", "llama3", "withoutTools", "ministral", "gemma2Bare", "qwen"] as const
    return Effect.map(
      play(seed, (turn) => swaps[turn % swaps.length]!, 16),
      noRefusalShows
    )
  })
)

it("each family refuses what is its own to refuse", () => {
  const call = (...ids: ReadonlyArray<string>) => ({
    role: "assistant",
    content: "",
    tool_calls: ids.map((id) => ({ id }))
  })
  const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "a" })
  const [user, assistant, system] = ["user", "assistant", "system"].map((role) => ({ role, content: "a" })) as any
  const rows: ReadonlyArray<readonly [ReadonlyArray<any>, ReadonlyArray<TemplateFamily>]> = [
    [[system, user, assistant, user], ["gemma2Bare"]],
    [
      [system, user, call("abcdefghi"), result("abcdefghi")],
      ["gemma2", "gemma2Bare"]
    ],
    [
      [user, call("c-1"), result("c-1")],
      ["mistral", "gemma2", "gemma2Bare", "careful"]
    ],
    [
      [user, call("abcdefghi"), result("abcdefghi"), user],
      ["mistral", "ministral", "gemma2", "gemma2Bare", "careful"]
    ],
    [
      [user, call("abcdefghi", "bbcdefghi"), result("abcdefghi"), result("bbcdefghi")],
      ["llama3", "gemma2", "gemma2Bare"]
    ],
    [[system], ["qwen", "gemma2Bare", "careful"]]
  ]
  for (const [messages, refusing] of rows) {
    const all = Object.keys(families) as ReadonlyArray<TemplateFamily>
    assert.deepStrictEqual(
      all.filter((family) => refusalOf(family, { messages }) !== undefined),
      refusing
    )
  }
})
