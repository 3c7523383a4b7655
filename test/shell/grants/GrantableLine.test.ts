import { assert, describe, it } from "@effect/vitest"
import type { GrantSubject } from "../../../src/domain/GrantSubject.ts"
import type { Grant } from "../../../src/protocol/Grant.ts"
import { covering, type HeldGrant } from "../../../src/session/grants/Covers.ts"
import { offersOf } from "../../../src/session/grants/Offers.ts"
import { grantableLine } from "../../../src/shell/grants/GrantableLine.ts"
import { attacks, covered, offered } from "./lines.ts"

/** What of a line must be covered, where the disk is as the read-only list wants it. */
const subjectOf = (line: string): GrantSubject | undefined => {
  const asking = grantableLine(line)?.filter(({ reads }) => reads === undefined)
  const commands = asking?.flatMap(({ grantable }) => (grantable === undefined ? [] : [grantable]))
  return commands === undefined || commands.length === 0 || commands.length !== asking?.length
    ? undefined
    : { kind: "command", commands }
}

const held = (...texts: ReadonlyArray<string>): ReadonlyArray<HeldGrant> =>
  texts.map((text) => {
    const grant: Grant = { kind: "command", argv: text.split(" ") }
    return { given: grant, real: grant }
  })

const isCovered = (grants: ReadonlyArray<string>, line: string): boolean => {
  const subject = subjectOf(line)
  return subject !== undefined && covering(held(...grants), subject) !== undefined
}

describe("a command line and grants", () => {
  it.each(covered)("%j cover %j", (grants, line) => assert.isTrue(isCovered(grants, line)))
  it.each(attacks)("%j do not cover %j", (grants, line) => assert.isFalse(isCovered(grants, line)))

  it.each(offered)("for %j are offered %j", (line, expected) => {
    const subject = subjectOf(line)
    const offers = subject === undefined ? [] : offersOf(subject, [], undefined)
    assert.deepStrictEqual(
      offers.map(({ grant }) => (grant.kind === "command" ? grant.argv.join(" ") : grant.kind)),
      expected
    )
    // What is offered covers the call.
    for (const { grant } of offers) {
      assert.isDefined(subject && covering([{ given: grant, real: grant }], subject))
    }
  })

  it("offers what is missing beside the grants that are held", () => {
    const subject = subjectOf("npm test && npm run build")
    assert.deepStrictEqual(subject && offersOf(subject, held("npm test"), undefined).map(({ label }) => label), [
      "Run what begins with npm run build"
    ])
  })
})
