import { execFileSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, needOf, plant, temporaryDirectory, toolbox } from "../fixture.ts"

const hasRipgrep = (() => {
  try {
    execFileSync("rg", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

const secret = 'JSON={"token": "dotenv-P9rXk2GsB7vUe3Md"\n[canary\n'

describe.runIf(hasRipgrep)("a silent search by ripgrep", () => {
  it.effect.each([
    ["in a folder above the searched one", ".rgignore", "p"],
    ["in the searched folder", "p/.ignore", "p"],
    ["of git", "p/.gitignore", "p"],
    ["of git, in the repository's own", ".git/info/exclude", "."]
  ] as const)("reads no list of ignored names that is a link to another place: %s", ([, list, folder]) =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      const outside = yield* temporaryDirectory
      plant(outside, { list: secret })
      plant(root, { "p/a.txt": "hello\n", ".git/HEAD": "ref: refs/heads/main\n", ".git/info/": "" })
      symlinkSync(NodePath.join(outside, "list"), NodePath.join(root, list))
      assert.isUndefined(yield* needOf("shell.run", { command: `rg hello ${folder}` }, root))
      const { summary } = yield* call("shell.run", { command: `rg hello ${folder}` }, root)
      assert.include(summary, "hello")
      assert.notInclude(summary, "canary")
      assert.notInclude(summary, "dotenv")
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )

  it.effect("reads none above the working directory", () =>
    Effect.gen(function* () {
      const above = yield* temporaryDirectory
      plant(above, { ".ignore": secret, "work/a.txt": "hello\n" })
      const { summary } = yield* call("shell.run", { command: "rg hello" }, NodePath.join(above, "work"))
      assert.include(summary, "hello")
      assert.notInclude(summary, "canary")
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )
})

describe.skipIf(hasRipgrep)("a silent search by ripgrep", () => {
  it("NOT TRIED: rg is not installed here", () => {})
})
