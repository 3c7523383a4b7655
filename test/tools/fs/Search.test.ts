import { Buffer } from "node:buffer"
import { renameSync, symlinkSync, truncateSync } from "node:fs"
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

  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("needle\n", "utf16le")])
  const png = Buffer.from("89504e470d0a1a0a00", "hex")

  it.effect("says which files it left out, and why", () =>
    Effect.gen(function* () {
      const { lines, truncated } = yield* grep(
        { "sub/bin": "needle\0", text: "needle\n", huge: "needle", "a.txt": utf16, "b.png": png },
        { pattern: "needle" },
        (root) => {
          symlinkSync("text", NodePath.join(root, "link"))
          truncateSync(NodePath.join(root, "huge"), 5_000_000_000)
        }
      )
      assert.deepStrictEqual(lines, [
        "text:1:needle",
        "(left out: a.txt (UTF-16 text or binary data); left out: huge (larger than 67108864 bytes); " +
          "left out: b.png, sub/bin (binary))"
      ])
      assert.isTrue(truncated)
    })
  )

  it.effect("names three of many, and is not called incomplete for what is no text", () =>
    Effect.gen(function* () {
      const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${100 + at}.png`, png]))
      const { lines, truncated } = yield* grep({ ...files, "a\nb.png": png }, { pattern: "needle", path: "./" })
      assert.deepStrictEqual(lines, [
        "No matches for needle.",
        "(left out: 100.png, 101.png, 102.png and 28 more (binary))"
      ])
      assert.isFalse(truncated)
      const one = yield* grep({ ...files, "a\nb.png": png }, { pattern: "needle", glob: "a*" })
      assert.strictEqual(one.lines[1], "(left out: a\\u000ab.png (binary))")
    })
  )

  it.effect("fails for one file that it cannot search, as reading it does", () =>
    Effect.gen(function* () {
      const files = { "sub/a.txt": utf16, "b.png": png, huge: "" }
      const enlarge = (root: string) => truncateSync(NodePath.join(root, "huge"), 5_000_000_000)
      for (const [path, why] of [
        ["sub/a.txt", "sub/a.txt is not text: UTF-16 text or binary data, 16 bytes"],
        ["b.png", "b.png is not text: a PNG image, 9 bytes"],
        ["huge", "huge is larger than 67108864 bytes"]
      ] as const) {
        const { status, summary } = yield* grep(files, { pattern: "needle", path }, enlarge)
        assert.deepStrictEqual({ status, summary }, { status: "error", summary: why })
        if (path === "huge") continue
        assert.include((yield* searching("fs.read", files, { path })).summary, why)
      }
    })
  )

  it.effect.each(["fs.grep", "fs.glob"])("%s says which folders it could not read", (tool) =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      // A path that is too long can be read by nobody, not even by root. It is made, and removed, from its other end.
      const [short, long] = ["d", "d".repeat(250)]
      const depths = Array.from({ length: 17 }, (_, at) => at)
      plant(root, { "f.txt": "needle\n", [`${depths.map(() => short).join("/")}/f.txt`]: "needle\n" })
      const rename = (depth: number, from: string, to: string, above: string) => {
        const folder = NodePath.join(root, ...Array<string>(depth).fill(above))
        renameSync(NodePath.join(folder, from), NodePath.join(folder, to))
      }
      for (const depth of depths.toReversed()) rename(depth, short, long, short)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const depth of depths) rename(depth, long, short, short)
        })
      )
      const { summary, truncated } = yield* call(tool, { pattern: tool === "fs.grep" ? "needle" : "*.txt" }, root)
      assert.match(summary, /^f\.txt(:1:needle)?\n\(left out: (d{250}\/)*d+… \(the name is too long\)\)$/)
      assert.isTrue(truncated)
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
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
