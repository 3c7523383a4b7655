import * as Fs from "node:fs"
import * as Path from "node:path"
import { type Answer, chunk, type Piece, type RawAnswer, refuse, say } from "../../../src/testing/LlamaAnswers.ts"
import { SeededRandom } from "../../../src/testing/SeededRandom.ts"
import * as Framing from "./Framing.ts"
import type { Scene } from "./Place.ts"
import { drawToolCall } from "./ToolCalls.ts"

/** What a chat request gets, by name, and the seed of what is left to choose. */
export interface ServedAnswer {
  readonly name: AnswerName
  readonly seed: number
}

/** `among`: those to choose from, by how often each is chosen. */
export const drawAnswers = (
  random: SeededRandom,
  count: number,
  among: { readonly [N in AnswerName]?: number } = weights
): ReadonlyArray<ServedAnswer> =>
  random.list(count, () => ({
    name: random.weighted(among as { readonly [N in AnswerName]: number }),
    seed: random.seed()
  }))

export const answerOf = ({ name, seed }: ServedAnswer, scene: Scene): Answer | RawAnswer =>
  answers[name](new SeededRandom(seed), scene)

export type AnswerName = keyof typeof weights

const weights = {
  words: 10,
  calls: 40,
  "calls with words": 10,
  "quick calls": 2,
  "calls and finish": 3,
  "many tokens": 2,
  flood: 1,
  "cut characters": 2,
  reasoning: 2,
  "think tag": 2,
  "think only": 1,
  prefill: 2,
  "slow words": 2,
  "whole body": 1,
  capture: 5,
  "capture, cut": 1,
  "head that hangs": 1,
  "prefill that hangs": 1,
  "words that hang": 1,
  "pings only": 1,
  "cut before the head": 1,
  "cut in the head": 1,
  "cut in words": 1,
  "no finish": 1,
  "done only": 1,
  "empty stream": 1,
  "empty answer": 1,
  "length in words": 1,
  "length in a call": 1,
  "unusable calls": 2,
  "strange calls": 2,
  "no JSON in an event": 1,
  HTML: 1,
  "error in the stream": 1,
  "error field": 1,
  "error after words": 1,
  status: 3,
  loading: 1,
  overflow: 1,
  "huge event": 1,
  noise: 1,
  "no HTTP": 1,
  "strange HTTP": 4,
  "wrong HTTP": 3
} as const

/** Recorded answers of a real llama-server, byte for byte. */
const captures = (): ReadonlyArray<Uint8Array> => {
  const folder = Path.resolve(import.meta.dirname, "../../../test/llama/captures")
  recorded ??= Fs.globSync("*.http", { cwd: folder })
    .toSorted()
    .map((name) => Fs.readFileSync(Path.join(folder, name)))
  return recorded
}
let recorded: ReadonlyArray<Uint8Array> | undefined

const html = { "Content-Type": "text/html" }
const done = "data: [DONE]\n\n"
const begun: ReadonlyArray<Piece> = [chunk({ role: "assistant", content: null }), chunk({ content: "Well, " })]

const text = (random: SeededRandom): string =>
  random.pick([
    "This is all that there is to say.",
    "Schöne Grüße: 日本語 العربية 👩‍👩‍👧‍👦 é\u2028\u2029 end",
    "a\nb\n\n```js\nconst x = '<think>'\n```",
    '<tool_call>{"name":"fs_list"}</tool_call>',
    '{"json": [1, 2'
  ])

const how = (random: SeededRandom): Omit<Answer, "pieces"> => ({
  ...(random.chance(0.2) && { chunkBytes: random.integer(1, 40) }),
  ...(random.chance(0.2) && { headDelayMs: random.integer(1, 40) })
})

const toolCalls = (random: SeededRandom, scene: Scene, most: number) =>
  random.list(random.integer(1, most), () => drawToolCall(random, scene))

const call = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { ...(name === undefined ? {} : { name }), arguments: args }
})

type Make = (random: SeededRandom, scene: Scene) => Answer | RawAnswer

