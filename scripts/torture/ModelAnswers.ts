import { type Answer, chunk, type Piece, type RawAnswer, refuse, say } from "../../src/testing/LlamaAnswers.ts"
import { captures } from "../../test/llama/support/captures.ts"
import { Draw } from "./Draw.ts"
import * as Framing from "./Framing.ts"
import type { Scene } from "./Scene.ts"
import { drawWish } from "./ToolWishes.ts"

/** What a chat request gets, by name, and the seed of what is left to choose. */
export interface ServedAnswer {
  readonly name: AnswerName
  readonly seed: number
}

export const drawAnswers = (draw: Draw, count: number): ReadonlyArray<ServedAnswer> =>
  draw.list(count, () => ({ name: draw.weighted(weights), seed: draw.seed() }))

export const answerOf = ({ name, seed }: ServedAnswer, scene: Scene): Answer | RawAnswer =>
  answers[name](new Draw(seed), scene)

export type AnswerName = keyof typeof weights

const weights = {
  words: 10,
  calls: 40,
  "calls with words": 10,
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

const html = { "Content-Type": "text/html" }
const done = "data: [DONE]\n\n"
const begun: ReadonlyArray<Piece> = [chunk({ role: "assistant", content: null }), chunk({ content: "Well, " })]

const text = (draw: Draw): string =>
  draw.pick([
    "This is all that there is to say.",
    "Schöne Grüße: 日本語 العربية 👩‍👩‍👧‍👦 é\u2028\u2029 end",
    "a\nb\n\n```js\nconst x = '<think>'\n```",
    '<tool_call>{"name":"fs_list"}</tool_call>',
    '{"json": [1, 2'
  ])

const how = (draw: Draw): Omit<Answer, "pieces"> => ({
  ...(draw.chance(0.2) && { chunkBytes: draw.integer(1, 40) }),
  ...(draw.chance(0.2) && { headDelayMs: draw.integer(1, 40) })
})

const wished = (draw: Draw, scene: Scene, most: number) => draw.list(draw.integer(1, most), () => drawWish(draw, scene))

const call = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { ...(name === undefined ? {} : { name }), arguments: args }
})

type Make = (draw: Draw, scene: Scene) => Answer | RawAnswer

const answers: { readonly [K in AnswerName]: Make } = {
  words: (draw) => say({ text: text(draw) }, how(draw)),
  calls: (draw, scene) => say({ toolCalls: wished(draw, scene, 3) }, how(draw)),
  "calls with words": (draw, scene) => say({ text: text(draw), toolCalls: wished(draw, scene, 6) }, how(draw)),
  "calls and finish": (draw, scene) =>
    say({ toolCalls: [{ name: "finish", arguments: { summary: "done" } }, ...wished(draw, scene, 2)] }),
  "many tokens": (draw) =>
    say({ tokens: draw.list(draw.integer(300, 3000), () => draw.pick([" a", "日", "\n", "é"])) }),
  flood: () => say({ tokens: Array.from({ length: 30 }, (_, at) => `${at} `.repeat(20_000)) }),
  "cut characters": (draw) =>
    say({ text: text(draw).repeat(5), reasoning: text(draw) }, { chunkBytes: draw.integer(1, 3) }),
  reasoning: (draw) => say({ reasoning: text(draw), text: text(draw) }),
  "think tag": (draw) => say({ tokens: [..."\n<think>hm</think> \n", text(draw)] }),
  "think only": (draw) => say({ tokens: ["<think>", "hm", ...(draw.chance(0.5) ? ["</think>"] : [])] }),
  prefill: (draw, scene) =>
    say({
      prefill: [10, 50, 100],
      usage: { prompt: 100, cached: 4, completion: 2 },
      toolCalls: wished(draw, scene, 1)
    }),
  "slow words": (draw) => say({ text: text(draw).repeat(3) }, { pieceDelayMs: draw.integer(1, 10) }),
  "whole body": (draw, scene) => ({
    headers: { "Content-Type": "application/json" },
    pieces: [
      JSON.stringify({
        choices: [
          {
            index: 0,
            finish_reason: "tool_calls",
            message: {
              role: "assistant",
              content: text(draw),
              tool_calls: wished(draw, scene, 2).map((wish, at) =>
                call(at, `w${at}`, wish.name, JSON.stringify(wish.arguments))
              )
            }
          }
        ],
        usage: { prompt_tokens: 5, completion_tokens: 5 }
      })
    ]
  }),
  capture: (draw) => ({ raw: draw.pick(captures).raw, chunkBytes: draw.pick([7, 100, 100_000]) }),
  "capture, cut": (draw) => {
    const { raw } = draw.pick(captures)
    return { raw: raw.subarray(0, draw.integer(0, raw.length)), ending: draw.pick(["cut", "hang"] as const) }
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
  "length in words": (draw) => say({ text: text(draw), finish: "length" }),
  "length in a call": () =>
    say({ toolCalls: [{ name: "fs_write", arguments: '{"path":"a.txt","content":"half' }], finish: "length" }),
  "unusable calls": (draw) =>
    say({
      toolCalls: [{ name: "fs_read", arguments: draw.pick(["{", "null", "[1]", '{"path":1}', "{}", "{'path':'a'}"]) }]
    }),
  "strange calls": (draw) => ({
    pieces: [chunk({ tool_calls: draw.pick(strangeCalls) }), chunk({}, "tool_calls"), done]
  }),
  "no JSON in an event": () => ({ pieces: [...begun, "data: {oops\n\n", done] }),
  HTML: (draw) => ({ headers: html, status: draw.pick([200, 404, 502]), pieces: ["<html><h1>It works!</h1></html>"] }),
  "error in the stream": () => ({ pieces: [{ error: { code: 500, message: "slot is gone", type: "server_error" } }] }),
  "error field": () => ({ pieces: ['error: {"code":500,"message":"old build"}\n\n', done] }),
  "error after words": () => ({ pieces: [...begun, { error: { message: "out of memory" } }, done] }),
  status: (draw) => {
    const answer = refuse(draw.pick([400, 401, 403, 404, 422, 429, 500, 502, 504, 418]), "no")
    return draw.chance(0.3) ? { ...answer, headers: { "Retry-After": draw.pick(["0", "1", "soon"]) } } : answer
  },
  loading: () => refuse(503, "Loading model", "unavailable_error"),
  overflow: (draw) =>
    refuse(draw.pick([400, 500]), "the request exceeds the available context size", "exceed_context_size_error"),
  "huge event": () => ({ pieces: [chunk({ content: "x".repeat(3_000_000) }), chunk({}, "stop"), done] }),
  noise: (draw) => ({ pieces: [Uint8Array.from(draw.list(2000, () => draw.integer(0, 255))), "\n\n"] }),
  "no HTTP": (draw) => ({ raw: Uint8Array.from(draw.list(300, () => draw.integer(0, 255))) }),
  "strange HTTP": (draw, scene) => Framing.strange(draw, say({ text: text(draw), toolCalls: wished(draw, scene, 2) })),
  "wrong HTTP": (draw) => Framing.wrong(draw, say({ text: text(draw) }))
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
