import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Place, place, skillText } from "../../skills/folders.ts"
import { plan, toolbox } from "../fixture.ts"

/** A global skill with links in it, one of them to a file outside. */
const plantSkill = (here: Place): void => {
  here.plant({
    "outside/secret": "secret",
    "state/skills/tool/SKILL.md": skillText("tool"),
    "state/skills/tool/sub/inside": "inside",
    "state/skills/other/SKILL.md": skillText("other"),
    "project/file": ""
  })
  const link = (target: string, name: string) => Fs.symlinkSync(target, Path.join(here.global, "tool", name))
  link(Path.join(here.root, "outside/secret"), "hidden")
  link(Path.join(here.root, "outside"), "folder")
  link("../../../outside/secret", "sub/relative")
  link("folder/secret", "twice")
  link(Path.join(here.root, "outside/none"), "dangling")
  link("sub/inside", "alias")
  link(here.project, "project")
}

/** Commands in the skill's folder that read only what lies in it: nobody is asked. */
const silent = [
  "ls",
  "cat SKILL.md",
  "cat sub/inside",
  "cat alias",
  "cat S*",
  "ls sub",
  "grep -r inside .",
  "wc -l SKILL.md"
]

/** Commands there that follow a link out of it. */
const asking = [
  "cat hidden",
  "cat hid*",
  "cat h?dden",
  "cat ./hidden",
  "cat folder/secret",
  "cat f*/s*",
  "cat sub/relative",
  "cat sub/*",
  "cat twice",
  "cat dangling",
  "cat SKILL.md hidden",
  "cat SKILL.md; cat hidden",
  "cat SKILL.md | grep -f hidden x",
  "grep -fhidden x SKILL.md",
  "ls folder",
  "ls folder/",
  "head -n 1 hidden",
  "tail hidden",
  "wc hidden",
  "grep x hidden",
  "diff SKILL.md hidden",
  "diff -r sub folder",
  "cat project/file"
]

const asks = (command: string, cwd: string, here: Place) =>
  plan("shell.run", { command, cwd }, here.project).pipe(
    Effect.map((planned) => (planned._tag === "Ready" ? planned.need !== undefined : assert.fail(planned.why))),
    Effect.provide(toolbox({ stateDir: here.stateDir }))
  )

describe.skipIf(process.platform === "win32")("a command in a skill's folder", () => {
  it.effect.each(silent)("asks nobody for what lies there: %s", (command) =>
    Effect.gen(function* () {
      const here = yield* place
      plantSkill(here)
      assert.isFalse(yield* asks(command, Path.join(here.global, "tool"), here))
    }).pipe(Effect.scoped)
  )

  it.effect.each(asking)("asks where a link leads out of it: %s", (command) =>
    Effect.gen(function* () {
      const here = yield* place
      plantSkill(here)
      assert.isTrue(yield* asks(command, Path.join(here.global, "tool"), here))
    }).pipe(Effect.scoped)
  )

  it.effect("asks where the folder itself is a link that leads outside, and for a repository there", () =>
    Effect.gen(function* () {
      const here = yield* place
      plantSkill(here)
      assert.isTrue(yield* asks("ls", Path.join(here.global, "tool/folder"), here))
      here.plant({ "state/skills/tool/.git/HEAD": "ref: refs/heads/main\n" })
      assert.isTrue(yield* asks("git log", Path.join(here.global, "tool"), here))
    }).pipe(Effect.scoped)
  )
})
