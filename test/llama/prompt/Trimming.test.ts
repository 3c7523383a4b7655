import { assert, describe, it } from "@effect/vitest"
import type { Entry } from "../../../src/domain/Transcript.ts"
import * as ChatMessages from "../../../src/llama/prompt/ChatMessages.ts"
import * as Trimming from "../../../src/llama/prompt/Trimming.ts"
import { random } from "../support/captures.ts"

const user = (turn: number, text: string, steered = false): Entry => ({
  kind: "user",
  at: 1,
  turnId: `t-${turn}`,
  text,
  ...(steered ? { steered } : {})
})
const reply = (turn: number, text: string): Entry => ({ kind: "assistant_reply", at: 1, turnId: `t-${turn}`, text })
const step = (turn: number, callId: string, summary: string, args: unknown = { path: "a" }): ReadonlyArray<Entry> => [
  { kind: "assistant_tool_call", at: 1, turnId: `t-${turn}`, callId, tool: "fs.read", args, reasoning: "hm" },
  { kind: "tool_result", at: 1, turnId: `t-${turn}`, callId, tool: "fs.read", status: "ok", summary, truncated: false }
]
const long = (name: string, length = 2000) => `${name}: first line\n${"x".repeat(length)}`
const sizeOf = (entries: ReadonlyArray<Entry>) => entries.reduce((sum, entry) => sum + Trimming.sizeOf(entry), 0)

const fit = (entries: ReadonlyArray<Entry>, budget: number) => {
  const trim = Trimming.plan(entries, budget)
  return { trim, sent: Trimming.apply(entries, trim, budget) }
}
const results = (entries: ReadonlyArray<Entry>) =>
  entries.flatMap((entry) => (entry.kind === "tool_result" ? [entry.summary] : []))

