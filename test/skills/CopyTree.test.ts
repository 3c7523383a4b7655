import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { copyTree, limits } from "../../src/skills/CopyTree.ts"
import { type Place, place } from "./folders.ts"

const few = { files: 10, bytes: 2 * 1024 * 1024 }

/** What a copy says: nothing, or why it is refused. */
const copy = (here: Place, most?: typeof limits) =>
  Effect.promise(() =>
    copyTree(Path.join(here.root, "source"), Path.join(here.root, "target"), most).then(
      () => "copied",
      (error: Error) => error.message
    )
  )

describe("the copy of a tree", () => {
  it("is of 5000 files and 64 MiB at most", () => {
    assert.deepStrictEqual(limits, { files: 5000, bytes: 67_108_864 })
  })

  it.effect("may have as many files, folders and bytes as the limit says", () =>
    Effect.gen(function* () {
      const here = yield* place
      const names = Array.from({ length: few.files }, (_, index) => index)
      here.plant(Object.fromEntries(names.map((index) => [`source/${index}/x`, ""])))
      Fs.writeFileSync(Path.join(here.root, "source/3/x"), new Uint8Array(few.bytes - 1))
      Fs.writeFileSync(Path.join(here.root, "source/4/x"), "1")
      assert.strictEqual(yield* copy(here, few), "copied")
      assert.deepStrictEqual(here.tree("target"), here.tree("source"))
      assert.strictEqual(Fs.statSync(Path.join(here.root, "target/3/x")).size, few.bytes - 1)
    })
  )

  it.effect.each<[string, (root: string) => void, string]>([
    ["file", (root) => Fs.writeFileSync(Path.join(root, "0/y"), ""), "the skill has more than 10 files"],
    ["folder", (root) => Fs.mkdirSync(Path.join(root, "y")), "the skill has more than 10 folders"],
    ["byte", (root) => Fs.writeFileSync(Path.join(root, "0/x"), "1"), "the skill has more than 2 MiB"]
  ])("may not have a %s more, and then nothing is written", ([, more, why]) =>
    Effect.gen(function* () {
      const here = yield* place
      const names = Array.from({ length: few.files }, (_, index) => index)
      here.plant(Object.fromEntries(names.map((index) => [`source/${index}/x`, ""])))
      here.plant({ "source/9/x": new Uint8Array(few.bytes) })
      more(Path.join(here.root, "source"))
      assert.strictEqual(yield* copy(here, few), why)
      assert.isFalse(Fs.existsSync(Path.join(here.root, "target")))
    })
  )

  it.effect("ends where links multiply it", () =>
    Effect.gen(function* () {
      const here = yield* place
      for (let level = 0; level < 30; level++) {
        here.plant({ [`source/${level}/`]: "" })
        for (const twin of ["x", "y"])
          Fs.symlinkSync(`../${level + 1}`, Path.join(here.root, `source/${level}/${twin}`))
      }
      here.plant({ "source/30/": "" })
      assert.strictEqual(yield* copy(here, { files: 200, bytes: 0 }), "the skill has more than 200 folders")
    })
  )

  it.effect("ends where a file grows while it is copied", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "source/x": new Uint8Array(1024 * 1024) })
      const source = Path.join(here.root, "source/x")
      const target = Path.join(here.root, "target/x")
      const copied = yield* Effect.forkChild(copy(here, few))
      // As much again, whenever something has been copied.
      const grow = Effect.sync(() => Fs.existsSync(target) && Fs.appendFileSync(source, new Uint8Array(1024 * 1024)))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
        Effect.andThen(grow),
        Effect.repeat({ until: () => copied.pollUnsafe() !== undefined })
      )
      assert.strictEqual(yield* Fiber.join(copied), "the skill has more than 2 MiB")
    })
  )
})
