import { assert, describe, it } from "@effect/vitest"
import { isIgnored, parse } from "../../src/files/Gitignore.ts"

type Row = readonly [rules: string, path: string, ignored: boolean]

const rows: ReadonlyArray<Row> = [
  ["*.log", "a.log", true],
  ["*.log", "deep/down/a.log", true],
  ["*.log", "a.log.txt", false],
  ["build", "build/", true],
  ["build", "src/build/", true],
  ["build", "rebuild/", false],
  ["build/", "build", false],
  ["build/", "build/", true],
  ["/build", "build/", true],
  ["/build", "src/build/", false],
  ["src/build", "src/build/", true],
  ["src/build", "a/src/build/", false],
  ["**/foo/bar", "x/y/foo/bar", true],
  ["foo/**", "foo/a/b", true],
  ["foo/**", "foo/", false],
  ["a/**/b", "a/b", true],
  ["a/**/b", "a/x/y/b", true],
  ["*.log\n!keep.log", "keep.log", false],
  ["!keep.log\n*.log", "keep.log", true],
  ["# comment", "# comment", false],
  ["\\#file", "#file", true],
  ["\\!file", "!file", true],
  ["file   ", "file", true],
  ["file\\ ", "file ", true],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["a[bx]c", "axc", true],
  ["a[!b]c", "abc", false],
  ["*.{a,b}", "x.a", false],
  ["*.{a,b}", "x.{a,b}", true],
  [".*", ".env", true],
  ["*", ".env", true],
  ["crlf\r\nother", "crlf", true],
  ["", "anything", false],
  ["/", "anything", false]
]

describe("a .gitignore", () => {
  it.each(rows)("%j and %s: %s", (rules, path, ignored) => {
    const isDirectory = path.endsWith("/")
    assert.strictEqual(isIgnored(parse(rules), path.replace(/\/$/, ""), isDirectory) ?? false, ignored)
  })

  it("has no opinion on what no rule names, so that an outer file may have one", () => {
    assert.isUndefined(isIgnored(parse("*.log"), "a.txt", false))
    assert.isFalse(isIgnored(parse("!a.txt"), "a.txt", false))
  })
})
