import { assert, describe, it } from "@effect/vitest"
import type { EmittedEvent } from "../../src/protocol/Event.ts"
import { Outbox } from "../../src/stdio/Outbox.ts"

const delta = (text: string, turnId = "t-1"): EmittedEvent => ({
  type: "assistant_delta",
  payload: { sessionId: "s-1", turnId, text }
})
const thought = (text: string, stepIndex: number): EmittedEvent => ({
  type: "reasoning_delta",
  payload: { sessionId: "s-1", turnId: "t-1", stepIndex, text }
})
const log = (message: string): EmittedEvent => ({ type: "log", payload: { level: "info", message } })

const takeAll = (outbox: Outbox): ReadonlyArray<string> =>
  outbox
    .take(Infinity)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { payload, type } = JSON.parse(line)
      return `${type} ${payload.text ?? payload.message}`
    })

const offered = (...events: ReadonlyArray<EmittedEvent>) => {
  const outbox = new Outbox()
  for (const event of events) outbox.offer(event)
  return outbox
}

describe("Outbox", () => {
  it("merges deltas that stand next to each other", () => {
    assert.deepStrictEqual(takeAll(offered(delta("a"), delta("b"), delta("c"))), ["assistant_delta abc"])
  })

  it("does not merge over another frame", () => {
    assert.deepStrictEqual(takeAll(offered(delta("a"), log("x"), delta("b"))), [
      "assistant_delta a",
      "log x",
      "assistant_delta b"
    ])
  })

  it("does not merge deltas of different turns, kinds or steps", () => {
    assert.deepStrictEqual(
      takeAll(offered(delta("a"), delta("b", "t-2"), thought("c", 0), thought("d", 0), thought("e", 1))),
      ["assistant_delta a", "assistant_delta b", "reasoning_delta cd", "reasoning_delta e"]
    )
  })

  it("begins a new delta before a merged one becomes a burden", () => {
    const texts = takeAll(offered(...Array.from({ length: 100 }, () => delta("x".repeat(1000)))))
    assert.isAbove(texts.length, 2)
    assert.strictEqual(texts.map((text) => text.replace("assistant_delta ", "")).join(""), "x".repeat(100_000))
  })

  it("counts what waits, in bytes, down to nothing", () => {
    const outbox = offered(log("日本"), delta("日"), delta("本"))
    assert.isAbove(outbox.bytes, 100)
    outbox.take(Infinity)
    assert.strictEqual(outbox.bytes, 0)
    assert.isTrue(outbox.isEmpty)
  })

  it("gives out what fits, and one frame at least", () => {
    const outbox = offered(log("a".repeat(500)), log("b".repeat(500)))
    assert.include(outbox.take(10), "aaa")
    assert.isFalse(outbox.isEmpty)
    assert.include(outbox.take(10), "bbb")
    assert.isTrue(outbox.isEmpty)
  })

  it("keeps the order over many takes", () => {
    const outbox = new Outbox()
    const seen: Array<string> = []
    for (let index = 0; index < 5000; index++) {
      outbox.offer(log(String(index)))
      if (index % 3 === 0) seen.push(...outbox.take(300).trim().split("\n"))
    }
    seen.push(...outbox.take(Infinity).trim().split("\n"))
    assert.deepStrictEqual(
      seen.map((line) => JSON.parse(line).payload.message),
      Array.from({ length: 5000 }, (_, index) => String(index))
    )
  })

  it("writes one line per frame, U+2028 and U+2029 escaped", () => {
    const text = offered(delta("a\u2028b\u2029c\nd")).take(Infinity)
    assert.match(text, /^[^\n]*\n$/)
    assert.notMatch(text, /[\u2028\u2029]/)
    assert.strictEqual(JSON.parse(text).payload.text, "a\u2028b\u2029c\nd")
  })
})
