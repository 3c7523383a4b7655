import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Settings } from "../../../src/config/Settings.ts"
import type { ToolResult } from "../../../src/domain/ToolCall.ts"
import { call, plan, toolbox, type Tools, toolsIn } from "../fixture.ts"
import { type Place, place, skillText } from "../../skills/folders.ts"
import { eventually } from "../../support/Patience.ts"

const within = <A, E>(
  test: (here: Place) => Effect.Effect<A, E, Tools>,
  change: Partial<Settings> = {}
): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const here = yield* place
    return yield* test(here).pipe(Effect.provide(toolbox({ stateDir: here.stateDir, ...change })))
  }).pipe(Effect.scoped)

/** A skill with a script that it declares; the path of the script. */
const plantScript = (here: Place, script: string, text: string, mode = 0o755): string => {
  const path = Path.join(here.global, "tool/scripts", script)
  here.plant({
    "state/skills/tool/SKILL.md": skillText("tool", `requires_scripts: [${JSON.stringify(script)}]`),
    [`state/skills/tool/scripts/${script}`]: text
  })
  Fs.chmodSync(path, mode)
  return path
}

const run = (here: Place, script: string, args?: ReadonlyArray<string>) =>
  call("skill.run_script", { skill: "tool", script, ...(args === undefined ? {} : { args }) }, here.project)

describe("skill.view", () => {
  it.effect("gives the SKILL.md to the letter, and tells where the skill lies and what it can run", () =>
    within((here) =>
      Effect.gen(function* () {
        const text = `${skillText("pdf", "version: 1.2.3", "requires_scripts: [a.sh, b/c.py]")}\u2028\r\nend`
        here.plant({ "state/skills/pdf/SKILL.md": text })
        assert.deepStrictEqual(yield* call("skill.view", { name: "pdf" }, here.project), {
          status: "ok",
          summary: `The skill pdf 1.2.3, in ${here.global}/pdf\nScripts: a.sh, b/c.py\n\n${text}`,
          truncated: false,
          loadedSkill: { name: "pdf", version: "1.2.3" }
        })
      })
    )
  )

  it.effect("asks nobody and reads beside others", () =>
    within((here) =>
      Effect.gen(function* () {
        here.plant({ "project/.atomic-agent/skills/pdf/SKILL.md": skillText("pdf") })
        const planned = yield* plan("skill.view", { name: "pdf" }, here.project)
        assert.isTrue(planned._tag === "Ready" && planned.need === undefined)
        assert.isTrue((yield* toolsIn("/")).reads("skill.view"))
        assert.isFalse((yield* toolsIn("/")).reads("skill.run_script"))
      })
    )
  )

  it.effect("sees the project's copy before the global one, and what was installed a moment ago", () =>
    within((here) =>
      Effect.gen(function* () {
        const version = Effect.map(
          call("skill.view", { name: "pdf" }, here.project),
          ({ loadedSkill, summary }) => loadedSkill?.version ?? summary
        )
        assert.strictEqual(yield* version, `There is no skill "pdf". No skill is installed.`)
        here.plant({ "state/skills/pdf/SKILL.md": skillText("pdf", "version: 1.0.0") })
        assert.strictEqual(yield* version, "1.0.0")
        here.plant({ "project/.atomic-agent/skills/pdf/SKILL.md": skillText("pdf", "version: 2.0.0") })
        assert.strictEqual(yield* version, "2.0.0")
      })
    )
  )

  it.effect("tells which skills there are, where there is none of the name", () =>
    within(
      (here) =>
        Effect.gen(function* () {
          for (const name of ["ab", "cd", "off"]) here.plant({ [`state/skills/${name}/SKILL.md`]: skillText(name) })
          for (const name of ["off", "../skills/ab", "", "AB"]) {
            const { status, summary } = yield* call("skill.view", { name }, here.project)
            assert.strictEqual(status, "error")
            assert.strictEqual(summary, `There is no skill ${JSON.stringify(name)}. The skills are: ab, cd.`)
          }
        }),
      { skills: { disabled: ["off"] } }
    )
  )
})

