import { symlinkSync, truncateSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, plan, plant, temporaryDirectory, toolbox } from "../fixture.ts"

const searching = (
  tool: string,
  files: { readonly [path: string]: string | Uint8Array },
  args: object,
  change?: (root: string) => void
) =>
  Effect.gen(function* () {
    const root = yield* temporaryDirectory
    plant(root, files)
    change?.(root)
    const result = yield* call(tool, args, root)
    return { ...result, lines: result.summary.split("\n") }
  }).pipe(Effect.scoped, Effect.provide(toolbox()))

const tree = {
  ".gitignore": "*.log\n/dist/\n",
  "a.ts": "export const a = 1\n",
  "a.log": "export noise\n",
  "src/b.ts": "import { a } from '../a.ts'\nexport const b = a\n// EXPORT\n",
  "src/c.md": "# c\n",
  "src/.gitignore": "!kept.log\nsecret*\n",
  "src/kept.log": "export kept\n",
  "src/secret.ts": "export secret\n",
  "dist/a.ts": "export built\n",
  "node_modules/m/index.ts": "export m\n",
  ".git/hooks/x.ts": "export hook\n",
  ".github/ci.yml": "on: push\n"
}

describe("fs.glob", () => {
  it.effect("finds files at any depth, in order, without what a .gitignore hides, also outside a repository", () =>
    Effect.gen(function* () {
      const { lines } = yield* searching("fs.glob", tree, { pattern: "**/*.ts" })
      assert.deepStrictEqual(lines, ["a.ts", "src/b.ts"])
    })
  )

  it.effect("matches a pattern without a slash against names, one with a slash against paths", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* searching("fs.glob", tree, { pattern: "*.ts" })).lines, ["a.ts", "src/b.ts"])
      assert.deepStrictEqual((yield* searching("fs.glob", tree, { pattern: "src/*.{ts,md}" })).lines, [
        "src/b.ts",
        "src/c.md"
      ])
      assert.deepStrictEqual((yield* searching("fs.glob", tree, { pattern: "*.yml" })).lines, [".github/ci.yml"])
    })
  )

  it.effect("keeps the rules of the directories above the one that is searched", () =>
    Effect.gen(function* () {
      const { lines } = yield* searching("fs.glob", { ...tree, "src/x.log": "" }, { pattern: "*", path: "src" })
      assert.deepStrictEqual(lines, ["src/.gitignore", "src/b.ts", "src/c.md", "src/kept.log"])
    })
  )

  it.effect("names links but does not follow them", () =>
    Effect.gen(function* () {
      const { lines } = yield* searching("fs.glob", { "a/f": "" }, { pattern: "**" }, (root) => {
        symlinkSync("..", NodePath.join(root, "a", "loop"))
      })
      assert.deepStrictEqual(lines, ["a/f", "a/loop"])
    })
  )

  it.effect("stops at the limit and says so; says that nothing was found", () =>
    Effect.gen(function* () {
      const cut = yield* searching("fs.glob", tree, { pattern: "*", limit: 1 })
      assert.include(cut.lines.at(-1), "left out (limit 1)")
      assert.isTrue(cut.truncated)
      const none = yield* searching("fs.glob", tree, { pattern: "*.none" })
      assert.include(none.summary, "No files match *.none")
      assert.strictEqual(none.status, "ok")
    })
  )

  it.effect("refuses patterns that climb out, and asks for a path outside", () =>
    Effect.gen(function* () {
      for (const pattern of ["../*", "/etc/*", "a/../../b", "C:\\*"]) {
        assert.strictEqual((yield* searching("fs.glob", tree, { pattern })).status, "error", pattern)
      }
      const planned = yield* plan("fs.glob", { pattern: "*", path: "/etc" }, "/tmp").pipe(Effect.provide(toolbox()))
      assert.strictEqual(planned._tag === "Ready" ? planned.need?.category : planned.why, "fs_read_outside")
    })
  )

  it.effect("is not held up by patterns of many stars or braces", () =>
    Effect.gen(function* () {
      const files = { ["a".repeat(200)]: "" }
      assert.strictEqual((yield* searching("fs.glob", files, { pattern: "*a".repeat(100) + "b" })).status, "ok")
      assert.strictEqual((yield* searching("fs.glob", files, { pattern: "{a,b}".repeat(200) })).status, "ok")
      assert.strictEqual((yield* searching("fs.glob", files, { pattern: "**/".repeat(500) + "x" })).status, "ok")
    })
  )
})

