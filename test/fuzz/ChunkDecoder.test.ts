import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as ChatChunk from "../../src/llama/answer/ChatChunk.ts"
import * as ChunkDecoder from "../../src/llama/answer/ChunkDecoder.ts"
import type { ModelEvent } from "../../src/llama/LlamaClient.ts"
import { Cut } from "../../src/llama/LlamaError.ts"
import * as ChatStream from "../../src/llama/answer/ChatStream.ts"
import { cut, holds, json, patience, sizes, text } from "./holds.ts"
import type { ToolSpec } from "../../src/domain/ToolCall.ts"

const tools: ReadonlyArray<ToolSpec> = ["fs.read", "fs.write"].map((name) => ({
  name,
  description: name,
  parameters: {}
}))

/** All that a reader makes of a body that comes in the given reads; neighbouring words are joined. */
const read = (reads: ReadonlyArray<Uint8Array>) => {
  let state = ChatStream.start(tools)
  const events: Array<ModelEvent> = []
  let end: ChatStream.ChatStreamEnd | undefined
  for (const bytes of reads) {
    const step = ChatStream.push(state, bytes)
    state = step.state
    events.push(...step.events)
    end = step.end
    if (end !== undefined) break
  }
  if (end === undefined) {
    const step = ChatStream.finish(state, Cut.make({ detail: "the connection broke" }))
    events.push(...step.events)
    end = step.end
  }
  return { events: joined(events), end: JSON.stringify(end) }
}

const joined = (events: ReadonlyArray<ModelEvent>) => {
  const all: Array<ModelEvent> = []
  for (const event of events) {
    const last = all.at(-1)
    if ((event._tag === "Text" || event._tag === "Reasoning") && last?._tag === event._tag) {
      all[all.length - 1] = { ...event, text: last.text + event.text }
    } else all.push(event)
  }
  return all
}

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }]
})

/** Reads of a body: of a few bytes, or of several events. */
const reads = fc.array(fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 50, max: 500 })), {
  minLength: 1,
  maxLength: 5
})

const encode = (characters: string) => new TextEncoder().encode(characters)

const calls = fc.array(
  fc.record({
    name: fc.constantFrom("fs.read", "fs.write", "no_such"),
    args: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 3 }), json), { maxKeys: 2 })
  }),
  { maxLength: 3 }
)

/** An answer as a server streams it, in pieces of any size. */
const answer = fc.record({
  reasoning: fc.array(
    text.filter((words) => words !== ""),
    { maxLength: 4 }
  ),
  // A tag or white space at the very start means something; the dialects' tests have that.
  words: fc
    .array(
      text.filter((words) => words !== ""),
      { maxLength: 6 }
    )
    .map((all) => (all.length > 0 ? ["so ", ...all] : all)),
  calls,
  sizes
})

const streamed = (sent: typeof answer extends fc.Arbitrary<infer A> ? A : never): ReadonlyArray<unknown> => [
  ...sent.reasoning.map((words) => chunk({ reasoning_content: words })),
  ...sent.words.map((words) => chunk({ content: words })),
  ...sent.calls.flatMap(({ args, name }, index) => {
    const pieces = cutText(JSON.stringify(args), sent.sizes)
    return pieces.map((piece, at) => {
      const head = at === 0 ? { id: `call${index}`, type: "function" } : {}
      const named = at === 0 ? { name: name.replace(".", "_") } : {}
      return chunk({ tool_calls: [{ index, ...head, function: { ...named, arguments: piece } }] })
    })
  }),
  chunk({}, sent.calls.length > 0 ? "tool_calls" : "stop")
]

const cutText = (whole: string, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let at = 0; at < whole.length; at += pieces.at(-1)!.length) {
    pieces.push(whole.slice(at, at + lengths[pieces.length % lengths.length]!))
  }
  return pieces
}

const asBody = (payloads: ReadonlyArray<unknown>): Uint8Array =>
  encode(payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join("") + "data: [DONE]\n\n")

