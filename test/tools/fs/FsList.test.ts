import { execFileSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, plan, plant, temporaryDirectory, toolbox } from "../fixture.ts"

const listing = (files: { readonly [path: string]: string }, args: object = {}, change?: (root: string) => void) =>
  Effect.gen(function* () {
    const root = yield* temporaryDirectory
    plant(root, files)
    change?.(root)
    const result = yield* call("fs.list", { path: ".", ...args }, root)
    return { ...result, lines: result.summary.replaceAll(root, "<root>").split("\n") }
  }).pipe(Effect.scoped, Effect.provide(toolbox()))

describe("fs.list", () => {
  it.effect("names directories first, then files with their sizes, hidden ones included", () =>
    Effect.gen(function* () {
      const { lines, truncated } = yield* listing({ "b.txt": "12345", "z/": "", ".hidden": "1", "a/x": "" })
      assert.deepStrictEqual(lines, ["<root>: 4 entries", "a/", "z/", ".hidden 1 bytes", "b.txt 5 bytes"])
      assert.isFalse(truncated)
    })
  )

  it.effect("goes as deep as asked, level by level, but not into .git and node_modules", () =>
    Effect.gen(function* () {
      const files = { "a/b/c/d": "", ".git/config": "", "node_modules/x/y": "", f: "" }
      const two = yield* listing(files, { depth: 2 })
      assert.deepStrictEqual(two.lines.slice(1), [".git/", "a/", "node_modules/", "f 0 bytes", "a/b/"])
      const three = yield* listing(files, { depth: 3 })
      assert.include(three.lines, "a/b/c/")
      assert.notInclude(three.lines, "a/b/c/d 0 bytes")
    })
  )

  it.effect("shows links with their targets, pipes as pipes, and escapes what would break a line", () =>
    Effect.gen(function* () {
      const { lines } = yield* listing({ "new\nline": "" }, {}, (root) => {
        symlinkSync("nowhere", NodePath.join(root, "link"))
        execFileSync("mkfifo", [NodePath.join(root, "pipe")])
      })
      assert.deepStrictEqual(lines.slice(1), ["link -> nowhere", "new\\u000aline 0 bytes", "pipe (a pipe)"])
    })
  )

  it.effect("stops at the limit and says how much is left out", () =>
    Effect.gen(function* () {
      const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, ""]))
      const { lines, truncated } = yield* listing(files, { limit: 10 })
      assert.strictEqual(lines.length, 12)
      assert.strictEqual(lines.at(-1), "(20 more are left out (limit 10))")
      assert.isTrue(truncated)
    })
  )

  it.effect("does not read more names than it needs of a huge directory", () =>
    Effect.gen(function* () {
      const { lines, truncated } = yield* listing({}, { limit: 1 }, (root) => {
        execFileSync("sh", ["-c", "seq 1 10100 | xargs touch"], { cwd: root })
      })
      assert.isTrue(truncated)
      assert.include(lines.at(-1), "more than 10000 entries")
    })
  )

  it.effect("says that a file is no directory, that nothing is there, that a directory is empty", () =>
    Effect.gen(function* () {
      assert.include(
        (yield* listing({ f: "" }, { path: "f" })).summary,
        "is a file, not a directory; read it with fs_read"
      )
      assert.include((yield* listing({}, { path: "none" })).summary, "no such file or directory")
      assert.deepStrictEqual((yield* listing({})).lines, ["<root>: empty"])
    })
  )

  it.effect("asks for a directory outside", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const planned = yield* plan("fs.list", { path: ".." }, root)
      assert.strictEqual(planned._tag === "Ready" ? planned.need?.category : planned.why, "fs_read_outside")
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )
})
