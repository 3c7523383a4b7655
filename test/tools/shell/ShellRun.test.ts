import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import type { Settings } from "../../../src/config/Settings.ts"
import { judge, type ShellVerdict } from "../../../src/shell/Rules.ts"
import { unattendedRun } from "../../../src/tools/shell/UnattendedShell.ts"
import { call, plan, plant, settings, temporaryDirectory, toolbox, toolsIn } from "../fixture.ts"
import { eventually } from "../../support/Patience.ts"

const inRoot = <A, E>(test: (root: string) => Effect.Effect<A, E, any>, change: Partial<Settings> = {}) =>
  Effect.gen(function* () {
    return yield* test(yield* temporaryDirectory)
  }).pipe(Effect.scoped, Effect.provide(toolbox(change))) as Effect.Effect<A, E>

/** Processes whose environment says that they come from a test; those that have ended and wait for their parent are none. */
const alive = (mark: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === `${process.pid}`) return false
    try {
      return (
        readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(mark) &&
        !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
      )
    } catch {
      return false
    }
  })

const nothingAlive = (mark: string) => eventually(`the end of ${mark}`, () => alive(mark).length === 0)
const somethingAlive = (mark: string, count = 1) => eventually(`${count} of ${mark}`, () => alive(mark).length >= count)

let marks = 0
/** A number of seconds that no other process sleeps. */
const mark = () => `600.${process.pid}${(marks += 1)}`

type Verdict = Extract<ShellVerdict, { readonly _tag: "ReadOnly" }>

const needOf = (args: object, root: string) =>
  Effect.map(plan("shell.run", args, root), (planned) => (planned._tag === "Ready" ? planned.need : planned.why))