describe("fs.grep", () => {
  const grep = (
    files: { readonly [path: string]: string | Uint8Array },
    args: object,
    change?: (root: string) => void
  ) => searching("fs.grep", files, args, change)

  it.effect("shows path, number and text of each line that matches, without what a .gitignore hides", () =>
    Effect.gen(function* () {
      const { lines } = yield* grep(tree, { pattern: "^export" })
      assert.deepStrictEqual(lines, [
        "a.ts:1:export const a = 1",
        "src/b.ts:2:export const b = a",
        "src/kept.log:1:export kept"
      ])
    })
  )

  it.effect("heeds path, glob and ignoreCase", () =>
    Effect.gen(function* () {
      const { lines } = yield* grep(tree, { pattern: "export", path: "src", glob: "*.ts", ignoreCase: true })
      assert.deepStrictEqual(lines, ["src/b.ts:2:export const b = a", "src/b.ts:3:// EXPORT"])
      assert.deepStrictEqual((yield* grep(tree, { pattern: "c", path: "src/c.md" })).lines, ["src/c.md:1:# c"])
    })
  )

  it.effect("shows lines around a match, and a mark between those that are apart", () =>
    Effect.gen(function* () {
      const text = Array.from({ length: 20 }, (_each, index) => `${index + 1}`).join("\n")
      const { lines } = yield* grep({ f: text }, { pattern: "^(3|5|15)$", context: 1 })
      assert.deepStrictEqual(lines, [
        "f-2-2",
        "f:3:3",
        "f-4-4",
        "f:5:5",
        "f-6-6",
        "--",
        "f-14-14",
        "f:15:15",
        "f-16-16"
      ])
    })
  )

  it.effect("stops at the limit and says so", () =>
    Effect.gen(function* () {
      const { lines, truncated } = yield* grep({ f: "x\n".repeat(500), g: "x\n" }, { pattern: "x", limit: 3 })
      assert.deepStrictEqual(lines, ["f:1:x", "f:2:x", "f:3:x", "(stopped at 3 matches, there may be more)"])
      assert.isTrue(truncated)
    })
  )

  it.effect("passes over binary files, links and files of many gigabytes", () =>
    Effect.gen(function* () {
      const { lines } = yield* grep(
        { bin: "needle\0", text: "needle\n", huge: "needle" },
        { pattern: "needle" },
        (root) => {
          symlinkSync("text", NodePath.join(root, "link"))
          truncateSync(NodePath.join(root, "huge"), 5_000_000_000)
        }
      )
      assert.strictEqual(lines[0], "text:1:needle")
      assert.isTrue(lines.slice(1).every((line) => line.startsWith("(")))
    })
  )

  it.effect("cuts a line of many megabytes", () =>
    Effect.gen(function* () {
      const { summary } = yield* grep({ f: `needle${"x".repeat(8_000_000)}\nneedle 2\n` }, { pattern: "needle" })
      assert.isBelow(summary.length, 1000)
      assert.include(summary, "f:2:needle 2")
    })
  )

  it.effect("gives look-around to those who want it, and says what is no regular expression", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* grep({ f: "ab\nac\n" }, { pattern: "a(?!b)" })).lines, ["f:2:ac"])
      const { status, summary } = yield* grep({ f: "" }, { pattern: "(" })
      assert.strictEqual(status, "error")
      assert.include(summary, "no regular expression")
    })
  )

  it.effect("takes a pattern that looks like an option for a pattern", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* grep({ f: "--pre=sh\n" }, { pattern: "--pre=sh" })).lines, ["f:1:--pre=sh"])
      assert.deepStrictEqual((yield* grep({ "-f": "x\n" }, { pattern: "x", path: "-f" })).lines, ["-f:1:x"])
    })
  )

  it.effect("says that nothing matches", () =>
    Effect.gen(function* () {
      const { status, summary } = yield* grep(tree, { pattern: "nothing like it" })
      assert.strictEqual(status, "ok")
      assert.include(summary, "No matches")
    })
  )

  it.effect("cuts off an expression that backtracks without end", () =>
    Effect.gen(function* () {
      const { status, summary } = yield* grep({ f: `${"a".repeat(50)}b\n` }, { pattern: "^(a+)+$" })
      assert.strictEqual(status, "error")
      assert.include(summary, "takes too long")
    })
  )

  it.effect("numbers the lines right after one that had to be searched in pieces", () =>
    Effect.gen(function* () {
      const files = { f: `${"y".repeat(3_500_000)}\nneedle\n` }
      const { lines } = yield* grep(files, { pattern: "needle" })
      assert.deepStrictEqual(lines, ["f:2:needle"])
    })
  )
})
