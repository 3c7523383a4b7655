import { assert, it } from "@effect/vitest"
import type { Verdict } from "./Judge.ts"
import { rowOf, summaryOf } from "./Table.ts"

const took = { history: "reply", recovered: 0 }
const again = { history: "one call", recovered: 2 }
const refused = { history: "a steer", recovered: 0, failure: "no" }

it("a row names the histories that were refused, and those that were taken in another form", () => {
  assert.strictEqual(
    rowOf("a.jinja", [took, again], undefined),
    `✓ ${"a.jinja".padEnd(52)} 2/2  after a refusal: one call`
  )
  assert.strictEqual(rowOf("a.jinja", [took, refused], undefined), `✗ ${"a.jinja".padEnd(52)} 1/2\n    a steer: no`)
  assert.strictEqual(
    rowOf("a.jinja", [refused], "it cannot"),
    `– ${"a.jinja".padEnd(52)} 0/1\n    it cannot\n    a steer: no`
  )
})

it("a template that refuses a history needs a reason, and at most two may have one", () => {
  const isGood = (names: ReadonlyArray<string>, reasons: object) =>
    summaryOf(
      new Map<string, ReadonlyArray<Verdict>>([["good", [took]], ...names.map((name) => [name, [refused]] as const)]),
      reasons as {}
    ).isGood
  assert.isTrue(isGood([], {}))
  assert.isFalse(isGood(["a"], {}))
  assert.isTrue(isGood(["a", "b"], { a: "why", b: "why" }))
  assert.isFalse(isGood(["a", "b", "c"], { a: "why", b: "why", c: "why" }))
})
