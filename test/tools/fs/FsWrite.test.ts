import { Buffer } from "node:buffer"
import { spawn } from "node:child_process"
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { buildSync } from "esbuild"
import { call, plan, plant, temporaryDirectory, toolbox } from "../fixture.ts"

/** Two directories, the one to work in and one outside of it. */
const inPair = <A, E>(test: (root: string, outside: string) => Effect.Effect<A, E, any>) =>
  Effect.gen(function* () {
    return yield* test(yield* temporaryDirectory, yield* temporaryDirectory)
  }).pipe(Effect.scoped, Effect.provide(toolbox())) as Effect.Effect<A, E>

const ready = (tool: string, args: object, root: string) =>
  Effect.map(plan(tool, args, root), (planned) => {
    if (planned._tag !== "Ready") throw new Error(planned.why)
    return planned
  })

describe("fs.write", () => {
  it.effect("makes a file with its parents, and asks with the whole of it as a diff", () =>
    inPair((root) =>
      Effect.gen(function* () {
        const planned = yield* ready("fs.write", { path: "a/b/c.txt", content: "one\ntwo\n" }, root)
        const path = NodePath.join(root, "a/b/c.txt")
        assert.deepStrictEqual(planned.need, {
          category: "fs_write_workspace",
          reason: `create ${path}`,
          preview: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1,2 @@\n+one\n+two\n`,
          affectedResources: [path],
          subject: { kind: "write", paths: [path] }
        })
        assert.isFalse(existsSync(NodePath.join(root, "a")))
        const result = yield* planned.run
        assert.deepStrictEqual(result, { status: "ok", summary: `created ${path}: 8 bytes`, truncated: false })
        assert.strictEqual(readFileSync(path, "utf8"), "one\ntwo\n")
        assert.deepStrictEqual(readdirSync(NodePath.join(root, "a/b")), ["c.txt"])
      })
    )
  )

  it.effect("replaces a file, keeps its mode, and shows what changes", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { "run.sh": "echo 1\necho 2\necho 3\n" })
        const path = NodePath.join(root, "run.sh")
        chmodSync(path, 0o751)
        const planned = yield* ready("fs.write", { path: "run.sh", content: "echo 1\necho two\necho 3\n" }, root)
        assert.strictEqual(
          planned.need?.preview,
          `--- ${path}\n+++ ${path}\n@@ -1,3 +1,3 @@\n echo 1\n-echo 2\n+echo two\n echo 3\n`
        )
        assert.include((yield* planned.run).summary, "replaced")
        assert.strictEqual(statSync(path).mode & 0o7777, 0o751)
        assert.strictEqual(readFileSync(path, "utf8"), "echo 1\necho two\necho 3\n")
      })
    )
  )

  it.effect("raises the category of where the file really lies", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        symlinkSync(NodePath.join(outside, "new"), NodePath.join(root, "dangling"))
        for (const path of ["dangling", NodePath.join(outside, "new"), `../${NodePath.basename(outside)}/new`]) {
          const planned = yield* ready("fs.write", { path, content: "" }, root)
          assert.strictEqual(planned.need?.category, "other", path)
          assert.deepStrictEqual(planned.need?.affectedResources, [NodePath.join(outside, "new")])
        }
        const planned = yield* ready("fs.write", { path: "dangling", content: "x" }, root)
        assert.include(planned.need?.reason, `which is ${NodePath.join(outside, "new")}`)
        assert.strictEqual((yield* planned.run).status, "ok")
        assert.isTrue(lstatSync(NodePath.join(root, "dangling")).isSymbolicLink())
        assert.strictEqual(readFileSync(NodePath.join(outside, "new"), "utf8"), "x")
      })
    )
  )

  it.effect("writes through a link to the file that it leads to", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { real: "1" })
        symlinkSync("real", NodePath.join(root, "link"))
        assert.strictEqual((yield* call("fs.write", { path: "link", content: "2" }, root)).status, "ok")
        assert.isTrue(lstatSync(NodePath.join(root, "link")).isSymbolicLink())
        assert.strictEqual(readFileSync(NodePath.join(root, "real"), "utf8"), "2")
      })
    )
  )

  it.effect("does not touch another name of the same file", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        plant(outside, { config: "old" })
        linkSync(NodePath.join(outside, "config"), NodePath.join(root, "hard"))
        assert.strictEqual((yield* call("fs.write", { path: "hard", content: "new" }, root)).status, "ok")
        assert.strictEqual(readFileSync(NodePath.join(outside, "config"), "utf8"), "old")
      })
    )
  )

  const changes: ReadonlyArray<readonly [string, (path: string, outside: string) => void]> = [
    ["has changed", (path) => writeFileSync(path, "3")],
    ["has changed", (path) => writeFileSync(path, "longer")],
    ["is gone", (path) => rmSync(path)],
    ["has become a directory", (path) => (rmSync(path), mkdirSync(path))],
    ["has become a symbolic link", (path, outside) => (rmSync(path), symlinkSync(NodePath.join(outside, "x"), path))]
  ]

  it.effect("fails if the file is not what it was when the change was shown", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        for (const [why, change] of changes) {
          const path = NodePath.join(root, "file")
          rmSync(path, { recursive: true, force: true })
          writeFileSync(path, "1")
          const planned = yield* ready("fs.write", { path: "file", content: "2" }, root)
          change(path, outside)
          const result = yield* planned.run
          assert.strictEqual(result.status, "error")
          assert.include(result.summary, why)
          assert.deepStrictEqual(readdirSync(outside), [])
          assert.isTrue(!existsSync(path) || lstatSync(path).isDirectory() || readFileSync(path, "utf8") !== "2")
        }
      })
    )
  )

  it.effect("does not mind that the file was touched, or replaced by the same", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { file: "1" })
        const planned = yield* ready("fs.write", { path: "file", content: "2" }, root)
        utimesSync(NodePath.join(root, "file"), 1, 1)
        writeFileSync(NodePath.join(root, "file"), "1")
        assert.strictEqual((yield* planned.run).status, "ok")
      })
    )
  )

  it.effect("leaves the mode as it is when it writes, whatever it was when it was asked about", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { file: "1" })
        const path = NodePath.join(root, "file")
        chmodSync(path, 0o666)
        for (const [tool, args] of [
          ["fs.write", { path: "file", content: "2" }],
          ["fs.edit", { path: "file", oldText: "2", newText: "3" }]
        ] as const) {
          const planned = yield* ready(tool, args, root)
          const mode = statSync(path).mode & 0o7777 & ~0o022
          chmodSync(path, mode)
          assert.strictEqual((yield* planned.run).status, "ok")
          assert.strictEqual(statSync(path).mode & 0o7777, mode)
          chmodSync(path, 0o777)
        }
      })
    )
  )

  it.effect("fails if a file has come into being that was not there", () =>
    inPair((root) =>
      Effect.gen(function* () {
        const planned = yield* ready("fs.write", { path: "file", content: "2" }, root)
        writeFileSync(NodePath.join(root, "file"), "precious")
        assert.include((yield* planned.run).summary, "has come into being")
        assert.strictEqual(readFileSync(NodePath.join(root, "file"), "utf8"), "precious")
      })
    )
  )

  it.effect("is not led elsewhere by a directory that was swapped for a link", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        plant(root, { "dir/file": "1", "deep/er/": "" })
        const cases: ReadonlyArray<readonly [path: string, swapped: string]> = [
          ["dir/file", "dir"],
          ["dir/new", "dir"],
          ["deep/er/new", "deep"],
          ["made/new", "made"]
        ]
        for (const [path, swapped] of cases) {
          const planned = yield* ready("fs.write", { path, content: "2" }, root)
          const at = NodePath.join(root, swapped)
          if (existsSync(at)) renameSync(at, `${at}.old`)
          symlinkSync(outside, at)
          const result = yield* planned.run
          assert.strictEqual(result.status, "error", path)
          assert.deepStrictEqual(readdirSync(outside), [])
          rmSync(at)
          if (existsSync(`${at}.old`)) renameSync(`${at}.old`, at)
        }
      })
    )
  )

  it.effect("asks before it tells what is in the way outside", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        plant(outside, { "dir/": "" })
        const path = NodePath.join(outside, "dir")
        const planned = yield* ready("fs.write", { path, content: "x" }, root)
        assert.strictEqual(planned.need?.category, "other")
        assert.include((yield* planned.run).summary, "is a directory")
        assert.strictEqual((yield* ready("fs.write", { path, content: "" }, root)).need?.preview, "(an empty file)")
      })
    )
  )

  it.effect("refuses directories, devices and absurd arguments", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { "dir/": "", file: "" })
        const error = (args: object) =>
          Effect.map(call("fs.write", args, root), ({ status, summary }) => [status, summary].join(": "))
        assert.include(yield* error({ path: "dir", content: "" }), "error: ")
        assert.include(yield* error({ path: "dir/", content: "" }), "names a directory")
        assert.include(yield* error({ path: "", content: "" }), "names a directory")
        assert.include(yield* error({ path: "/dev/null", content: "" }), "is a device")
        assert.include(yield* error({ path: "file/x", content: "" }), "not a directory")
        assert.include(yield* error({ path: "a\0b", content: "" }), "NUL")
        assert.include(yield* error({ path: "x".repeat(300), content: "" }), "too long")
        assert.include(yield* error({ path: "big", content: "x".repeat(11 * 1024 * 1024) }), "larger than")
        assert.include(yield* error({ path: "x" }), "content: expected string")
        assert.include(yield* error({ path: 1, content: {} }), "path: expected string")
        assert.deepStrictEqual(readdirSync(root).toSorted(), ["dir", "file"])
      })
    )
  )

  it.effect("replaces binary and large files without showing their bytes", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { bin: Buffer.from([0, 1, 2]), large: Buffer.alloc(11 * 1024 * 1024, "a") })
        const bin = yield* ready("fs.write", { path: "bin", content: "text\n" }, root)
        assert.include(bin.need?.preview, "replaces binary data of 3 bytes")
        const large = yield* ready("fs.write", { path: "large", content: "text\n" }, root)
        assert.include(large.need?.preview, "a large file")
        utimesSync(NodePath.join(root, "large"), 1, 1)
        assert.include((yield* large.run).summary, "has changed")
        assert.strictEqual((yield* call("fs.write", { path: "large", content: "text\n" }, root)).status, "ok")
        assert.strictEqual(readFileSync(NodePath.join(root, "large"), "utf8"), "text\n")
      })
    )
  )

  it.effect(
    "leaves the old file or the new one when it is killed, whole, 40 times",
    () =>
      inPair((root) =>
        Effect.gen(function* () {
          const script = NodePath.join(root, "writer.mjs")
          const source = `
          import { takeSnapshot, writeAtomically } from ${JSON.stringify(NodePath.resolve("src/files/AtomicWrite.ts"))}
          const [, , path, size] = process.argv
          for (let n = 0; ; n++) {
            await writeAtomically(path, await takeSnapshot(path), Buffer.alloc(Number(size), n % 2 === 0 ? "b" : "a"))
            process.stdout.write(".")
          }`
          buildSync({
            stdin: { contents: source, resolveDir: process.cwd(), loader: "ts" },
            bundle: true,
            platform: "node",
            format: "esm",
            outfile: script,
            logLevel: "error"
          })
          const size = 300_000
          const attempt = (number: number) =>
            Effect.promise(
              () =>
                new Promise<void>((done, failed) => {
                  const path = NodePath.join(root, `file${number}`)
                  writeFileSync(path, Buffer.alloc(size, "a"))
                  const child = spawn(process.execPath, [script, path, `${size}`], {
                    stdio: ["ignore", "pipe", "inherit"]
                  })
                  let writes = 0
                  child.stdout.on("data", (dots: Buffer) => {
                    writes += dots.length
                    if (writes > number % 7) child.kill("SIGKILL")
                  })
                  child.on("exit", (_, signal) => {
                    const content = readFileSync(path)
                    const [first] = content
                    const isWhole = content.length === size && content.every((byte) => byte === first)
                    rmSync(path)
                    if (isWhole && signal === "SIGKILL") done()
                    else failed(new Error(`try ${number}: ${content.length} bytes, ended by ${signal}`))
                  })
                })
            )
          yield* Effect.forEach(
            Array.from({ length: 40 }, (_, number) => number),
            attempt,
            { concurrency: 4, discard: true }
          )
        })
      ),
    120_000
  )
})

/** Calls that change nothing of `f`, which has `content`. */
const noChanges: ReadonlyArray<readonly [what: string, tool: string, content: string, args: object]> = [
  ["the same text", "fs.write", "a\nb\n", { content: "a\nb\n" }],
  ["nothing over nothing", "fs.write", "", { content: "" }],
  ["half of a character over its replacement", "fs.write", "a\ufffd", { content: "a\ud800" }],
  ["the other line ends", "fs.edit", "a\r\nb\r\n", { oldText: "a\nb", newText: "a\r\nb" }]
]

describe.each(noChanges)("a call that changes nothing: %s", (_, tool, content, args) => {
  const noChange = (path: string) => ({
    status: "ok" as const,
    summary: `${path} has this content already (no change)`,
    truncated: false
  })
  const before = (path: string) => (writeFileSync(path, content), utimesSync(path, 1, 1), chmodSync(path, 0o640))
  const isAsBefore = (path: string) => {
    assert.deepStrictEqual(readFileSync(path), Buffer.from(content))
    const { mode, mtimeMs } = statSync(path)
    assert.deepStrictEqual([mode & 0o7777, mtimeMs], [0o640, 1000])
  }

  it.effect("asks nobody, says so, and leaves the file alone", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        const path = NodePath.join(root, "f")
        before(path)
        linkSync(path, NodePath.join(outside, "hard"))
        const planned = yield* ready(tool, { path: "f", ...args }, root)
        assert.isUndefined(planned.need)
        assert.deepStrictEqual(yield* planned.run, noChange(path))
        isAsBefore(path)
        assert.strictEqual(statSync(path).ino, statSync(NodePath.join(outside, "hard")).ino)
        assert.deepStrictEqual(readdirSync(root), ["f"])
      })
    )
  )

  it.effect("asks where its silence would tell what is in a file outside", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        const path = NodePath.join(outside, "f")
        before(path)
        symlinkSync(path, NodePath.join(root, "link"))
        for (const given of [path, "link"]) {
          const planned = yield* ready(tool, { path: given, ...args }, root)
          assert.deepInclude(planned.need, { category: "other", affectedResources: [path] })
          assert.include(planned.need?.preview, "(no change)")
          assert.include((yield* planned.run).summary, "(no change)")
          isAsBefore(path)
        }
      })
    )
  )

  it.effect("writes nothing where it has become a change meanwhile", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        const path = NodePath.join(root, "d/f")
        const precious = NodePath.join(outside, "f")
        writeFileSync(precious, content)
        const changes: ReadonlyArray<() => void> = [
          () => writeFileSync(path, "precious"),
          () => rmSync(path),
          () => (rmSync(path), mkdirSync(path)),
          () => (rmSync(path), symlinkSync(precious, path)),
          () => (rmSync(NodePath.dirname(path), { recursive: true }), symlinkSync(outside, NodePath.dirname(path)))
        ]
        for (const change of changes) {
          rmSync(NodePath.join(root, "d"), { recursive: true, force: true })
          plant(root, { "d/f": content })
          const planned = yield* ready(tool, { path: "d/f", ...args }, root)
          change()
          const there = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs
          const result = yield* planned.run
          assert.strictEqual(result.status, "error")
          assert.notInclude(result.summary, "no change")
          assert.strictEqual(lstatSync(path, { throwIfNoEntry: false })?.mtimeMs, there)
          assert.deepStrictEqual(readFileSync(precious), Buffer.from(content))
        }
      })
    )
  )
})

describe("the preview of a write", () => {
  const rows: ReadonlyArray<readonly [what: string, before: string | Buffer | undefined, after: string, line: string]> =
    [
      ["an empty file", undefined, "", "(an empty file)"],
      ["an emptied file", "a\n", "", "-a"],
      ["an emptied binary file", Buffer.from([0, 1]), "", "(replaces binary data of 2 bytes by an empty file)"],
      // As text they would look the same.
      [
        "bytes that are no UTF-8",
        Buffer.from("caf\xe9\n", "latin1"),
        "caf\ufffd\n",
        "(replaces 5 bytes that are not UTF-8)"
      ]
    ]
  it.effect.each(rows)("shows %s", ([, content, after, line]) =>
    inPair((root) =>
      Effect.gen(function* () {
        if (content !== undefined) plant(root, { f: content })
        const planned = yield* ready("fs.write", { path: "f", content: after }, root)
        assert.include(planned.need?.preview?.split("\n") ?? [], line)
        assert.strictEqual((yield* planned.run).status, "ok")
        assert.strictEqual(readFileSync(NodePath.join(root, "f"), "utf8"), after)
      })
    )
  )
})

describe("fs.edit", () => {
  it.effect("replaces text, keeps the rest to the byte, and shows the change", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { "a.ts": "const a = 1\nconst b = 2" })
        const path = NodePath.join(root, "a.ts")
        chmodSync(path, 0o640)
        const planned = yield* ready("fs.edit", { path: "a.ts", oldText: "b = 2", newText: "b = 3" }, root)
        assert.strictEqual(planned.need?.category, "fs_write_workspace")
        assert.include(planned.need?.preview, "-const b = 2")
        assert.include(planned.need?.preview, "+const b = 3")
        assert.deepStrictEqual(yield* planned.run, {
          status: "ok",
          summary: `edited ${path}: 1 replaced, line 2`,
          truncated: false
        })
        assert.strictEqual(readFileSync(path, "utf8"), "const a = 1\nconst b = 3")
        assert.strictEqual(statSync(path).mode & 0o7777, 0o640)
      })
    )
  )

  it.effect("fails without a question where the text does not occur, or more than once", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { f: "x\nx\n" })
        const twice = yield* plan("fs.edit", { path: "f", oldText: "x", newText: "y" }, root)
        assert.isTrue(twice._tag === "Refused" && twice.why.includes("occurs 2 times (lines 1, 2)"))
        const none = yield* plan("fs.edit", { path: "f", oldText: "q", newText: "y" }, root)
        assert.isTrue(none._tag === "Refused" && none.why.includes("does not occur"))
        const all = yield* call("fs.edit", { path: "f", oldText: "x", newText: "y", replaceAll: true }, root)
        assert.include(all.summary, "2 replaced, lines 1, 2")
      })
    )
  )

  it.effect("asks before it tells anything of a file outside, whether the edit applies or not", () =>
    inPair((root, outside) =>
      Effect.gen(function* () {
        plant(outside, {
          secret: "password\npassword\n",
          bin: Buffer.from([0, 97]),
          latin: Buffer.from("caf\xe9", "latin1"),
          big: Buffer.alloc(11 * 1024 * 1024, "a"),
          "dir/": ""
        })
        const cases: ReadonlyArray<readonly [file: string, oldText: string, told: string]> = [
          ["secret", "password", "occurs 2 times"],
          ["secret", "guess", "does not occur"],
          ["bin", "a", "is not text"],
          ["latin", "a", "not UTF-8"],
          ["big", "a", "is larger than"],
          ["none", "a", "does not exist"],
          ["dir", "a", "is a directory"]
        ]
        for (const [file, oldText, told] of cases) {
          const path = NodePath.join(outside, file)
          const planned = yield* ready("fs.edit", { path, oldText, newText: "y" }, root)
          assert.deepInclude(planned.need, { category: "fs_read_outside", affectedResources: [path] }, file)
          const result = yield* planned.run
          assert.strictEqual(result.status, "error")
          assert.include(result.summary, told)
        }
        const applies = { path: NodePath.join(outside, "secret"), oldText: "password", newText: "y", replaceAll: true }
        const planned = yield* ready("fs.edit", applies, root)
        assert.strictEqual(planned.need?.category, "other")
        assert.include(planned.need?.preview, "-password")
        // Nothing of the file is needed to see that an empty text does not work.
        const path = NodePath.join(outside, "secret")
        const same = yield* plan("fs.edit", { path, oldText: "y", newText: "y" }, root)
        assert.strictEqual(same._tag === "Ready" ? same.need?.category : same.why, "fs_read_outside")
        for (const args of [{ oldText: "", newText: "y" }]) {
          const refused = yield* plan("fs.edit", { path, ...args }, root)
          assert.strictEqual(refused._tag, "Refused")
        }
      })
    )
  )

  it.effect("fails if the file changed after the question", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, { f: "a\nb\n" })
        const planned = yield* ready("fs.edit", { path: "f", oldText: "a", newText: "A" }, root)
        writeFileSync(NodePath.join(root, "f"), "a\nB\n")
        const result = yield* planned.run
        assert.strictEqual(result.status, "error")
        assert.include(result.summary, "has changed since the change was shown")
        assert.strictEqual(readFileSync(NodePath.join(root, "f"), "utf8"), "a\nB\n")
      })
    )
  )

  it.effect("refuses what it could only damage", () =>
    inPair((root) =>
      Effect.gen(function* () {
        plant(root, {
          latin: Buffer.from("caf\xe9", "latin1"),
          bin: Buffer.from([0, 97]),
          big: Buffer.alloc(11 * 1024 * 1024, "a")
        })
        const why = (path: string) =>
          Effect.map(call("fs.edit", { path, oldText: "a", newText: "b" }, root), ({ summary }) => summary)
        assert.include(yield* why("latin"), "not UTF-8")
        assert.include(yield* why("bin"), "is not text")
        assert.include(yield* why("big"), "is larger than")
        assert.include(yield* why("none"), "does not exist")
        assert.include(yield* why("."), "is a directory")
      })
    )
  )
})
