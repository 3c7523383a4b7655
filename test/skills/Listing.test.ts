import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { place, refusalOf, skillText, using } from "./folders.ts"

const project = (name: string) => `project/.atomic-agent/skills/${name}/SKILL.md`
const global = (name: string) => `state/skills/${name}/SKILL.md`

describe("the skills of a directory", () => {
  it.effect("are none where there are no folders for them", () =>
    Effect.gen(function* () {
      const here = yield* place
      assert.deepStrictEqual(yield* using(here, (skills) => skills.list(here.project)), [])
      assert.isFalse(Fs.existsSync(here.stateDir))
    })
  )

  it.effect("are those of the machine and of the project, sorted by name", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({
        [global("zebra")]: skillText("zebra"),
        [global("a-1")]: skillText("a-1"),
        [global("a1")]: skillText("a1"),
        [project("middle")]: skillText("middle", "version: 2.0.1", "requires_scripts: [go.sh]")
      })
      const listed = yield* using(here, (skills) => skills.list(here.project))
      assert.deepStrictEqual(
        listed.map(({ name, source, version }) => [name, source, version]),
        [
          ["a-1", "global", "0.0.0"],
          ["a1", "global", "0.0.0"],
          ["middle", "project", "2.0.1"],
          ["zebra", "global", "0.0.0"]
        ]
      )
      assert.deepInclude(listed[2], {
        description: "Does middle.",
        requiresScripts: ["go.sh"],
        folder: Path.join(here.project, ".atomic-agent/skills/middle")
      })
    })
  )

  it.effect("are the project's copy, where both have one of the same name", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ [global("both")]: skillText("both"), [project("both")]: skillText("both", "version: 9.9.9") })
      const [both, ...others] = yield* using(here, (skills) => skills.list(here.project))
      assert.deepInclude(both, { source: "project", version: "9.9.9" })
      assert.deepStrictEqual(others, [])
      const elsewhere = yield* using(here, (skills) => skills.list(here.root))
      assert.deepInclude(elsewhere[0], { source: "global", version: "0.0.0" })
    })
  )

  it.effect("are the global copy, where the project's is broken or for another platform", () =>
    Effect.gen(function* () {
      const here = yield* place
      const other = process.platform === "darwin" ? "linux" : "darwin"
      here.plant({
        [global("broken")]: skillText("broken"),
        [project("broken")]: "no front matter",
        [global("other")]: skillText("other"),
        [project("other")]: skillText("other", `platforms: [${other}]`)
      })
      const listed = yield* using(here, (skills) => skills.list(here.project))
      assert.deepStrictEqual(
        listed.map(({ name, source }) => [name, source]),
        [
          ["broken", "global"],
          ["other", "global"]
        ]
      )
    })
  )

  it.effect("leave out those of other platforms and those that are disabled", () =>
    Effect.gen(function* () {
      const here = yield* place
      const others = ["darwin", "linux", "win32"].filter((platform) => platform !== process.platform)
      here.plant({
        [global("here")]: skillText("here", `platforms: [${process.platform}]`),
        [global("elsewhere")]: skillText("elsewhere", `platforms: [${others.join(", ")}]`),
        [global("nowhere")]: skillText("nowhere", "platforms: []"),
        [global("off")]: skillText("off"),
        [project("off")]: skillText("off")
      })
      const listed = yield* using(here, (skills) => skills.list(here.project), { skills: { disabled: ["off"] } })
      assert.deepStrictEqual(
        listed.map(({ name }) => name),
        ["here"]
      )
    })
  )

  it.effect("leave out what is no skill, and say so once", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({
        [global("good")]: skillText("good"),
        [global("empty").replace("SKILL.md", "")]: "",
        [global("renamed")]: skillText("other-name"),
        [global("broken")]: "---\nname: [\n---\n",
        [global("latin")]: Buffer.from("---\nname: latin\ndescription: caf\xe9\n---\n", "latin1"),
        [global("large")]: skillText("large") + "x".repeat(1024 * 1024),
        [global("UPPER")]: skillText("upper"),
        [global(".hidden")]: skillText("hidden"),
        "state/skills/__pycache__/x": "",
        "state/skills/a-file": "x",
        [`${global("directory")}/x`]: "x"
      })
      const told: Array<unknown> = []
      const logger = Logger.make(({ message }) => void told.push(message))
      const listed = yield* using(here, (skills) =>
        Effect.andThen(skills.list(here.project), skills.list(here.project))
      ).pipe(Effect.provide(Logger.layer([logger])))
      assert.deepStrictEqual(
        listed.map(({ name }) => name),
        ["good"]
      )
      const whole = told.flat().join("\n")
      for (const what of [
        /empty\/SKILL.md is not there/,
        /renamed\/SKILL.md: name: expected "renamed".*got "other-name"/,
        /broken\/SKILL.md: the front matter is not valid YAML/,
        /latin\/SKILL.md is not UTF-8/,
        /large\/SKILL.md has \d+ bytes/,
        /directory\/SKILL.md is a directory, not a regular file/,
        /UPPER: a skill's folder is called as the skill: expected 2 to 64 of a-z, 0-9 and -, no dash at the ends/
      ]) {
        assert.match(whole, what)
      }
      assert.strictEqual(told.length, 7)
    })
  )

  it.effect("leave out what a project's links fetch from elsewhere", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({
        "outside/linked/SKILL.md": skillText("linked"),
        [project("file").replace("SKILL.md", "")]: "",
        "outside/file/SKILL.md": skillText("file"),
        [project("inside")]: skillText("inside"),
        [global("own")]: skillText("own")
      })
      const shelf = Path.join(here.project, ".atomic-agent/skills")
      Fs.symlinkSync(Path.join(here.root, "outside/linked"), Path.join(shelf, "linked"))
      Fs.symlinkSync(Path.join(here.root, "outside/file/SKILL.md"), Path.join(shelf, "file/SKILL.md"))
      Fs.symlinkSync(Path.join(here.root, "nowhere"), Path.join(shelf, "dangling"))
      const listed = yield* using(here, (skills) => skills.list(here.project))
      assert.deepStrictEqual(
        listed.map(({ name }) => name),
        ["inside", "own"]
      )
    })
  )

  it.effect("are not read through a project's folder that is a link out of it", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "outside/skills/linked/SKILL.md": skillText("linked") })
      Fs.symlinkSync(Path.join(here.root, "outside"), Path.join(here.project, ".atomic-agent"))
      assert.deepStrictEqual(yield* using(here, (skills) => skills.list(here.project)), [])
    })
  )

  it.effect("may be links among the global ones, which are the user's own", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ "mine/linked/SKILL.md": skillText("linked"), "state/skills/": "" })
      Fs.symlinkSync(Path.join(here.root, "mine/linked"), Path.join(here.global, "linked"))
      const [linked] = yield* using(here, (skills) => skills.list(here.project))
      assert.deepInclude(linked, { name: "linked", folder: Path.join(here.root, "mine/linked") })
    })
  )

  it.effect("are global where the working directory is the home of the state directory", () =>
    Effect.gen(function* () {
      const here = yield* place
      const stateDir = Path.join(here.project, ".atomic-agent")
      here.plant({ [project("one")]: skillText("one") })
      const [one] = yield* using(here, (skills) => skills.list(here.project), { stateDir })
      assert.deepInclude(one, { name: "one", source: "global" })
    })
  )

  it.effect("are read to two hundred", () =>
    Effect.gen(function* () {
      const here = yield* place
      const names = Array.from({ length: 203 }, (_, index) => `s${String(index).padStart(3, "0")}`)
      here.plant(Object.fromEntries(names.map((name) => [global(name), skillText(name)])))
      const listed = yield* using(here, (skills) => skills.list(here.project))
      assert.deepStrictEqual(
        listed.map(({ name }) => name),
        names.slice(0, 200)
      )
    })
  )
})

describe("the text of a skill", () => {
  it.effect("is that of its SKILL.md, to the letter", () =>
    Effect.gen(function* () {
      const here = yield* place
      const text = `\r\n${"päragraph\u2028👩‍👩‍👧 ".repeat(9000)}`
      here.plant({ [global("long")]: skillText("long") + text })
      const read = yield* using(here, (skills) =>
        Effect.flatMap(skills.list(here.project), ([long]) => skills.read(long!))
      )
      assert.strictEqual(read, skillText("long") + text)
    })
  )

  it.effect("cannot be read when the skill has gone meanwhile", () =>
    Effect.gen(function* () {
      const here = yield* place
      here.plant({ [global("gone")]: skillText("gone") })
      const why = yield* using(here, (skills) =>
        Effect.gen(function* () {
          const [gone] = yield* skills.list(here.project)
          yield* skills.uninstall("gone")
          return yield* refusalOf(skills.read(gone!))
        })
      )
      assert.match(why, /SKILL.md is not there/)
    })
  )
})