describe("the decoder of a model's answer", { timeout: patience }, () => {
  it("gives back what the model said, in whatever pieces it came", () =>
    holds(fc.tuple(answer, reads), ([sent, cuts]) => {
      const { end, events } = read(cut(asBody(streamed(sent)), cuts))
      const words = (tag: "Text" | "Reasoning") =>
        events.map((event) => (event._tag === tag ? event.text : "")).join("")
      const finished = events.at(-1)
      assert.strictEqual(end, `{"_tag":"Complete"}`)
      assert.strictEqual(words("Text"), sent.words.join(""))
      assert.strictEqual(words("Reasoning"), sent.reasoning.join(""))
      const expected = sent.calls.map(({ args, name }) => {
        return { name, args: { _tag: "Parsed" as const, value: JSON.parse(JSON.stringify(args)) } }
      })
      assert.deepStrictEqual(finished?._tag === "Finished" ? finished.calls : undefined, expected)
    }))

  it("says the same of any body, however the network cuts it", () => {
    const line = fc.oneof(
      {
        weight: 4,
        arbitrary: answer
          .chain((sent) => fc.constantFrom(...streamed(sent)))
          .map((payload) => `data: ${JSON.stringify(payload)}\n\n`)
      },
      { weight: 2, arbitrary: json.map((value) => `data: ${JSON.stringify(value)}\n\n`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom("data: [DONE]\n\n", ": ping\n\n", "\r\n", "data:\n\n", "error: {}\n\n", "event: x\n")
      },
      { weight: 1, arbitrary: text }
    )
    holds(
      fc.tuple(fc.array(line, { maxLength: 8 }), fc.uint8Array({ maxLength: 5 }), reads),
      ([lines, noise, cuts]) => {
        const body = Uint8Array.from(Buffer.concat([encode(lines.join("")), noise]))
        assert.deepStrictEqual(read(cut(body, cuts)), read([body]))
      }
    )
  })

  it("takes any payload for something or nothing, and invents no words", () => {
    const odd = fc.oneof(json, text, fc.constant(undefined))
    const call = fc.record(
      { index: odd, id: odd, type: odd, function: fc.oneof(odd, fc.record({ name: odd, arguments: odd })), name: odd },
      { requiredKeys: [] }
    )
    const delta = fc.record(
      {
        role: odd,
        content: odd,
        reasoning_content: odd,
        tool_calls: fc.oneof(odd, fc.array(call, { maxLength: 3 })),
        function_call: odd
      },
      { requiredKeys: [] }
    )
    const choice = fc.record(
      {
        index: odd,
        delta: fc.oneof(odd, delta),
        message: fc.oneof(odd, delta),
        finish_reason: fc.oneof(odd, fc.constantFrom("stop", "length", "error"))
      },
      { requiredKeys: [] }
    )
    const payload = fc.record(
      {
        choices: fc.oneof(odd, fc.array(fc.oneof(odd, choice), { maxLength: 2 })),
        usage: odd,
        timings: odd,
        prompt_progress: odd,
        error: odd
      },
      { requiredKeys: [] }
    )
    holds(fc.array(payload, { maxLength: 6 }), (payloads) => {
      let state = ChunkDecoder.start(tools)
      let said = 0
      for (const each of payloads) {
        const narrowed = ChatChunk.narrow(each)
        if (narrowed === null) continue
        const decoded = ChunkDecoder.decode(state, narrowed)
        state = decoded.state
        said += decoded.events.reduce((sum, event) => sum + ("text" in event ? event.text.length : 0), 0)
        if (decoded.failure !== undefined) break
      }
      const last = ChunkDecoder.finish(state) ?? []
      said += last.reduce((sum, event) => sum + ("text" in event ? event.text.length : 0), 0)
      assert.isAtMost(said, JSON.stringify(payloads)?.length ?? 0)
      const finished = last.at(-1)
      if (finished === undefined) return
      assert.strictEqual(finished._tag, "Finished")
      // What is handed on can be written to the database and to the host.
      JSON.stringify(finished)
    })
  })
})
