import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { place as placeFolder, remove, tidy } from "../../src/skills/FolderSwap.ts"
import { stagingName } from "../../src/skills/StagingName.ts"
import { withSteps } from "../support/DiskSteps.ts"
import { type Place, place } from "./folders.ts"

/** What stands in the folder of skills, each with the text of its file. */
const listed = ({ global }: Place): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Fs.readdirSync(global).map((name) => [name, Fs.readFileSync(Path.join(global, name, "a.txt"), "utf8")])
  )

/** A folder of skills, what is in it, and a staged one beside it. */
const folderWith = Effect.fnUntraced(function* (skills: Readonly<Record<string, string>>) {
  const here = yield* place
  for (const [name, text] of Object.entries(skills)) here.plant({ [`state/skills/${name}/a.txt`]: text })
  here.plant({ "state/skills/": "", "staged/a.txt": "new" })
  return { ...here, staged: Path.join(here.root, "staged") }
})

type Ground = Effect.Success<ReturnType<typeof folderWith>>

/** Where it was placed, or why it was not. */
const placed = ({ global, staged }: Ground, force: boolean) =>
  Effect.promise(() => placeFolder(staged, global, "pdf", force).catch(String))

/** The same, with another sidecar that does something right before each rename: with force, every second one is to the name. */
const placedAmong = (ground: Ground, force: boolean, rival: (round: number) => void) => {
  let round = 0
  return Effect.promise(() =>
    withSteps(
      (step) => {
        if (step === "rename") rival((round += 1))
      },
      () => Effect.runPromise(placed(ground, force))
    )
  )
}

/** Another sidecar puts a skill where there is none. */
const putInto = ({ global }: Ground, text: string) => {
  const at = Path.join(global, "pdf")
  if (Fs.existsSync(at)) return
  Fs.mkdirSync(at)
  Fs.writeFileSync(Path.join(at, "a.txt"), text)
}

describe("a staged skill", () => {
  it.effect.each([false, true])("takes a name that is free, with force or without: %s", (force) =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ other: "other" })
      assert.strictEqual(yield* placed(ground, force), Path.join(ground.global, "pdf"))
      assert.deepStrictEqual(listed(ground), { other: "other", pdf: "new" })
      assert.isFalse(Fs.existsSync(ground.staged))
    })
  )

  it.effect("does not take one that is taken, and stays where it is", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ pdf: "old" })
      assert.include(yield* placed(ground, false), "the skill pdf is installed already, in")
      assert.deepStrictEqual(listed(ground), { pdf: "old" })
      assert.isTrue(Fs.existsSync(ground.staged))
    })
  )

  it.effect("takes it by force, and leaves nothing of the old one", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ pdf: "old" })
      yield* placed(ground, true)
      assert.deepStrictEqual(listed(ground), { pdf: "new" })
    })
  )

  it.effect("does not take one that another took a moment ago", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({})
      const failure = yield* placedAmong(ground, false, () => putInto(ground, "theirs"))
      assert.include(failure, "the skill pdf is installed already, in")
      assert.deepStrictEqual(listed(ground), { pdf: "theirs" })
    })
  )

  it.effect("takes one by force that others took meanwhile, again and again", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ pdf: "old" })
      const rival = (round: number) => {
        if (round <= 8) putInto(ground, `theirs ${round}`)
      }
      yield* placedAmong(ground, true, rival)
      assert.deepStrictEqual(listed(ground), { pdf: "new" })
    })
  )

  it.effect("gives up by force where others always come first: it is theirs", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ pdf: "old" })
      let tries = 0
      const failure = yield* placedAmong(ground, true, (round) => {
        if (Fs.existsSync(ground.staged) && round % 2 === 0) tries += 1
        putInto(ground, `theirs ${round}`)
      })
      assert.include(failure, "ENOTEMPTY")
      // At the end, those that stepped aside are offered the name again.
      assert.isAtLeast(tries, 10)
      assert.include(listed(ground)["pdf"], "theirs")
      assert.isTrue(Fs.existsSync(ground.staged))
    })
  )

  it.effect("that cannot be moved gives the old one its name back", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ pdf: "old" })
      Fs.rmSync(ground.staged, { recursive: true })
      assert.include(yield* placed(ground, true), "ENOENT")
      assert.deepStrictEqual(listed(ground), { pdf: "old" })
    })
  )

  it.effect("fails where the folder of skills is none", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({})
      const file = { ...ground, global: Path.join(ground.staged, "a.txt") }
      for (const force of [false, true]) assert.include(yield* placed(file, force), "ENOTDIR")
    })
  )
})

describe("a skill that is taken away", () => {
  it.effect("is gone as a whole, and says whether it was there", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ pdf: "old", other: "other" })
      const removed = () => Effect.promise(() => remove(ground.global, "pdf"))
      assert.isTrue(yield* removed())
      assert.isFalse(yield* removed())
      assert.deepStrictEqual(listed(ground), { other: "other" })
    })
  )
})

describe("what a sidecar left that is no more", () => {
  const dead = (kind: string, name: string) => `.${name}.${kind}.1.long-ago.x`
  const tidied = (ground: Ground) =>
    Effect.map(
      Effect.promise(() => tidy(ground.global)),
      () => listed(ground)
    )

  it.effect("is deleted: half a copy, and what was to be deleted", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ pdf: "old", [dead("new", "pdf")]: "half", [dead("gone", "csv")]: "gone" })
      assert.deepStrictEqual(yield* tidied(ground), { pdf: "old" })
    })
  )

  it.effect("is deleted where an old skill has a successor, and gets its name back where it has none", () =>
    Effect.gen(function* () {
      const ground = yield* folderWith({ pdf: "new", [dead("old", "pdf")]: "old", [dead("old", "csv")]: "old csv" })
      assert.deepStrictEqual(yield* tidied(ground), { pdf: "new", csv: "old csv" })
    })
  )

  it.effect("is told from the work of one that runs, and from what is none of ours", () =>
    Effect.gen(function* () {
      const mine = (["new", "old", "gone"] as const).map((kind) => Path.basename(stagingName("/", "pdf", kind)))
      const theirs = [".git", ".pdf.new", ".PDF.new.1.long-ago.x"]
      const skills = Object.fromEntries([...mine, ...theirs, "pdf"].map((name) => [name, name]))
      assert.deepStrictEqual(yield* tidied(yield* folderWith(skills)), skills)
    })
  )
})