describe("skill.run_script", () => {
  it.effect("runs a declared script in the working directory, with its arguments as they are", () =>
    within((here) =>
      Effect.gen(function* () {
        const path = plantScript(here, "show.sh", `#!/bin/sh\npwd\nfor each; do echo "<$each>"; done\n`)
        const result = yield* run(here, "scripts/show.sh", ["a b", "", "$HOME", "'; exit 7", "-n", "\u2028"])
        assert.deepStrictEqual(result, {
          status: "ok",
          summary: ["exit code 0", here.project, "<a b>", "<>", "<$HOME>", "<'; exit 7>", "<-n>", "<\u2028>"].join(
            "\n"
          ),
          truncated: false
        })
        const planned = yield* plan(
          "skill.run_script",
          { skill: "tool", script: "show.sh", args: ["a b"] },
          here.project
        )
        assert.deepStrictEqual(planned._tag === "Ready" && planned.need, {
          category: "script",
          reason: `run show.sh of the skill tool in ${here.project}`,
          preview: `${path} 'a b'`,
          affectedResources: [path],
          subject: { kind: "script", skill: "tool", script: "show.sh" }
        })
      })
    )
  )

  it.effect("shows in its question what is run, and what a shell would make of no word of it", () =>
    within((here) =>
      Effect.gen(function* () {
        const path = plantScript(here, "it's.mjs", "", 0o644)
        const planned = yield* plan(
          "skill.run_script",
          { skill: "tool", script: "it's.mjs", args: ["*"] },
          here.project
        )
        const preview = planned._tag === "Ready" ? planned.need?.preview : undefined
        assert.strictEqual(preview, `${process.execPath} '${path.replace("'", `'\\''`)}' '*'`)
      })
    )
  )

  it.effect("knows how to run what is not executable", () =>
    within((here) =>
      Effect.gen(function* () {
        plantScript(here, "node.mjs", "console.log(process.argv.slice(2).join())", 0o600)
        assert.strictEqual((yield* run(here, "node.mjs", ["x", "y"])).summary, "exit code 0\nx,y")
        plantScript(here, "shell.sh", "echo $1", 0o600)
        assert.strictEqual((yield* run(here, "shell.sh", ["x"])).summary, "exit code 0\nx")
        plantScript(here, "what", "echo $1", 0o600)
        assert.match((yield* run(here, "what")).summary, /scripts\/what cannot be run: it is not executable/)
      })
    )
  )

  it.effect("gives the script no key of ours", () =>
    within((here) =>
      Effect.gen(function* () {
        process.env["ATOMIC_AGENT_LLAMA_API_KEY"] = "secret"
        yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env["ATOMIC_AGENT_LLAMA_API_KEY"]))
        plantScript(here, "env.sh", "#!/bin/sh\nenv\n")
        const { summary } = yield* run(here, "env.sh")
        assert.include(summary, "PATH=")
        assert.notInclude(summary, "secret")
      }).pipe(Effect.scoped)
    )
  )

  it.effect("tells how a script failed", () =>
    within((here) =>
      Effect.gen(function* () {
        plantScript(here, "bad.sh", "#!/bin/sh\necho no >&2\nexit 3\n")
        assert.deepInclude(yield* run(here, "bad.sh"), { status: "error", summary: "exit code 3\n--- stderr ---\nno" })
        plantScript(here, "lost.sh", "#!/no/such/interpreter\n")
        assert.match((yield* run(here, "lost.sh")).summary, /^exit code 127\n.*lost\.sh/s)
      })
    )
  )

  it.effect.each<[string, object, RegExp]>([
    ["is not declared", { script: "other.sh" }, /declares no script "other.sh". Its scripts are: go.sh, gone.sh.$/],
    ["is none", { script: "" }, /declares no script ""/],
    ["lies elsewhere", { script: "../SKILL.md" }, /declares no script/],
    ["is absolute", { script: "/bin/sh" }, /declares no script/],
    ["is declared and not there", { script: "gone.sh" }, /gone.sh: no such file/],
    ["is a folder", { script: "folder" }, /declares no script/],
    ["is of a skill that is not there", { skill: "none", script: "go.sh" }, /There is no skill "none"/],
    ["gets a NUL", { script: "go.sh", args: ["a\0b"] }, /NUL/],
    ["gets numbers", { script: "go.sh", args: [1] }, /args\[0\]: expected string/]
  ])("does not run a script that %s", ([, args, why]) =>
    within((here) =>
      Effect.gen(function* () {
        here.plant({
          "state/skills/tool/SKILL.md": skillText("tool", "requires_scripts: [go.sh, gone.sh]"),
          "state/skills/tool/scripts/go.sh": "#!/bin/sh\n",
          "state/skills/tool/scripts/other.sh": "#!/bin/sh\n",
          "state/skills/tool/scripts/folder/": ""
        })
        const result = yield* call("skill.run_script", { skill: "tool", ...args }, here.project)
        assert.strictEqual(result.status, "error")
        assert.match(result.summary, why)
      })
    )
  )

  it.effect("does not run what a link among the scripts fetches from elsewhere", () =>
    within((here) =>
      Effect.gen(function* () {
        const path = plantScript(here, "link.sh", "")
        Fs.rmSync(path)
        here.plant({ "state/skills/tool/evil.sh": "#!/bin/sh\necho evil\n" })
        Fs.chmodSync(Path.join(here.global, "tool/evil.sh"), 0o755)
        Fs.symlinkSync("../evil.sh", path)
        assert.match((yield* run(here, "link.sh")).summary, /evil.sh is not among the scripts of the skill tool$/)
      })
    )
  )

  it.effect.each<[string, (path: string) => void]>([
    ["was written over", (path) => Fs.writeFileSync(path, "#!/bin/sh\necho evil\n")],
    ["got the same bytes again", (path) => Fs.writeFileSync(path, Fs.readFileSync(path))],
    [
      "was put in another's place",
      (path) => {
        Fs.copyFileSync(path, `${path}.2`)
        Fs.renameSync(`${path}.2`, path)
      }
    ],
    ["was deleted", (path) => Fs.rmSync(path)]
  ])("does not run a script that %s since it was asked about", ([, change]) =>
    within((here) =>
      Effect.gen(function* () {
        const path = plantScript(here, "go.sh", "#!/bin/sh\necho good\n")
        const planned = yield* plan("skill.run_script", { skill: "tool", script: "go.sh" }, here.project)
        change(path)
        const result: ToolResult = yield* planned._tag === "Ready" ? planned.run : Effect.die(planned.why)
        assert.strictEqual(result.status, "error")
        assert.match(result.summary, /has changed since it was asked about: it was not run$|no such file/)
      })
    )
  )

  it.effect.each<[string, (fiber: Fiber.Fiber<ToolResult>) => Effect.Effect<unknown>]>([
    ["the call is interrupted", Fiber.interrupt],
    [
      "its time is up",
      (fiber) =>
        Effect.gen(function* () {
          yield* TestClock.adjust(5000)
          assert.match((yield* Fiber.join(fiber)).summary, /^timed out after 5000 ms/)
        })
    ]
  ])("ends the script with all its children when %s", ([, end]) =>
    within(
      (here) =>
        Effect.gen(function* () {
          const mark = `600.${process.pid}${++marks}`
          plantScript(here, "slow.sh", `#!/bin/sh\nsleep "$1" &\nsleep "$1" &\nwait\n`)
          const fiber = yield* Effect.forkChild(run(here, "slow.sh", [mark]))
          yield* eventually(`2 that sleep ${mark} s`, () => sleepers(mark) === 2)
          yield* end(fiber)
          yield* eventually(`0 that sleep ${mark} s`, () => sleepers(mark) === 0)
        }),
      { tools: { shell: { defaultTimeoutMs: 5000, maxOutputBytes: 1000 } } }
    )
  )
})

/** A number of seconds that no other process sleeps. */
let marks = 0

/** Processes that sleep so long and are not only waiting to be asked after. */
const sleepers = (seconds: string): number =>
  Fs.readdirSync("/proc").filter((pid) => {
    try {
      const isDead = /\) Z/.test(Fs.readFileSync(`/proc/${pid}/stat`, "latin1"))
      return !isDead && Fs.readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`
    } catch {
      return false
    }
  }).length
