import { assert, describe, it } from "@effect/vitest"
import { freshApprovalId, freshCallId, freshSessionId, freshTurnId, uuid } from "../../src/protocol/Ids.ts"

describe("Ids", () => {
  it("are UUIDs of version 4, none twice", () => {
    const seen = new Set(Array.from({ length: 100_000 }, uuid))
    assert.strictEqual(seen.size, 100_000)
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    assert.deepStrictEqual(
      [...seen].filter((id) => !form.test(id)),
      []
    )
  })

  it("use both values of every free bit", () => {
    const bits = Array.from({ length: 2000 }, () => BigInt(`0x${uuid().replaceAll("-", "")}`))
    const fixed = (0xfn << 76n) | (0x3n << 62n)
    const ones = bits.reduce((all, each) => all | each, 0n)
    const zeros = bits.reduce((all, each) => all & each, (1n << 128n) - 1n)
    assert.strictEqual((ones | fixed).toString(16), "f".repeat(32))
    assert.strictEqual((zeros & ~fixed).toString(16), "0")
  })

  it("say what they name", () => {
    assert.match(freshSessionId(), /^s-/)
    assert.match(freshTurnId(), /^t-/)
    assert.match(freshCallId(), /^c-/)
    assert.match(freshApprovalId(), /^a-/)
  })
})
