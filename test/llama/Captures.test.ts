import { assert, describe, it } from "@effect/vitest"
import * as ResponseBody from "../../src/llama/answer/ResponseBody.ts"
import { toRefusal } from "../../src/llama/ErrorResponse.ts"
import type { ModelEvent } from "../../src/llama/LlamaClient.ts"
import { Cut } from "../../src/llama/LlamaError.ts"
import { capture, captures, cutAt, random, readParts, streams, textOf } from "./support/captures.ts"

const finished = (events: ReadonlyArray<ModelEvent>) => {
  const last = events.at(-1)
  if (last?._tag !== "Finished") throw new Error("not finished")
  return last
}

const read = (name: string) => readParts([capture(name).body], ["get_weather", "get_time", "fs.read"])

describe("the captures of a real llama-server", () => {
  it("are all here", () => assert.isAtLeast(streams.length, 35))

  for (const { name, body } of streams) {
    it(`${name}: reads the same wherever it is cut`, () => {
      const whole = readParts([body])
      const below = random(body.length)
      const everywhere = name === "chat-utf8-stream" || name === "chat-tools-auto-stream"
      const places = everywhere
        ? [...body.keys()].slice(1)
        : Array.from({ length: 20 }, () => 1 + below(body.length - 1))
      for (const at of places) assert.deepStrictEqual(readParts(cutAt(body, [at])), whole, `cut at ${at}`)
      for (let round = 0; round < 5; round += 1) {
        const many = Array.from({ length: 40 }, () => 1 + below(body.length - 1)).toSorted((a, b) => a - b)
        assert.deepStrictEqual(readParts(cutAt(body, many)), whole, `cut at ${many.join()}`)
      }
      if (body.length < 20_000) assert.deepStrictEqual(readParts(cutAt(body, [...body.keys()].slice(1))), whole)
    })
  }

  const hello = "Hello there. I am a tiny scripted model, not a clever one."
  const thought = "Okay, the user asks for thought and gets some.\n"
  const texts: ReadonlyArray<readonly [name: string, text: string, reasoning: string, reason: string]> = [
    ["chat-text-stream", hello, "", "stop"],
    ["chat-text-stream-usage", hello, "", "stop"],
    ["chat-text-stream-timings", hello, "", "stop"],
    ["chat-text-stream-progress", hello, "", "stop"],
    ["chat-text-stream-progress-long", hello, "", "stop"],
    ["queued-stream", hello, "", "stop"],
    ["chat-continue-stream", hello, "", "stop"],
    ["chat-round2-stream", "Done: the tool has answered, so this is the final text.", "", "stop"],
    ["chat-stop-stream", "Hello there. I am a tiny ", "", "stop"],
    ["chat-utf8-stream", "café 日本🚀 done.", "", "stop"],
    ["chat-think-stream", "The answer is forty-two.", thought, "stop"],
    ["chat-think-none-stream", "The answer is forty-two.", thought, "stop"],
    ["chat-think-deepseek-legacy-stream", "The answer is forty-two.", thought, "stop"],
    ["chat-think-off-stream", "The answer is forty-two.", "", "stop"],
    ["chat-think-budget-zero-stream", "The answer is forty-two.", "", "stop"],
    ["chat-length-stream", "one two three four five six seven eight", "", "length"],
    ["ping-stream", "Hello there. I am", "", "length"],
    ["chat-grammar-stream", "yes", "", "stop"],
    ["chat-n2-stream", "[two]", "", "stop"],
    [
      "chat-tools-none-stream",
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
      "",
      "stop"
    ]
  ]
  for (const [name, text, reasoning, reason] of texts) {
    it(`${name}: says what the model said`, () => {
      const { events } = read(name)
      assert.deepStrictEqual(
        { text: textOf(events), reasoning: textOf(events, "Reasoning"), reason: finished(events).reason },
        { text, reasoning, reason }
      )
    })
  }

  const weather = { name: "get_weather", args: { _tag: "Parsed", value: { city: "Paris" } } }
  const time = { name: "get_time", args: { _tag: "Parsed", value: { zone: "UTC" } } }
  const called: ReadonlyArray<readonly [name: string, calls: ReadonlyArray<unknown>]> = [
    ["chat-tools-auto-stream", [weather]],
    ["chat-tools-required-stream", [weather]],
    ["chat-tools-parallel-stream", [time, weather]],
    ["chat-tools-parallel-false-stream", [time, weather]],
    ["chat-say-then-tool-stream", [weather]],
    ["chat-think-tool-stream", [weather]]
  ]
  for (const [name, calls] of called) {
    it(`${name}: has its calls`, () => {
      const last = finished(read(name).events)
      assert.deepStrictEqual([last.reason, last.calls], ["tool_calls", calls])
    })
  }

  it("chat-length-in-call-stream: has a call that cannot be used", () => {
    const last = finished(read("chat-length-in-call-stream").events)
    assert.strictEqual(last.reason, "length")
    assert.deepStrictEqual(last.calls[0]?.args, {
      _tag: "Unusable",
      raw: '{"city": "',
      why: "the arguments were cut off by the length limit"
    })
  })

  it("tell of their numbers, from usage or from timings", () => {
    const usage = { promptTokens: 12, cachedTokens: 11, completionTokens: 9 }
    assert.deepStrictEqual(finished(read("chat-text-stream-usage").events).usage, usage)
    assert.deepStrictEqual(finished(read("chat-text-stream").events).usage, usage)
    assert.closeTo(finished(read("chat-text-stream-usage").events).tokensPerSecond ?? 0, 6600.66, 0.01)
  })

  it("tell how far the prompt has been read", () => {
    assert.deepStrictEqual(
      read("chat-text-stream-progress-long").events.filter((event) => event._tag === "Prefill"),
      [0, 2048, 3810].map((processed) => ({ _tag: "Prefill", processed, total: 3810, cached: 0 }))
    )
  })

  it("of broken streams keep the text and say what happened", () => {
    const failed = (name: string): unknown => {
      const { events, end } = read(name)
      return [textOf(events).length > 0, end?._tag === "Failed" ? { ...end.reason } : end]
    }
    const overflow = { _tag: "Overflow", detail: "Context size has been exceeded." }
    const rejected = (detail: string) => ({ _tag: "Rejected", status: 200, detail })
    assert.deepStrictEqual(failed("midstream-error"), [true, overflow])
    assert.deepStrictEqual(failed("err-final-parse-stream"), [
      true,
      rejected("The model produced output that does not match the expected peg-native format")
    ])
    assert.deepStrictEqual(failed("server-sigkill-midstream"), [true, { _tag: "Cut", detail: "cut" }])
    assert.deepStrictEqual(failed("server-sigterm-midstream"), [true, { _tag: "Cut", detail: "cut" }])
    assert.deepStrictEqual(failed("abort-stream"), [true, { _tag: "Cut", detail: "cut" }])
    const grammar = read("err-midstream-grammar").end
    assert.isTrue(grammar?._tag === "Failed" && grammar.reason.message.startsWith("got exception: Unexpected empty"))
  })

  it("that were not streamed are read as if they had been", () => {
    for (const { name, status, contentType, body, path } of captures) {
      if (path !== "/v1/chat/completions" || status !== 200 || !contentType.startsWith("application/json")) continue
      const answer = { status, statusText: "OK", headers: { "content-type": contentType } }
      const step = ResponseBody.push(ResponseBody.start(answer, []), body)
      const { events, end } = ResponseBody.finish(step.state, Cut.make({ detail: "cut" }))
      assert.deepStrictEqual(end, { _tag: "Complete" }, name)
      const streamed = streams.find((stream) => stream.name === `${name}-stream`)
      if (streamed === undefined) continue
      const [one, other] = [events, readParts([streamed.body]).events]
      assert.deepStrictEqual(
        [textOf(one), textOf(one, "Reasoning"), finished(one).calls, finished(one).reason],
        [textOf(other), textOf(other, "Reasoning"), finished(other).calls, finished(other).reason],
        name
      )
    }
  })

  it("of errors keep the server's own words and its status", () => {
    for (const { name, status, body, path } of captures) {
      if (status < 400 || path.startsWith("/v1/stream")) continue
      const message: unknown = JSON.parse(body.toString()).error.message
      const { reason, retry } = toRefusal({ status, statusText: "", headers: {} }, body.toString(), 0)
      assert.strictEqual(reason.message, message, name)
      const expected =
        status === 503 && name.startsWith("loading")
          ? "Loading"
          : name.startsWith("err-context")
            ? "Overflow"
            : "Rejected"
      assert.strictEqual(reason._tag, expected, name)
      assert.strictEqual(retry, expected === "Loading" ? "when loaded" : "never", name)
      if (reason._tag === "Rejected") assert.strictEqual(reason.status, status, name)
      if (reason._tag !== "Overflow") continue
      assert.strictEqual(reason.usedTokens, JSON.parse(body.toString()).error.n_prompt_tokens, name)
      assert.strictEqual(reason.windowTokens, 4096, name)
    }
  })
})