const answers: { readonly [K in AnswerName]: Make } = {
  words: (random) => say({ text: text(random) }, how(random)),
  calls: (random, scene) => say({ toolCalls: toolCalls(random, scene, 3) }, how(random)),
  "calls with words": (random, scene) =>
    say({ text: text(random), toolCalls: toolCalls(random, scene, 6) }, how(random)),
  "quick calls": (random) =>
    say({
      text: text(random),
      toolCalls: [
        { name: "fs_list", arguments: { path: "." } },
        { name: "fs_read", arguments: { path: "a.txt", limit: random.integer(1, 60) } }
      ]
    }),
  "calls and finish": (random, scene) =>
    say({ toolCalls: [{ name: "finish", arguments: { summary: "done" } }, ...toolCalls(random, scene, 2)] }),
  "many tokens": (random) =>
    say({ tokens: random.list(random.integer(300, 3000), () => random.pick([" a", "日", "\n", "é"])) }),
  flood: () => say({ tokens: Array.from({ length: 30 }, (_, at) => `${at} `.repeat(20_000)) }),
  "cut characters": (random) =>
    say({ text: text(random).repeat(5), reasoning: text(random) }, { chunkBytes: random.integer(1, 3) }),
  reasoning: (random) => say({ reasoning: text(random), text: text(random) }),
  "think tag": (random) => say({ tokens: [..."\n<think>hm</think> \n", text(random)] }),
  "think only": (random) => say({ tokens: ["<think>", "hm", ...(random.chance(0.5) ? ["</think>"] : [])] }),
  prefill: (random, scene) =>
    say({
      prefill: [10, 50, 100],
      usage: { prompt: 100, cached: 4, completion: 2 },
      toolCalls: toolCalls(random, scene, 1)
    }),
  "slow words": (random) => say({ text: text(random).repeat(3) }, { pieceDelayMs: random.integer(1, 10) }),
  "whole body": (random, scene) => ({
    headers: { "Content-Type": "application/json" },
    pieces: [
      JSON.stringify({
        choices: [
          {
            index: 0,
            finish_reason: "tool_calls",
            message: {
              role: "assistant",
              content: text(random),
              tool_calls: toolCalls(random, scene, 2).map((each, at) =>
                call(at, `w${at}`, each.name, JSON.stringify(each.arguments))
              )
            }
          }
        ],
        usage: { prompt_tokens: 5, completion_tokens: 5 }
      })
    ]
  }),
  capture: (random) => ({ raw: random.pick(captures()), chunkBytes: random.pick([7, 100, 100_000]) }),
  "capture, cut": (random) => {
    const raw = random.pick(captures())
    return { raw: raw.subarray(0, random.integer(0, raw.length)), ending: random.pick(["cut", "hang"] as const) }
  },
  "head that hangs": () => ({ pieces: [], headDelayMs: 1500 }),
  "prefill that hangs": () => ({
    pieces: [{ ...chunk({ role: "assistant" }), prompt_progress: { total: 100, cache: 0, processed: 5 } }],
    ending: "hang"
  }),
  "words that hang": () => ({ pieces: begun, ending: "hang" }),
  "pings only": () => ({ pieces: begun, ending: "hang", pingMs: 20 }),
  "cut before the head": () => ({ raw: new Uint8Array(), ending: "cut" }),
  "cut in the head": () => ({ raw: Buffer.from("HTTP/1.1 200 OK\r\nContent-"), ending: "cut" }),
  "cut in words": () => ({ pieces: begun, ending: "cut" }),
  "no finish": () => ({ pieces: begun }),
  "done only": () => ({ pieces: [done] }),
  "empty stream": () => ({ pieces: [] }),
  "empty answer": () => say({ text: "" }),
  "length in words": (random) => say({ text: text(random), finish: "length" }),
  "length in a call": () =>
    say({ toolCalls: [{ name: "fs_write", arguments: '{"path":"a.txt","content":"half' }], finish: "length" }),
  "unusable calls": (random) =>
    say({
      toolCalls: [{ name: "fs_read", arguments: random.pick(["{", "null", "[1]", '{"path":1}', "{}", "{'path':'a'}"]) }]
    }),
  "strange calls": (random) => ({
    pieces: [chunk({ tool_calls: random.pick(strangeCalls) }), chunk({}, "tool_calls"), done]
  }),
  "no JSON in an event": () => ({ pieces: [...begun, "data: {oops\n\n", done] }),
  HTML: (random) => ({
    headers: html,
    status: random.pick([200, 404, 502]),
    pieces: ["<html><h1>It works!</h1></html>"]
  }),
  "error in the stream": () => ({ pieces: [{ error: { code: 500, message: "slot is gone", type: "server_error" } }] }),
  "error field": () => ({ pieces: ['error: {"code":500,"message":"old build"}\n\n', done] }),
  "error after words": () => ({ pieces: [...begun, { error: { message: "out of memory" } }, done] }),
  status: (random) => {
    const answer = refuse(random.pick([400, 401, 403, 404, 422, 429, 500, 502, 504, 418]), "no")
    return random.chance(0.3) ? { ...answer, headers: { "Retry-After": random.pick(["0", "1", "soon"]) } } : answer
  },
  loading: () => refuse(503, "Loading model", "unavailable_error"),
  overflow: (random) =>
    refuse(random.pick([400, 500]), "the request exceeds the available context size", "exceed_context_size_error"),
  "huge event": () => ({ pieces: [chunk({ content: "x".repeat(3_000_000) }), chunk({}, "stop"), done] }),
  noise: (random) => ({ pieces: [Uint8Array.from(random.list(2000, () => random.integer(0, 255))), "\n\n"] }),
  "no HTTP": (random) => ({ raw: Uint8Array.from(random.list(300, () => random.integer(0, 255))) }),
  "strange HTTP": (random, scene) =>
    Framing.strange(random, say({ text: text(random), toolCalls: toolCalls(random, scene, 2) })),
  "wrong HTTP": (random) => Framing.wrong(random, say({ text: text(random) }))
}

const strangeCalls = [
  [call(0, "same", "fs_list", "{}"), call(1, "same", "fs_list", '{"path":"."}')],
  [call(undefined, undefined, "fs_list", "{}")],
  [call(0, undefined, "fs_list", { path: "." })],
  [call(7, "far", "fs_list", "{}"), call(0, "near", "fs_list", "{}")],
  [call(0, "a", undefined, "{}")],
  [call(0, "b", "", null)],
  [call(0, "c", "fs_list", null)]
]
