import { Buffer } from "node:buffer"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { takeSnapshot, writeAtomically } from "../../src/files/AtomicWrite.ts"
import { withSteps } from "../support/DiskSteps.ts"
import { plant, temporaryDirectory } from "../tools/fixture.ts"

const path = "dir/deep/file"
const places: ReadonlyArray<readonly [what: string, files: { readonly [path: string]: string }]> = [
  ["replaces a file", { [path]: "old" }],
  ["makes a file", { "dir/deep/": "" }],
  ["makes a file and its directory", { "dir/": "" }]
]

/** For how many steps the link that goes again is there. */
const spans = [1, 2, 5, 11]

/** A directory `dir` to write in and one outside, as new for each round. */
const grounds = Effect.map(
  Effect.all([temporaryDirectory, temporaryDirectory]),
  ([root, outside]) =>
    (files: { readonly [path: string]: string }) => {
      for (const each of [root, outside]) {
        rmSync(each, { recursive: true })
        mkdirSync(each)
      }
      plant(root, files)
      return { root, outside, dir: NodePath.join(root, "dir"), away: NodePath.join(root, "away") }
    }
)

type Ground = ReturnType<Effect.Success<typeof grounds>>

/** Writes, with something done before one of the steps, and how it went: the step, and why it failed, if it did. */
const writeWith = async (
  { root }: Ground,
  doings: ReadonlyMap<number, () => void>
): Promise<{ readonly steps: ReadonlyArray<string>; readonly failure: string | undefined }> => {
  const real = NodePath.join(root, path)
  const seen = await takeSnapshot(real)
  const steps: Array<string> = []
  const before = (step: string) => {
    doings.get(steps.length)?.()
    steps.push(step)
  }
  const failure = await withSteps(before, () =>
    writeAtomically(real, seen, Buffer.from("new")).then(
      () => undefined,
      (error: unknown) => String(error)
    )
  )
  return { steps, failure }
}

const contentIn = (folder: string): string | undefined => {
  try {
    return readFileSync(NodePath.join(folder, "deep/file"), "utf8")
  } catch {
    return undefined
  }
}

describe.runIf(process.platform === "linux")("an atomic write", () => {
  it.effect.each(places)("that %s writes nothing outside, whenever a link takes its directory's place", ([, files]) =>
    Effect.gen(function* () {
      const fresh = yield* grounds
      const old = files[path]
      const { steps } = yield* Effect.promise(() => writeWith(fresh(files), new Map()))
      assert.include(steps, "rename")
      const written: Array<string> = []
      for (const [at, step] of steps.entries()) {
        const ground = fresh(files)
        const { away, dir, outside } = ground
        const swap = () => (renameSync(dir, away), symlinkSync(outside, dir))
        const { failure } = yield* Effect.promise(() => writeWith(ground, new Map([[at, swap]])))
        assert.deepStrictEqual(readdirSync(outside), [], `before step ${at}, ${step}`)
        assert.strictEqual(contentIn(away), failure === undefined ? "new" : old, `before step ${at}, ${step}`)
        if (failure === undefined) written.push(step)
      }
      // The last look comes right before the rename: until then a swap is noticed, and nothing is written.
      assert.deepStrictEqual(written, steps.slice(steps.lastIndexOf("rename")))
    }).pipe(Effect.scoped)
  )

  it.effect.each(places)("that %s writes nothing outside, whenever a link comes and goes", ([, files]) =>
    Effect.gen(function* () {
      const fresh = yield* grounds
      const { steps } = yield* Effect.promise(() => writeWith(fresh(files), new Map()))
      let written = 0
      for (const first of steps.keys()) {
        for (const second of spans.map((span) => first + span).filter((at) => at < steps.length)) {
          const ground = fresh(files)
          const { away, dir, outside } = ground
          const there = () => (renameSync(dir, away), symlinkSync(outside, dir))
          const back = () => (rmSync(dir), renameSync(away, dir))
          const { failure, steps: taken } = yield* Effect.promise(() =>
            writeWith(
              ground,
              new Map([
                [first, there],
                [second, back]
              ])
            )
          )
          const what = `from step ${first} to step ${second}`
          assert.deepStrictEqual(readdirSync(outside), [], what)
          const isBack = taken.length > second
          assert.strictEqual(contentIn(isBack ? dir : away), failure === undefined ? "new" : files[path], what)
          if (failure === undefined) written++
        }
      }
      assert.isAbove(written, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("leaves no temporary file in a directory that was moved away", () =>
    Effect.gen(function* () {
      const fresh = yield* grounds
      const files = { [path]: "old" }
      const { steps } = yield* Effect.promise(() => writeWith(fresh(files), new Map()))
      const last = steps.lastIndexOf("rename")
      for (let at = 0; at < last; at++) {
        const ground = fresh(files)
        const { away, dir } = ground
        const { failure } = yield* Effect.promise(() => writeWith(ground, new Map([[at, () => renameSync(dir, away)]])))
        assert.isDefined(failure, `before step ${at}, ${steps[at]}`)
        assert.deepStrictEqual(readdirSync(NodePath.join(away, "deep")), ["file"], `before step ${at}, ${steps[at]}`)
        assert.strictEqual(contentIn(away), "old")
      }
    }).pipe(Effect.scoped)
  )

  it.effect.each(places.slice(0, 2))("that %s keeps what another has written meanwhile", ([, files]) =>
    Effect.gen(function* () {
      const fresh = yield* grounds
      const { steps } = yield* Effect.promise(() => writeWith(fresh(files), new Map()))
      for (let at = 0; at <= steps.indexOf("writeFile"); at++) {
        const ground = fresh(files)
        const theirs = () => writeFileSync(NodePath.join(ground.root, path), "precious")
        const { failure } = yield* Effect.promise(() => writeWith(ground, new Map([[at, theirs]])))
        assert.include(String(failure), "since the change was shown", `before step ${at}, ${steps[at]}`)
        assert.strictEqual(contentIn(ground.dir), "precious")
        assert.deepStrictEqual(readdirSync(NodePath.join(ground.dir, "deep")), ["file"])
      }
    }).pipe(Effect.scoped)
  )
})