describe("shell.run", () => {
  it.effect("says how a command ended, and what it said on both streams", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* call("shell.run", { command: "echo out; echo err >&2" }, root), {
          status: "ok",
          summary: "exit code 0\nout\n--- stderr ---\nerr",
          truncated: false
        })
        assert.deepStrictEqual(yield* call("shell.run", { command: "exit 3" }, root), {
          status: "error",
          summary: "exit code 3\n(no output)",
          truncated: false
        })
        assert.include((yield* call("shell.run", { command: "kill -9 $$" }, root)).summary, "ended by SIGKILL")
        assert.include((yield* call("shell.run", { command: "no-such-program" }, root)).summary, "exit code 127")
      })
    )
  )

  it.effect("asks with the command as the preview, whatever paths it names", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* needOf({ command: "rm -rf build\necho done" }, root), {
          category: "shell",
          reason: `run rm, echo in ${root}`,
          preview: "rm -rf build\necho done",
          affectedResources: [root],
          subject: { kind: "command", commands: [{ argv: ["rm", "-rf", "build"], atLeast: 3, isExact: true }] }
        })
        const outside = yield* needOf({ command: "cat /etc/passwd" }, root)
        assert.strictEqual(typeof outside === "object" && outside.category, "shell")
      })
    )
  )

  it.effect("asks nobody for what only reads", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        plant(root, { "a.txt": "1\n2\n", "b.txt": "3\n" })
        const planned = yield* plan("shell.run", { command: "cat *.txt | wc -l" }, root)
        if (planned._tag !== "Ready") return assert.fail(planned.why)
        assert.isUndefined(planned.need)
        assert.match((yield* planned.run).summary, /^exit code 0\n\s*3$/)
      })
    )
  )

  it.effect("refuses at once what is blocked, blank, or no command", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        assert.include(yield* needOf({ command: "sudo rm -rf /" }, root), "blocked: it erases / or the home directory")
        assert.include(yield* needOf({ command: "  \n" }, root), "blank")
        assert.include(yield* needOf({ command: "ls\0" }, root), "NUL")
        assert.include(yield* needOf({ command: 7 }, root), "command: expected string")
        assert.include(yield* needOf({ command: "ls", timeoutMs: 0 }, root), "timeoutMs: expected an integer ≥ 1")
        assert.include(yield* needOf({ command: `: ${"x".repeat(3_000_000)}` }, root), "longer than 131072")
        // Linux counts an argument in bytes.
        if (process.platform === "linux") {
          const { summary } = yield* call("shell.run", { command: `: ${"é".repeat(100_000)}` }, root)
          assert.include(summary, "could not be started")
        }
        assert.include((yield* call("shell.run", { command: "ls", cwd: "none" }, root)).summary, "no such file")
      })
    )
  )

  it.effect("refuses what would erase / or the home directory by way of a link", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const other = yield* temporaryDirectory
        plant(root, { "sub/": "", "plain/x": "" })
        plant(other, { x: "" })
        symlinkSync("/", NodePath.join(root, "rt"))
        symlinkSync(NodePath.dirname(homedir()), NodePath.join(root, "sub/homes"))
        symlinkSync(homedir(), NodePath.join(root, "h"))
        symlinkSync("../rt/usr", NodePath.join(root, "sub/u"))
        symlinkSync(other, NodePath.join(root, "harmless"))
        for (const command of [
          "rm -rf rt/",
          "rm -rf rt/*",
          "rm -rf ./rt/[a-z]*",
          "rm -rf r?/*",
          "rm -rf */*",
          "rm -rf */",
          "rm -rf rt/etc",
          "rm -rf h/",
          "cd rt && rm -rf *",
          "cd sub && rm -rf homes/*",
          "rm -rf sub/u/",
          "sh -c 'rm -rf rt/*'",
          "X=rt; rm -rf $X/",
          "echo rt/ | xargs rm -rf",
          "find -L rt -delete",
          "find rt/ -delete",
          `rm -rf ${root}/rt/`
        ]) {
          const need = yield* needOf({ command }, root)
          assert.include(need, "blocked: it erases / or the home directory", command)
        }
        assert.include(yield* needOf({ command: "rm -rf etc", cwd: "rt" }, root), "blocked")
        for (const command of [
          "rm -rf rt",
          "rm -rf sub/u h",
          "rm -rf rt/tmp/x",
          "rm -rf harmless/*",
          "rm -rf plain/*",
          "rm -rf *",
          "rm rt/*",
          "rm -rf none/*"
        ]) {
          const need = yield* needOf({ command }, root)
          assert.strictEqual(typeof need === "object" && need.category, "shell", command)
        }
      })
    )
  )

  it.effect("asks where a link, or the place where it runs, leads outside", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const other = yield* temporaryDirectory
        plant(other, { secret: "s" })
        plant(root, { "sub/inside": "" })
        symlinkSync(other, NodePath.join(root, "link"))
        symlinkSync(NodePath.join(other, "secret"), NodePath.join(root, "sub/hidden"))
        for (const command of [
          "ls sub",
          "cat sub/inside",
          "cat sub/i*",
          "grep -r x .",
          "echo link is a word",
          "diff --no-dereference -r sub .",
          "diff sub/inside sub/inside",
          "echo ../x"
        ]) {
          assert.isUndefined(yield* needOf({ command }, root), command)
        }
        // Only on Linux is diff known to have an option that keeps it from following links in directories.
        for (const command of ["diff sub sub", "diff -r sub .", "diff -rq . sub"]) {
          const need = yield* needOf({ command }, root)
          assert.strictEqual(need === undefined, process.platform === "linux", command)
        }
        for (const command of [
          "cat link/secret",
          "cat sub/hidden",
          "cat sub/*",
          "cat */secret",
          "cat l*/s*",
          "ls link",
          "grep -f sub/hidden x",
          "grep -fsub/hidden x",
          "grep -xfsub/hidden x",
          "grep -A1 -fsub/hidden x"
        ]) {
          assert.isDefined(yield* needOf({ command }, root), command)
        }
        assert.isUndefined(yield* needOf({ command: "ls", cwd: "sub" }, root))
        assert.isDefined(yield* needOf({ command: "ls", cwd: ".." }, root))
        assert.isDefined(yield* needOf({ command: "ls", cwd: "link" }, root))
      })
    )
  )

  it.effect("does not run where a link has taken the place of the directory that was shown", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const other = yield* temporaryDirectory
        plant(root, { "sub/": "" })
        const planned = yield* plan("shell.run", { command: "touch made", cwd: "sub" }, root)
        if (planned._tag !== "Ready") return assert.fail(planned.why)
        assert.deepStrictEqual(planned.need?.affectedResources, [NodePath.join(root, "sub")])
        rmSync(NodePath.join(root, "sub"), { recursive: true })
        symlinkSync(other, NodePath.join(root, "sub"))
        const result = yield* planned.run
        assert.deepInclude(result, { status: "error" })
        assert.include(result.summary, "leads elsewhere")
        assert.isFalse(existsSync(NodePath.join(other, "made")))
      })
    )
  )

  it.effect("asks where the program would come from a place that the agent can write to", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        plant(root, { "bin/ls": `#!/bin/sh\ntouch ${root}/ran\n`, "bin/rg": `#!/bin/sh\ntouch ${root}/ran\n` })
        execFileSync("chmod", ["+x", NodePath.join(root, "bin/ls"), NodePath.join(root, "bin/rg")])
        const before = process.env["PATH"]
        process.env["PATH"] = `${NodePath.join(root, "bin")}:./bin:${before}`
        yield* Effect.gen(function* () {
          assert.include((yield* call("shell.run", { command: "ls" }, root)).summary, "exit code 0\nbin")
          if (!existsSync("/usr/bin/rg")) assert.isDefined(yield* needOf({ command: "rg x" }, root))
          assert.isFalse(existsSync(NodePath.join(root, "ran")))
        }).pipe(Effect.ensuring(Effect.sync(() => void (process.env["PATH"] = before))))
      })
    )
  )

  it.effect("asks for git where the repository names a program to run", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        execFileSync("git", ["init", "."], { cwd: root, stdio: "ignore" })
        assert.isUndefined(yield* needOf({ command: "git status" }, root))
        execFileSync("git", ["config", "core.fsmonitor", "./evil"], { cwd: root })
        assert.isDefined(yield* needOf({ command: "git status" }, root))
      })
    )
  )

  it.effect("asks for git where the repository reaches beyond the working directory", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        execFileSync("git", ["init", "."], { cwd: root, stdio: "ignore" })
        plant(root, { "sub/a": "" })
        const reading = ["git status", "git diff", "git log -p", "git show HEAD:secret", "git blame a", "git branch"]
        for (const command of reading) {
          assert.isUndefined(yield* needOf({ command }, root), command)
          assert.isUndefined(yield* needOf({ command, cwd: "sub" }, root), command)
          assert.isDefined(yield* needOf({ command }, NodePath.join(root, "sub")), command)
        }
      })
    )
  )

  it.effect("does not let git run what a repository within the repository names", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const git = (folder: string, ...args: ReadonlyArray<string>) =>
          execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
            cwd: NodePath.join(root, folder),
            stdio: "ignore"
          })
        git(".", "init", ".")
        plant(root, { "sub/f": "", evil: `#!/bin/sh\ntouch ${root}/ran\n` })
        execFileSync("chmod", ["+x", NodePath.join(root, "evil")])
        git("sub", "init", ".")
        git("sub", "commit", "--allow-empty", "-m", "first")
        git(".", "add", "sub")
        git(".", "commit", "-m", "first")
        git("sub", "config", "core.fsmonitor", `${root}/evil`)
        const nothingRuns = Effect.gen(function* () {
          for (const command of ["git status", "git diff", "git diff HEAD", "git log -p", "git ls-files -m"]) {
            assert.isUndefined(yield* needOf({ command }, root), command)
            yield* call("shell.run", { command }, root)
            assert.isFalse(existsSync(NodePath.join(root, "ran")), command)
          }
        })
        yield* nothingRuns
        // A file of the repository asks git to look into the other one.
        plant(root, { ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./x\n\tignore = none\n' })
        yield* nothingRuns
      })
    )
  )

  it.effect("does not let git heed the configuration of the user where nobody was asked", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const home = yield* temporaryDirectory
        const evil = NodePath.join(home, "evil")
        const config = `[core]\n\tfsmonitor = ${evil}\n[diff]\n\texternal = ${evil}\n`
        plant(home, { evil: `#!/bin/sh\ntouch ${home}/ran\n`, ".gitconfig": config, ".config/git/config": config })
        execFileSync("chmod", ["+x", evil])
        const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, stdio: "ignore" })
        git("init", ".")
        plant(root, { file: "1" })
        git("add", "file")
        plant(root, { file: "22" })
        const before = process.env["HOME"]
        process.env["HOME"] = home
        yield* Effect.gen(function* () {
          for (const command of ["git status", "git diff"]) {
            assert.isUndefined(yield* needOf({ command }, root), command)
            assert.strictEqual((yield* call("shell.run", { command }, root)).status, "ok")
            assert.isFalse(existsSync(NodePath.join(home, "ran")), command)
          }
          // It is heeded where somebody was asked: the command is the user's own then.
          assert.isDefined(yield* needOf({ command: "git status; touch asked" }, root))
          yield* call("shell.run", { command: "git status; touch asked" }, root)
          assert.isTrue(existsSync(NodePath.join(home, "ran")))
        }).pipe(Effect.ensuring(Effect.sync(() => void (process.env["HOME"] = before))))
      })
    )
  )

  it.effect("does not let git write its index where nobody was asked", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, stdio: "ignore" })
        git("init", ".")
        plant(root, { file: "1" })
        git("add", "file")
        // What git has noted of the file is stale now, though the file is the same: it would note it anew.
        utimesSync(NodePath.join(root, "file"), 1, 1)
        const index = () => readFileSync(NodePath.join(root, ".git/index"))
        const before = index()
        for (const command of ["git status", "git ls-files -m", "git branch"]) {
          assert.isUndefined(yield* needOf({ command }, root), command)
          assert.strictEqual((yield* call("shell.run", { command }, root)).status, "ok")
          assert.isTrue(index().equals(before), command)
        }
        git("status")
        assert.isFalse(index().equals(before))
      })
    )
  )

  it.effect("runs what only reads without the variables that could make it do more", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const names = ["GIT_DIR", "GIT_EXTERNAL_DIFF", "RIPGREP_CONFIG_PATH", "LS_COLORS", "BASH_ENV", "ENV", "HOME"]
        const before = names.map((name) => [name, process.env[name]] as const)
        for (const name of names) process.env[name] = "/x"
        const { plan: ls } = judge("ls", { cwd: root, home: undefined, env: {} }, "linux") as Verdict
        const given = yield* Effect.promise(() => unattendedRun(ls, root, root, homedir()))
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
        assert.isDefined(given)
        for (const name of names) assert.notProperty(given?.env, name)
      })
    )
  )

  it.effect("keeps our own variables from commands, and all of the rest from those that nobody was asked about", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const own = ["ATOMIC_AGENT_LLAMA_API_KEY", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_LOGS_HEADERS"]
        for (const name of own) process.env[name] = "a=secret-key"
        process.env["SHELL_RUN_TEST"] = "visible"
        const { summary } = yield* call("shell.run", { command: "env" }, root)
        assert.notInclude(summary, "secret-key")
        assert.include(summary, "SHELL_RUN_TEST=visible")
        assert.match(summary, /PATH=.*\/usr\/bin/)
        for (const name of [...own, "SHELL_RUN_TEST"]) delete process.env[name]
      })
    )
  )

  it.effect("finds the usual programs when the app that started us had hardly a PATH", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const { HOME, PATH } = process.env
        Object.assign(process.env, { HOME: "", PATH: "" })
        const restore = Effect.sync(() => void Object.assign(process.env, { HOME, PATH }))
        const results = yield* Effect.all([
          call("shell.run", { command: "uname && env true" }, root),
          call("shell.run", { command: "ls" }, root)
        ]).pipe(Effect.ensuring(restore))
        assert.deepStrictEqual(
          results.map(({ status }) => status),
          ["ok", "ok"]
        )
      })
    )
  )

  it.effect("reads its input as closed", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        assert.include(
          (yield* call("shell.run", { command: "cat; sh -c 'read x || echo closed'" }, root)).summary,
          "closed"
        )
      })
    )
  )

  it.live("keeps head and tail of 200 MB, and holds no more", () =>
    inRoot(
      (root) =>
        Effect.gen(function* () {
          const command = "echo first; head -c 200000000 /dev/zero | tr '\\0' x; echo; echo last"
          const { status, summary, truncated } = yield* call("shell.run", { command }, root)
          assert.strictEqual(status, "ok")
          assert.isTrue(truncated)
          assert.isBelow(summary.length, 11_000)
          assert.isTrue(summary.startsWith("exit code 0\nfirst\nxxx"))
          assert.isTrue(summary.endsWith("xxx\nlast"))
          assert.include(summary, "bytes left out")
        }),
      { tools: { shell: { ...settings.tools.shell, maxOutputBytes: 10_000 } } }
    )
  )

  it.effect("shows what would stand on a terminal", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const command = [
          "i=0; while [ $i -le 2000 ]; do printf '\\r%d of 2000' $i; i=$((i + 1)); done; echo",
          "printf '\\033[1;32mgreen\\033[0m \\033]8;;http://h/\\033\\\\link\\033]8;;\\033\\\\\\n'",
          "printf 'loading\\r\\033[Kdone' >&2"
        ].join("; ")
        assert.deepStrictEqual(yield* call("shell.run", { command }, root), {
          status: "ok",
          summary: "exit code 0\n2000 of 2000\ngreen link\n--- stderr ---\ndone",
          truncated: false
        })
        const colourAlone = yield* call("shell.run", { command: "printf '\\033[0m'" }, root)
        assert.strictEqual(colourAlone.summary, "exit code 0\n(no output)")
      })
    )
  )

  it.effect("ends when the command ends, even if one that it left behind holds the pipe", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const seconds = mark()
        const { status, summary } = yield* call(
          "shell.run",
          { command: `echo started; sleep ${seconds} & echo left` },
          root
        )
        assert.strictEqual(status, "ok")
        assert.strictEqual(summary, "exit code 0\nstarted\nleft")
        assert.strictEqual(alive(`sleep\0${seconds}`).length, 1)
        yield* (yield* toolsIn(root)).endBackground
        yield* nothingAlive(`sleep\0${seconds}`)
      })
    )
  )

  it.effect("returns what a terminal would show: a progress bar takes no room from what is said after it", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const bar = `i=0; while [ $i -lt 20000 ]; do printf '\\r%s of 20000' $i; i=$((i+1)); done`
        const { summary } = yield* call(
          "shell.run",
          { command: `printf '\\033[1mbefore\\033[0m\\n'; ${bar}; printf '\\nafter\\n'` },
          root
        )
        assert.strictEqual(summary, "exit code 0\nbefore\n19999 of 20000\nafter")
      })
    )
  )

  it.effect("leaves nothing running when the toolbox goes", () =>
    Effect.gen(function* () {
      const seconds = mark()
      yield* inRoot((root) =>
        call("shell.run", { command: `(trap '' TERM; sleep ${seconds}) & sleep ${seconds} &` }, root)
      )
      yield* nothingAlive(seconds)
    })
  )

  it.effect("is ended on its time limit, with its whole group", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const seconds = mark()
        const command = `echo begun; sleep ${seconds} & sleep ${seconds}`
        const fiber = yield* Effect.forkChild(call("shell.run", { command, timeoutMs: 5000 }, root))
        yield* somethingAlive(`sleep\0${seconds}`, 2)
        yield* TestClock.adjust(4999)
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust(1)
        const { status, summary } = yield* Fiber.join(fiber)
        assert.strictEqual(status, "error")
        assert.strictEqual(summary, "timed out after 5000 ms, and was ended with all that it had started\nbegun")
        assert.deepStrictEqual(alive(seconds), [])
      })
    )
  )

  it.effect("shows what it prints when its time is over, on the same line too", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const seconds = mark()
        const command = `trap "printf '\\rleft early'; exit" TERM; printf 'half done'; sleep ${seconds} & wait`
        const fiber = yield* Effect.forkChild(call("shell.run", { command, timeoutMs: 5000 }, root))
        yield* somethingAlive(`sleep\0${seconds}`)
        yield* TestClock.adjust(5000)
        const { summary } = yield* Fiber.join(fiber)
        assert.strictEqual(summary, "timed out after 5000 ms, and was ended with all that it had started\nleft early")
      })
    )
  )

  it.effect("has the limit of the configuration where it names none, not that of other tools", () =>
    inRoot(
      (root) =>
        Effect.gen(function* () {
          const seconds = mark()
          const fiber = yield* Effect.forkChild(call("shell.run", { command: `sleep ${seconds}` }, root))
          yield* somethingAlive(`sleep\0${seconds}`)
          yield* TestClock.adjust(70_000)
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust(7_000)
          assert.include((yield* Fiber.join(fiber)).summary, "timed out after 77000 ms")
        }),
      { tools: { shell: { ...settings.tools.shell, defaultTimeoutMs: 77_000 } } }
    )
  )

  const stubborn: ReadonlyArray<readonly [string, (seconds: string) => string, number]> = [
    ["a plain command", (seconds) => `sleep ${seconds}`, 1],
    ["a program that ignores TERM", (seconds) => `trap '' TERM; sleep ${seconds}; sleep ${seconds}`, 1],
    ["fifty children", (seconds) => `for i in $(seq 50); do sleep ${seconds} & done; wait`, 50],
    [
      "children of children that ignore TERM",
      (seconds) => `sh -c "trap '' TERM; sleep ${seconds} & wait; wait" & wait`,
      1
    ],
    ["a pipe", (seconds) => `sleep ${seconds} | cat | cat`, 1]
  ]

  it.effect.each(stubborn)("leaves nothing of %s when it is interrupted", ([, commandOf, count]) =>
    inRoot((root) =>
      Effect.gen(function* () {
        const seconds = mark()
        const fiber = yield* Effect.forkChild(call("shell.run", { command: commandOf(seconds) }, root))
        yield* somethingAlive(`sleep\0${seconds}`, count)
        yield* Fiber.interrupt(fiber)
        yield* nothingAlive(seconds)
      })
    )
  )

  it.effect("gives a program that heeds TERM the time to say goodbye", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const seconds = mark()
        const command = `trap 'echo bye > ${root}/bye; exit 0' TERM; touch ${root}/ready; sleep ${seconds} & wait`
        const fiber = yield* Effect.forkChild(call("shell.run", { command }, root))
        yield* eventually("the file ready", () => existsSync(NodePath.join(root, "ready")))
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(readFileSync(NodePath.join(root, "bye"), "utf8"), "bye\n")
      })
    )
  )

  it.effect("is not confused by what a command prints", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        writeFileSync(NodePath.join(root, "bin"), new Uint8Array([0xff, 0xfe, 0, 10, 27, 91, 109]))
        const { status, summary } = yield* call("shell.run", { command: "cat bin" }, root)
        assert.strictEqual(status, "ok")
        assert.isTrue(summary.isWellFormed())
      })
    )
  )
})
