import { Buffer } from "node:buffer"
import { execFileSync } from "node:child_process"
import { symlinkSync, truncateSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, plan, plant, temporaryDirectory, toolbox } from "../fixture.ts"

const reading = (content: string | Uint8Array, args: object = {}) =>
  Effect.gen(function* () {
    const root = yield* temporaryDirectory
    plant(root, { file: content })
    return yield* call("fs.read", { path: "file", ...args }, root)
  }).pipe(Effect.scoped, Effect.provide(toolbox()))

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n")

describe("fs.read", () => {
  it.effect("numbers the lines and keeps them as they are, blank ones too", () =>
    Effect.gen(function* () {
      const { summary, truncated } = yield* reading("  a\t\n\n\n\u2028b 😀\n")
      assert.strictEqual(summary, "1\t  a\t\n2\t\n3\t\n4\t\u2028b 😀")
      assert.isFalse(truncated)
    })
  )

  it.effect("shows the head by default and says how much is left", () =>
    Effect.gen(function* () {
      const { summary, truncated } = yield* reading(numbers(2500))
      assert.isTrue(summary.startsWith("1\tline 1\n"))
      assert.include(summary, "\n1000\tline 1000\n")
      assert.notInclude(summary, "line 1001")
      assert.include(summary, "lines 1 to 1000 of 2500; 1500 left, go on with offset 1001")
      assert.isTrue(truncated)
    })
  )

  it.effect("starts at offset and stops after limit, which was asked for and is no cut", () =>
    Effect.gen(function* () {
      const { summary, truncated } = yield* reading(numbers(10), { offset: 4, limit: 2 })
      assert.strictEqual(summary, "4\tline 4\n5\tline 5\n(lines 4 to 5 of 10; 5 left, go on with offset 6)")
      assert.isFalse(truncated)
    })
  )

  it.effect("counts a negative offset from the end", () =>
    Effect.gen(function* () {
      const { summary } = yield* reading(`${numbers(10)}\n`, { offset: -2 })
      assert.strictEqual(summary, "9\tline 9\n10\tline 10\n(lines 9 to 10 of 10)")
      assert.include((yield* reading("a\nb\n", { offset: -100 })).summary, "1\ta\n2\tb")
      assert.include(
        (yield* reading(numbers(10), { offset: -5, limit: 1 })).summary,
        "6\tline 6\n(lines 6 to 6 of 10; 4 left"
      )
    })
  )

  it.effect("says that a line is not there, and how many are", () =>
    Effect.gen(function* () {
      const { status, summary } = yield* reading("a\nb\n", { offset: 3 })
      assert.strictEqual(status, "error")
      assert.include(summary, "there is no line 3, it has 2")
    })
  )

  it.effect("says that a file is empty, ends without a line break, ends its lines with CRLF", () =>
    Effect.gen(function* () {
      assert.include((yield* reading("")).summary, "is empty")
      assert.strictEqual((yield* reading("a")).summary, "1\ta\n(no line break at the end)")
      assert.strictEqual((yield* reading("a\r\nb\r\n")).summary, "1\ta\n2\tb\n(lines end with CRLF)")
    })
  )

  it.effect("keeps characters whole wherever the reads fall", () =>
    Effect.gen(function* () {
      const line = "x".repeat(100) + "語😀"
      const { summary } = yield* reading(Array.from({ length: 8000 }, () => line).join("\n"), {
        offset: 2500,
        limit: 200
      })
      const shown = summary.split("\n").slice(0, -1)
      assert.strictEqual(shown.length, 200)
      assert.isTrue(shown.every((each) => each.endsWith(line)))
    })
  )

  it.effect("refuses binary files with their kind and size", () =>
    Effect.gen(function* () {
      const png = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(100)])
      const image = yield* reading(png)
      assert.strictEqual(image.status, "error")
      assert.include(image.summary, "a PNG image, 116 bytes")
      assert.include((yield* reading("text\0text")).summary, "binary data, 9 bytes")
      assert.include((yield* reading(Buffer.from("\uFEFFhi", "utf16le"))).summary, "UTF-16")
      assert.strictEqual((yield* reading("BZh is how bzip2 files begin\n")).status, "ok")
    })
  )

  it.effect("shows text that is no UTF-8, and says so", () =>
    Effect.gen(function* () {
      const { status, summary } = yield* reading(Buffer.from("caf\xe9\n", "latin1"))
      assert.strictEqual(status, "ok")
      assert.include(summary, "1\tcaf\uFFFD\n(not UTF-8")
      assert.notInclude((yield* reading("\uFFFD is a character too\n")).summary, "not UTF-8")
    })
  )

  it.effect("cuts a line of 100 MB, and goes on with the next", () =>
    Effect.gen(function* () {
      const { summary, truncated } = yield* reading(
        Buffer.concat([Buffer.alloc(60_000_000, "é"), Buffer.from("\nnext\n")])
      )
      assert.isTrue(truncated)
      assert.isBelow(summary.length, 5_000)
      assert.include(summary, "… (59996000 more bytes)\n2\tnext\n(long lines are cut)")
      assert.isTrue(summary.isWellFormed())
      assert.notInclude(summary, "\uFFFD")
    })
  )

  it.effect("stops at what fits a result, and says where to go on", () =>
    Effect.gen(function* () {
      const { summary, truncated } = yield* reading(Array.from({ length: 100 }, () => "x".repeat(1000)).join("\n"))
      assert.isTrue(truncated)
      assert.isBelow(summary.length, 32_000)
      assert.include(summary, "lines 1 to 29 of 100; 71 left, go on with offset 30")
    })
  )

  it.effect("reads head and tail of a file of 5 GB", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      plant(root, { log: numbers(5000) + "\n" })
      truncateSync(NodePath.join(root, "log"), 5_000_000_000)
      const head = yield* call("fs.read", { path: "log", limit: 2 }, root)
      assert.strictEqual(
        head.summary,
        "1\tline 1\n2\tline 2\n(lines 1 to 2 of a file of 5000000000 bytes; more left, go on with offset 3)"
      )
      const tail = yield* call("fs.read", { path: "log", offset: -1 }, root)
      assert.include(tail.summary, "-1\t\0")
      assert.isBelow(tail.summary.length, 10_000)
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )

  it.effect("does not open pipes, devices or directories", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      execFileSync("mkfifo", [NodePath.join(root, "fifo")])
      symlinkSync("/dev/zero", NodePath.join(root, "zero"))
      assert.include((yield* call("fs.read", { path: "fifo" }, root)).summary, "is a pipe, not a regular file")
      assert.include((yield* call("fs.read", { path: "zero" }, root)).summary, "is a device, not a regular file")
      assert.include((yield* call("fs.read", { path: "." }, root)).summary, "is a directory, not a regular file")
      assert.include((yield* call("fs.read", { path: "none" }, root)).summary, "none: no such file or directory")
      assert.include((yield* call("fs.read", { path: "a\0b" }, root)).summary, "NUL")
      assert.strictEqual((yield* call("fs.read", { path: "x".repeat(5000) }, root)).status, "error")
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )

  it.effect("reads files of /proc, which say that they are empty", () =>
    Effect.gen(function* () {
      const { summary } = yield* call("fs.read", { path: "/proc/self/status", limit: 1 }, "/tmp")
      assert.include(summary, "1\tName:")
    }).pipe(Effect.provide(toolbox()))
  )

  it.effect("asks for what lies outside, where a link leads too", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const other = yield* temporaryDirectory
      plant(root, { inside: "1" })
      plant(other, { secret: "2" })
      symlinkSync(NodePath.join(other, "secret"), NodePath.join(root, "link"))
      const inside = yield* plan("fs.read", { path: "inside" }, root)
      assert.isTrue(inside._tag === "Ready" && inside.need === undefined)
      for (const path of ["link", NodePath.join(other, "secret"), `../${NodePath.basename(other)}/secret`]) {
        const planned = yield* plan("fs.read", { path }, root)
        if (planned._tag !== "Ready") return assert.fail(planned.why)
        assert.strictEqual(planned.need?.category, "fs_read_outside")
        assert.deepStrictEqual(planned.need?.affectedResources, [NodePath.join(other, "secret")])
        assert.strictEqual((yield* planned.run).summary, "1\t2\n(no line break at the end)")
      }
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )
})
