import { assert, describe, it } from "@effect/vitest"
import type { ServerEvent } from "../../../src/llama/answer/EventStream.ts"
import * as EventStream from "../../../src/llama/answer/EventStream.ts"
import { cutAt } from "../support/captures.ts"

const read = (parts: Iterable<Uint8Array>): ReadonlyArray<ServerEvent> => {
  let state = EventStream.start
  const events: Array<ServerEvent> = []
  for (const part of parts) {
    const step = EventStream.push(state, part)
    events.push(...step.events)
    state = step.state
  }
  return [...events, ...EventStream.finish(state)]
}

const data = (...texts: ReadonlyArray<string>) => texts.map((text) => ({ name: "", data: text }))

const bare = (text: string) => [{ name: "bare", data: text }]

const rows: ReadonlyArray<readonly [string, string, ReadonlyArray<ServerEvent>]> = [
  ["one event", "data: a\n\n", data("a")],
  ["two events", "data: a\n\ndata: b\n\n", data("a", "b")],
  ["line ends of CR and LF", "data: a\r\n\r\ndata: b\r\n\r\n", data("a", "b")],
  ["no space behind the colon", "data:a\n\n", data("a")],
  ["only one space dropped", "data:  a\n\n", data(" a")],
  ["data of several lines", "data: a\ndata: b\n\n", data("a\nb")],
  ["comments", ":\n\n: ping\n\ndata: a\n: in between\n\n", data("a")],
  ["blank data", "data:\n\ndata: \n\ndata: a\n\n", data("a")],
  ["names", "event: error\ndata: a\n\ndata: b\n\n", [{ name: "error", data: "a" }, ...data("b")]],
  ["a name without data", "event: ping\n\ndata: a\n\n", data("a")],
  ["a field named error", 'error: {"code":500}\n\n', [{ name: "error", data: '{"code":500}' }]],
  ["ids, retries and unknown fields", "id: 7\nretry: 10\nfoo: bar\nbaz\ndata: a\n\n", data("a")],
  ["a mark at the very start", "\uFEFFdata: a\n\n", data("a")],
  ["colons in data", 'data: {"a":"b: c"}\n\n', data('{"a":"b: c"}')],
  ["no blank line at the end", "data: a\n\ndata: b\n", data("a", "b")],
  ["no line end at the end", "data: a\n\ndata: b", data("a", "b")],
  ["characters of every width", "data: é日🚀👩‍💻\u2028\u2029\u0085\n\n", data("é日🚀👩‍💻\u2028\u2029\u0085")],
  ["JSON in a line that is no field", 'data: a\n{"b":"c: d"}\ndata: e\n\n', [...bare('{"b":"c: d"}'), ...data("a\ne")]],
  ["nothing", "", []],
  ["blank lines alone", "\n\n\r\n\n", []]
]

describe("server-sent events", () => {
  for (const [what, text, events] of rows) {
    it(`read ${what}, cut anywhere`, () => {
      const bytes = Buffer.from(text)
      assert.deepStrictEqual(read([bytes]), events)
      for (let at = 1; at < bytes.length; at += 1) assert.deepStrictEqual(read(cutAt(bytes, [at])), events, `at ${at}`)
      assert.deepStrictEqual(read(cutAt(bytes, [...bytes.keys()].slice(1))), events, "byte by byte")
    })
  }

  it("wait for the end of their line in few parts, however small the reads are", () => {
    let state = EventStream.start
    for (let count = 0; count < 1000; count += 1) {
      state = EventStream.push(state, Buffer.from("x")).state
      assert.isAtMost(state.tail.length, 100)
    }
    assert.deepStrictEqual(Buffer.concat(state.tail).toString(), "x".repeat(1000))
  })

  it("grow no longer than the limit, with line ends and without", () => {
    const part = Buffer.alloc(1024 * 1024, 0x61)
    let state = EventStream.push(EventStream.start, Buffer.from("data: ")).state
    for (let count = 1; count < 32; count += 1) {
      const step = EventStream.push(state, part)
      assert.isFalse(step.tooLong)
      state = step.state
    }
    assert.isTrue(EventStream.push(state, part).tooLong)

    const line = Buffer.concat([Buffer.from("data: "), part, Buffer.from("\n")])
    let steps = 0
    state = EventStream.start
    for (let step = EventStream.push(state, line); !step.tooLong; step = EventStream.push(state, line)) {
      state = step.state
      steps += 1
    }
    assert.strictEqual(steps, 31)
  })
})
