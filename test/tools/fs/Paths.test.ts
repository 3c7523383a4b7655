import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { pathToFileURL } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, needOf, plan, plant, temporaryDirectory, toolbox } from "../fixture.ts"

const inRoot = (files: Parameters<typeof plant>[1], test: (root: string) => Effect.Effect<void, never, never>) =>
  Effect.flatMap(temporaryDirectory, (root) => {
    plant(root, files)
    return test(root)
  }).pipe(Effect.scoped)

const read = (path: string, root: string) => Effect.provide(call("fs.read", { path }, root), toolbox())

describe("a path as models write it", () => {
  it.effect.each([
    "\n a.txt",
    "a.txt\n",
    '"a.txt"',
    "'a.txt'",
    "`a.txt`",
    "<a.txt>",
    '"\na.txt"\n',
    "\u201ca.txt\u201d"
  ])("is read without what stands round it: %j", (path) =>
    inRoot({ "a.txt": "yes" }, (root) =>
      Effect.map(read(path, root), ({ summary }) => void assert.include(summary, "yes"))
    )
  )

  it.effect("is read as it is where something really has such a name", () =>
    inRoot({ '"a.txt"': "quoted", "a.txt": "plain" }, (root) =>
      Effect.map(read('"a.txt"', root), ({ summary }) => void assert.include(summary, "quoted"))
    )
  )

  it.effect("may be a URL of a file on this machine", () =>
    inRoot({ "a b.txt": "yes" }, (root) =>
      Effect.gen(function* () {
        const url = pathToFileURL(NodePath.join(root, "a b.txt")).href
        assert.include((yield* read(url, root)).summary, "yes")
        assert.include((yield* read(url.replace("file://", "file://localhost"), root)).summary, "yes")
        const other = yield* read(url.replace("file://", "file://elsewhere.example"), root)
        assert.strictEqual(other.status, "error")
        assert.include(other.summary, "a file URL of this machine")
      })
    )
  )

  it.effect.each([
    ["README.md", "readme.md", "case"],
    ["caf\u00e9.md", "cafe\u0301.md", "Unicode form"],
    ["At 9.41\u202fAM.txt", "At 9.41 AM.txt", "spaces"],
    ["it\u2019s.txt", "it's.txt", "quotes"],
    ["Docs/Notes/One.txt", "docs/notes/one.txt", "case"]
  ] as const)("takes the only entry that looks the same: %s for %s", ([name, asked, differsBy]) =>
    inRoot({ [name]: "yes" }, (root) =>
      Effect.gen(function* () {
        const { summary } = yield* read(asked, root)
        assert.include(summary, "yes")
        assert.include(summary, `(There is no ${NodePath.join(root, asked)}`)
        assert.include(summary, `which differs by ${differsBy}.)`)
      })
    )
  )

  it.effect("takes none of two that look the same", () =>
    inRoot({ "README.md": "1", "Readme.md": "2" }, (root) =>
      Effect.map(read("readme.md", root), ({ summary }) => void assert.include(summary, "no such file"))
    )
  )

  it.effect("is judged by where the entry that is taken leads", () =>
    inRoot({ "secret/key.txt": "k", "work/": "" }, (root) =>
      Effect.gen(function* () {
        const work = NodePath.join(root, "work")
        symlinkSync(NodePath.join(root, "secret"), NodePath.join(work, "Linked"))
        const need = yield* needOf("fs.read", { path: "linked/key.txt" }, work)
        assert.deepInclude(need, { category: "fs_read_outside" })
      }).pipe(Effect.provide(toolbox()))
    )
  )

  it.effect("is edited where it is read", () =>
    inRoot({ "Notes.txt": "one\n" }, (root) =>
      Effect.gen(function* () {
        const { summary } = yield* call("fs.edit", { path: "notes.txt", oldText: "one", newText: "two" }, root)
        assert.include(summary, "which differs by case")
        assert.strictEqual(readFileSync(NodePath.join(root, "Notes.txt"), "utf8"), "two\n")
        assert.deepStrictEqual(readdirSync(root), ["Notes.txt"])
      }).pipe(Effect.provide(toolbox()))
    )
  )

  it.effect.each([
    ["it\u2019s.txt", "it's.txt"],
    ["caf\u00e9/a.txt", "cafe\u0301/b.txt"],
    ["a\u00a0b.txt", "a b.txt"]
  ] as const)("makes no twin of %j", ([name, asked]) =>
    inRoot({ [name]: "there" }, (root) =>
      Effect.gen(function* () {
        const planned = yield* plan("fs.write", { path: asked, content: "x" }, root)
        assert.strictEqual(planned._tag, "Refused")
        assert.include(planned._tag === "Refused" ? planned.why : "", "already, which differs by")
        assert.isFalse(existsSync(NodePath.join(root, asked)))
      }).pipe(Effect.provide(toolbox()))
    )
  )

  it.effect("tells of a twin outside only where it may be told", () =>
    inRoot({ "other/it\u2019s.txt": "there", "work/": "" }, (root) =>
      Effect.gen(function* () {
        const path = NodePath.join(root, "other", "it's.txt")
        const planned = yield* plan("fs.write", { path, content: "x" }, NodePath.join(root, "work"))
        assert.strictEqual(planned._tag, "Ready")
        if (planned._tag !== "Ready") return
        assert.isDefined(planned.need)
        assert.notInclude(JSON.stringify(planned.need), "\u2019")
        assert.include((yield* planned.run).summary, "already, which differs by quotes")
      }).pipe(Effect.provide(toolbox()))
    )
  )

  it.effect("writes beside a name that differs by case, where the disk tells the two apart", () =>
    inRoot({ "a.txt": "there" }, (root) =>
      Effect.gen(function* () {
        if (existsSync(NodePath.join(root, "A.TXT"))) return
        const { status } = yield* call("fs.write", { path: "A.txt", content: "x" }, root)
        assert.strictEqual(status, "ok")
      }).pipe(Effect.provide(toolbox()))
    )
  )
})
