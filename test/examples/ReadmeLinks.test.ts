import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { root } from "../support/Bin.ts"
import { anchorsOf, documents, linksOf } from "./Documents.ts"

/** Why a link of a document leads nowhere, if it does not. */
const fault = (from: string, link: string): string | undefined => {
  const [file = "", anchor] = link.split("#")
  const target = file === "" ? from : Path.posix.join(Path.posix.dirname(from), file)
  const path = Path.join(root, target)
  if (!Fs.existsSync(path)) return `${from}: there is no ${target}`
  if (anchor === undefined) return undefined
  return anchorsOf(Fs.readFileSync(path, "utf8")).has(anchor) ? undefined : `${from}: ${target} has no #${anchor}`
}

describe("the documents", () => {
  it("link to files and headings that there are", () => {
    const faults = documents.flatMap(({ path, text }) => linksOf(text).map((link) => fault(path, link)))
    assert.deepStrictEqual(
      faults.filter((each) => each !== undefined),
      []
    )
    assert.isAbove(faults.length, 50)
  })

  it("can all be reached from the README", () => {
    const reached = new Set(["README.md"])
    for (const from of reached) {
      const text = documents.find(({ path }) => path === from)?.text ?? ""
      for (const link of linksOf(text)) {
        const target = Path.posix.join(Path.posix.dirname(from), link.replace(/#.*/, ""))
        if (documents.some(({ path }) => path === target)) reached.add(target)
      }
    }
    assert.deepStrictEqual(
      documents.map(({ path }) => path).filter((path) => !reached.has(path)),
      []
    )
  })

  it("name files of the repository that there are", () => {
    const named = documents.flatMap(({ path, text }) =>
      [...text.matchAll(/`((?:src|test|scripts|docs|\.ci)\/[\w./-]+)`/g)].map(([, name = ""]) => ({ path, name }))
    )
    const made = /\/My\w+\.ts$|\.test\.ts$/
    assert.deepStrictEqual(
      named.filter(({ name }) => !made.test(name) && !Fs.existsSync(Path.join(root, name))),
      []
    )
  })

  it("have a README that is read in ten minutes", () => {
    assert.isAtMost(Fs.statSync(Path.join(root, "README.md")).size, 12 * 1024)
  })
})
