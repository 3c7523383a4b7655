import { existsSync, lstatSync, readdirSync, readFileSync, statSync, utimesSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { privateIndex } from "../../../../src/tools/shell/GitAccess.ts"
import { plant, temporaryDirectory } from "../../fixture.ts"
import { access, git, initialize, listed, silently } from "./repository.ts"

const { join } = NodePath

/** Each file and folder of a repository, with its time, size and, if it is a file, its content. */
const everything = (folder: string): ReadonlyArray<string> =>
  ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })].map((name) => {
    const path = join(folder, name)
    const { mtimeNs, size } = lstatSync(path, { bigint: true })
    return [name, mtimeNs, size, lstatSync(path).isFile() ? readFileSync(path, "latin1") : ""].join()
  })

/** What git has noted of a file is stale, though the file is the same: it would note it anew. */
const makeStale = (root: string) => utimesSync(join(root, "sub/b"), 1_700_000_000, 1_700_000_000)

describe("a silent git writes nothing into the repository", () => {
  it.effect("whatever it lists", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      initialize(root)
      git(root, "update-index", "--untracked-cache")
      makeStale(root)
      const before = everything(join(root, ".git"))
      const given = yield* access(root)
      for (const words of listed) {
        const { status, stderr } = yield* silently(given, root, ...words)
        assert.deepStrictEqual({ words, status, stderr }, { words, status: 0, stderr: "" })
        assert.deepStrictEqual(everything(join(root, ".git")), before, words.join(" "))
      }
    }).pipe(Effect.scoped)
  )

  it.effect("as git diff does otherwise", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      initialize(root)
      makeStale(root)
      const before = everything(join(root, ".git"))
      git(root, "--no-optional-locks", "diff")
      assert.notDeepEqual(everything(join(root, ".git")), before)
    }).pipe(Effect.scoped)
  )
})

describe("a private index", () => {
  it.effect("is a copy for this user alone, no later than the index, until its scope closes", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      plant(root, { index: "bytes" })
      const index = join(root, "index")
      const copy = yield* Effect.scoped(
        Effect.gen(function* () {
          const { GIT_INDEX_FILE: copy = "" } = yield* privateIndex(index)
          assert.strictEqual(readFileSync(copy, "utf8"), "bytes")
          assert.strictEqual(statSync(NodePath.dirname(copy)).mode & 0o777, 0o700)
          const late = statSync(index, { bigint: true }).mtimeNs - statSync(copy, { bigint: true }).mtimeNs
          assert.isTrue(late >= 0n && late < 1_000_000n, `${late}`)
          return copy
        })
      )
      assert.isFalse(existsSync(NodePath.dirname(copy)))
    }).pipe(Effect.scoped)
  )

  it.effect("is none where there is none", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      assert.deepStrictEqual(yield* privateIndex(undefined), {})
      const { GIT_INDEX_FILE = "" } = yield* privateIndex(join(root, "index"))
      assert.isFalse(existsSync(GIT_INDEX_FILE))
    }).pipe(Effect.scoped)
  )

  it.effect("shows a change that came in the same moment as the index, with the same size", () =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      initialize(root)
      git(root, "config", "core.trustCtime", "false")
      const moment = new Date(1_700_000_000_500)
      utimesSync(join(root, "sub/b"), moment, moment)
      git(root, "add", ".")
      plant(root, { "sub/b": "c\n" })
      for (const path of ["sub/b", ".git/index"]) utimesSync(join(root, path), moment, moment)
      assert.include((yield* silently(yield* access(root), root, "diff")).stdout, "+c\n")
    }).pipe(Effect.scoped)
  )
})