describe("a history that does not fit", () => {
  it("is sent as it is where it fits", () => {
    const entries = [user(1, "a"), ...step(1, "1", long("one")), reply(1, "b"), user(2, "c")]
    assert.deepStrictEqual(fit(entries, sizeOf(entries)).sent, entries)
    assert.deepStrictEqual(fit(entries, Infinity).sent, entries)
  })

  it("first has its old results shortened to a line", () => {
    const entries = [
      user(1, "a"),
      ...step(1, "1", long("one")),
      ...step(1, "2", long("two")),
      reply(1, "b"),
      user(2, "c"),
      ...step(2, "3", long("three"))
    ]
    const { sent } = fit(entries, sizeOf(entries) - 1)
    assert.deepStrictEqual(results(sent), [
      "one: first line [… shortened, 2016 characters]",
      "two: first line [… shortened, 2016 characters]",
      long("three")
    ])
    assert.strictEqual(sent.length, entries.length)
  })

  it("then has its oldest turns left out, but for the first user message", () => {
    const entries = Array.from({ length: 10 }, (_, turn) => [
      user(turn, `question ${turn} ${"q".repeat(300)}`),
      reply(turn, `answer ${turn} ${"a".repeat(300)}`)
    ]).flat()
    const { sent } = fit(entries, 4000)
    assert.isAtMost(sizeOf(sent), 4000)
    assert.strictEqual(sent[0], entries[0])
    assert.deepInclude(sent[1], { kind: "notice", text: "[Earlier turns are left out here.]" })
    assert.deepStrictEqual(sent.slice(2), entries.slice(-(sent.length - 2)))
    assert.strictEqual(sent[2]?.kind, "user")
  })

  it("keeps the last turn, however long", () => {
    const entries = [user(1, "a"), reply(1, "b"), user(2, "x".repeat(5000))]
    assert.deepStrictEqual(fit(entries, 1000).sent.at(-1), entries.at(-1))
  })

  it("has a first message that alone is more than half of it shortened, once its turn is over", () => {
    const first = user(1, "🚀".repeat(1000))
    const only = [first]
    assert.deepStrictEqual(fit(only, 2000).sent, only)
    const entries = [first, user(2, "b"), reply(2, "c"), user(3, "d")]
    const { sent, trim } = fit(entries, 2000)
    assert.isAtMost(sizeOf(sent), 2000)
    assert.strictEqual(trim.bytes, sizeOf(sent))
    assert.match(sent[0]?.kind === "user" ? sent[0].text : "", /^(🚀)+ \[… shortened, 2000 characters\]$/u)
    assert.deepStrictEqual(sent.slice(2), entries.slice(1))
    assert.deepStrictEqual(fit([user(1, "x".repeat(900)), ...entries.slice(1)], 2000).sent.length, 4)
  })

  it("keeps the results that the model has not read yet, also behind a steer", () => {
    const entries = [
      user(1, "a"),
      ...step(1, "1", long("one", 3000)),
      ...step(1, "2", long("two", 1000)),
      user(1, "and be quick", true)
    ]
    const { sent } = fit(entries, 3000)
    assert.deepStrictEqual(results(sent), ["one: first line [… shortened, 3016 characters]", long("two", 1000)])
  })

  it("has even those cut where they alone are too much", () => {
    const entries = [user(1, "a"), ...step(1, "1", long("one", 20_000)), ...step(1, "2", "short")]
    const last = [user(1, "a"), ...step(1, "1", long("one", 20_000))]
    assert.isAtMost(sizeOf(fit(last, 5000).sent), 5000)
    assert.match(results(fit(last, 5000).sent)[0] ?? "", /^one: first line\nx+ \[… shortened, 20016 characters\]$/)
    assert.deepStrictEqual(results(fit(entries, 5000).sent), [
      "one: first line [… shortened, 20016 characters]",
      "short"
    ])
  })

  it("has long arguments and the reasoning of old calls shortened", () => {
    const entries = [
      user(1, "a"),
      ...step(1, "1", "written", { path: "a", content: "c".repeat(5000) }),
      ...step(1, "2", "written", { path: "b", content: "c".repeat(500) })
    ]
    const call = fit(entries, 3000).sent[1]
    assert.deepInclude(call, {
      args: { path: "a", content: `${"c".repeat(100)} [… shortened, 5000 characters]` }
    })
    assert.notProperty(call, "reasoning")
  })

  it("never has half a character", () => {
    const summary = "🚀".repeat(2000)
    const { sent } = fit([user(1, "a"), ...step(1, "1", summary), ...step(1, "2", "b")], 1000)
    assert.isTrue((results(sent)[0] ?? "").isWellFormed())
  })
})

it("a growing history is trimmed rarely, and grows at its end in between", () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const below = random(seed)
    const budget = 8000
    const entries: Array<Entry> = []
    let sent: ReturnType<typeof ChatMessages.make> = []
    let trims = 0
    let requests = 0
    const ask = () => {
      const trimmed = fit(entries, budget)
      const next = ChatMessages.make(trimmed.sent, "batched")
      requests += 1
      assert.isAtMost(sizeOf(trimmed.sent), budget)
      assert.strictEqual(trimmed.trim.bytes, sizeOf(trimmed.sent))
      assert.isTrue(next[0]?.content.startsWith("question 0"))
      const grows = sent.every((message, at) => JSON.stringify(message) === JSON.stringify(next[at]))
      if (!grows) trims += 1
      sent = next
    }
    for (let turn = 0; turn < 300; turn += 1) {
      entries.push(user(turn, `question ${turn} ${"q".repeat(below(300))}`))
      ask()
      for (let count = below(3); count > 0; count -= 1) {
        entries.push(...step(turn, `${turn}-${count}`, long("result", below(600))))
        ask()
      }
      entries.push(reply(turn, `answer ${"a".repeat(below(400))}`))
    }
    assert.isBelow(trims, requests / 4, `seed ${seed}`)
    assert.isAbove(trims, 10)
  }
})
