import { assert, describe, it } from "@effect/vitest"
import type { ContextWindow } from "../../../src/llama/prompt/ContextWindow.ts"
import * as Window from "../../../src/llama/prompt/ContextWindow.ts"
import { Overflow } from "../../../src/llama/LlamaError.ts"

const known: ContextWindow = { tokens: 4096, fits: null, bytesPerToken: 4, measured: true, answer: null }

describe("what is known of the window", () => {
  it("is nothing at first, and then nothing is trimmed", () => {
    assert.isNull(Window.budget(Window.unknown, 16384, 0))
    assert.strictEqual(Window.budget(Window.unknown, 16384, 1000), 3000)
  })

  it("keeps a reserve for the answer", () => {
    assert.strictEqual(Window.budget(known, 16384, 0), 3072 * 4)
    assert.strictEqual(Window.budget(known, 0, 0), 3072 * 4)
    assert.strictEqual(Window.budget(known, 100, 0), 3996 * 4)
    assert.strictEqual(Window.budget({ ...known, tokens: 131072 }, 16384, 0), (131072 - 8192) * 4)
    assert.strictEqual(Window.budget(known, 16384, 2000), 8000)
    assert.strictEqual(Window.budget(known, 16384, 100_000), 3072 * 4)
  })

  it("measures text by what the server counted", () => {
    assert.deepInclude(Window.learnPrompt(Window.unknown, 4000, 1000), { bytesPerToken: 4, measured: true })
    assert.deepInclude(Window.learnPrompt(Window.unknown, 3030, 1000), { bytesPerToken: 3.03, measured: true })
  })

  it("does not change with every prompt, since each change may cost the prompt cache", () => {
    assert.strictEqual(Window.learnPrompt(known, 4100, 1000), known)
    assert.strictEqual(Window.learnPrompt(known, 3800, 1000).bytesPerToken, 4)
    assert.strictEqual(Window.learnPrompt(known, 3000, 1000).bytesPerToken, 3)
  })

  it("does not believe counts that cannot be", () => {
    assert.strictEqual(Window.learnPrompt(known, 6000, 12), known)
    assert.strictEqual(Window.learnPrompt(known, 60_000, 100).bytesPerToken, 6)
    assert.strictEqual(Window.learnPrompt(known, 60, 100).bytesPerToken, 1)
  })

  it("learns from an overflow with both numbers", () => {
    const overflow = Overflow.make({ detail: "", usedTokens: 6000, windowTokens: 2048 })
    assert.deepStrictEqual(Window.learnOverflow(known, overflow, 12_000), {
      tokens: 2048,
      fits: null,
      bytesPerToken: 2,
      measured: true,
      answer: 512
    })
  })

  it("learns from an overflow without numbers that what was sent is too much", () => {
    const overflow = Overflow.make({ detail: "too long" })
    assert.deepInclude(Window.learnOverflow(Window.unknown, overflow, 30_000), { tokens: null, fits: 8000 })
    const learned = Window.learnOverflow(known, overflow, 10_000)
    assert.deepInclude(learned, { tokens: 4096, fits: 2000 })
    assert.strictEqual(Window.budget(learned, 16384, 0), 1500 * 4)
    assert.deepInclude(Window.learnWindow(learned, 8192), { tokens: 8192, fits: null })
  })

  it("leaves a prompt more or less as it was where only the answer was too much", () => {
    const overflow = (usedTokens: number) => Overflow.make({ detail: "", usedTokens, windowTokens: 8192 })
    assert.strictEqual(Window.shareAfter(overflow(150)), 1)
    assert.strictEqual(Window.shareAfter(overflow(8000)), 0.6)
    assert.strictEqual(Window.shareAfter(Overflow.make({ detail: "" })), 0.6)
    const learned = Window.learnOverflow(known, overflow(150), 600)
    assert.deepStrictEqual(
      [16384, 0, 100].map((cap) => Window.answerCap(learned, cap)),
      [2048, 2048, 100]
    )
    assert.strictEqual(Window.answerCap(known, 16384), 16384)
  })
})
