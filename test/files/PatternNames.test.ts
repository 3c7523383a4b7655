import { symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { namePatterns } from "../../src/files/NamePattern.ts"
import { pathsOf } from "../../src/files/PatternNames.ts"
import { parse } from "../../src/shell/Parser.ts"
import { plant, temporaryDirectory } from "../tools/fixture.ts"

const piecesOf = (word: string) => parse(word).commands[0]?.words[0]?.parts ?? []

const matching: ReadonlyArray<readonly [pattern: string, yes: ReadonlyArray<string>, no: ReadonlyArray<string>]> = [
  ["*", ["a", "é", "a b", "[", "-n"], [".a", "."]],
  ["?", ["a", "é", "😀", "*"], ["", "ab", "."]],
  [".*", [".a", "."], ["a"]],
  ["*.ts", ["a.ts"], ["a.tsx", ".ts", "ts"]],
  ["a*b*c", ["abc", "aXbYc", "abbcc"], ["ab", "acb"]],
  ["[abc]", ["a", "c"], ["d", "ab", "[abc]"]],
  ["[!a-c]x", ["dx", "-x"], ["ax", "x"]],
  ["[^a]", ["b", "^"], ["a"]],
  ["[]a]", ["]", "a"], ["b"]],
  ["[!]a]", ["b"], ["]", "a"]],
  ["[a-]", ["a", "-"], ["b"]],
  ["[z-a]", [], ["a", "z", "-"]],
  ["[.]a", [], [".a"]],
  ["'*'*", ["*", "*a"], ["a"]],
  ["\\?x?", ["?xa"], ["axa"]],
  ["[", ["["], ["a"]],
  ["a[b*", ["a[b", "a[bc"], ["ab"]],
  ["[]", ["[]"], ["]"]],
  ["[!]", ["[!]"], ["a"]]
]

describe("a pattern of names", () => {
  it.each(matching)("%s matches what the shell matches", (pattern, yes, no) => {
    const [only] = namePatterns(piecesOf(pattern)) ?? []
    for (const name of yes) assert.isTrue(only?.matches(name), name)
    for (const name of no) assert.isFalse(only?.matches(name), name)
  })

  it.each(["[a'b']", "['a]'", "[\\]]", "[[:alpha:]]", "[[=a=]]", "[[.a.]]", "x['a'"])(
    "%s is not expanded: shells differ in it",
    (pattern) => assert.isUndefined(namePatterns(piecesOf(pattern)))
  )

  it("is compared in little time, however many stars it has", () => {
    const [only] = namePatterns(piecesOf(`${"*a".repeat(60)}*b`)) ?? []
    assert.isFalse(only?.matches("a".repeat(255)))
  })

  it.effect("is expanded over folders below the top alone", () =>
    Effect.gen(function* () {
      const [root, other] = [yield* temporaryDirectory, yield* temporaryDirectory]
      plant(root, { "a/x.ts": "", "b/y.ts": "", "b/.z": "", "c.ts": "", "d e/x": "" })
      plant(other, { x: "" })
      const paths = (word: string, entries = 100) =>
        Effect.promise(() => pathsOf(piecesOf(word), root, root, { entries }))
      assert.deepStrictEqual(yield* paths("*"), ["a", "b", "c.ts", "d e"])
      assert.deepStrictEqual(yield* paths("*/"), ["a/", "b/", "d e/"])
      assert.deepStrictEqual(yield* paths("./*/*.ts"), ["./a/x.ts", "./b/y.ts"])
      assert.deepStrictEqual(yield* paths("*/x"), ["d e/x"])
      assert.deepStrictEqual(yield* paths("b//.*"), ["b//.z"])
      assert.deepStrictEqual(yield* paths("none/*"), [])
      assert.deepStrictEqual(yield* paths("c.ts/*"), [])
      assert.isUndefined(yield* paths("*", 3))
      symlinkSync(other, NodePath.join(root, "out"))
      assert.isUndefined(yield* paths("*/x"))
      assert.isUndefined(yield* paths("out/*"))
      assert.isUndefined(yield* paths("*/"))
      assert.deepStrictEqual(yield* paths("[!o]*/x"), ["d e/x"])
      symlinkSync("x", Buffer.concat([Buffer.from(`${root}/a/`), Buffer.from([0xff])]))
      assert.isUndefined(yield* paths("a/x*"))
    }).pipe(Effect.scoped)
  )
})
