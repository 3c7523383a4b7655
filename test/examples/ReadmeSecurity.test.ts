import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../support/Bin.ts"
import { documentAt } from "./Documents.ts"

const sections = ["Silent commands", "Questions", "Secrets", "Processes", "Places", "Blocked commands"]

/** The bullets of a section of the page, each on one line. */
const promisesOf = (section: string): ReadonlyArray<string> => {
  const [, text = ""] = new RegExp(`\n## ${section}\n([^]*?)(?=\n## |$)`).exec(documentAt("docs/security.md")) ?? []
  const bullets = text.split(/^- /m).slice(1)
  return bullets.map((bullet) =>
    bullet
      .replace(/\n\n[^]*/, "")
      .replaceAll(/\s+/g, " ")
      .trim()
  )
}

/** The test files that a promise ends with, in parentheses. */
const testsOf = (promise: string): ReadonlyArray<string> => {
  const [, names = ""] = /\(([^()]*)\)[.;]$/.exec(promise) ?? []
  return [...names.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, name = ""]) => name)
}

describe("the page on security", () => {
  it.each(sections)("names for each promise the tests that hold it: %s", (section) => {
    const promises = promisesOf(section)
    assert.isNotEmpty(promises)
    for (const promise of promises) {
      const tests = testsOf(promise)
      assert.isNotEmpty(tests, promise)
      for (const test of tests) assert.isTrue(Fs.existsSync(Path.join(root, test)), `${test}: ${promise}`)
    }
  })
})
