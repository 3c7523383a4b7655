import { execFileSync } from "node:child_process"
import { chmodSync, existsSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { call, plant, temporaryDirectory, toolbox } from "../fixture.ts"

/** Runs with variables as a user may have them, each of which names a program that says that it was started. */
const withPrograms = <A, E, R>(test: (root: string, wasStarted: () => boolean) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const home = yield* temporaryDirectory
    const root = yield* temporaryDirectory
    const program = NodePath.join(home, "program")
    plant(home, {
      program: `#!/bin/sh\ntouch ${home}/started\nsleep 600\n`,
      ".gitconfig": `[core]\n\teditor = ${program}\n\taskPass = ${program}\n[sequence]\n\teditor = ${program}\n[user]\n\tname = a\n\temail = a@b\n`
    })
    chmodSync(program, 0o755)
    const names = [
      "GIT_EDITOR",
      "EDITOR",
      "VISUAL",
      "GIT_SEQUENCE_EDITOR",
      "GIT_ASKPASS",
      "SSH_ASKPASS",
      "SUDO_ASKPASS"
    ]
    const changed = { ...Object.fromEntries(names.map((name) => [name, program])), HOME: home }
    const before = Object.keys(changed).map((name) => [name, process.env[name]] as const)
    Object.assign(process.env, changed)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const [name, value] of before) {
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
        }
      })
    )
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: root, stdio: "ignore" })
    git("init", ".")
    for (const message of ["first", "second"]) git("commit", "--allow-empty", "-m", message)
    return yield* test(root, () => existsSync(NodePath.join(home, "started")))
  }).pipe(Effect.scoped, Effect.provide(toolbox()))

const run = (command: string, root: string) => call("shell.run", { command }, root)

describe("a command that would wait for a person", () => {
  it.effect("fails at once where git would open an editor, and says so", () =>
    withPrograms((root, wasStarted) =>
      Effect.gen(function* () {
        const commit = yield* run("git commit --allow-empty", root)
        assert.strictEqual(commit.status, "error")
        assert.include(commit.summary, "unable to start editor 'no-editor-set-GIT_EDITOR'")
        assert.include(commit.summary, "-m or -F")
        const rebase = yield* run("git rebase -i HEAD~1", root)
        assert.strictEqual(rebase.status, "error")
        assert.include(rebase.summary, "no-editor-set-GIT_SEQUENCE_EDITOR")
        for (const name of ["EDITOR", "VISUAL"]) {
          const edit = yield* run(`$${name} file`, root)
          assert.include(edit.summary, "exit code 127")
          assert.include(edit.summary, `no-editor-set-${name}`)
        }
        assert.isFalse(wasStarted())
      })
    )
  )

  it.effect("uses the editor that it names itself", () =>
    withPrograms((root, wasStarted) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* run("GIT_EDITOR=true git commit --amend --allow-empty", root)).status, "ok")
        const rebase = yield* run("GIT_SEQUENCE_EDITOR=true git rebase -i HEAD~1", root)
        assert.strictEqual(rebase.status, "ok", rebase.summary)
        assert.isFalse(wasStarted())
      })
    )
  )

  it.live("fails at once where git would ask for a password, and says so", () =>
    withPrograms((root, wasStarted) =>
      Effect.gen(function* () {
        const server = yield* Effect.acquireRelease(
          Effect.callback<ReturnType<typeof createServer>>((resume) => {
            const listening = createServer((_, response) =>
              response.writeHead(401, { "WWW-Authenticate": 'Basic realm="x"' }).end()
            ).listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
          }),
          (listening) => Effect.sync(() => listening.close())
        )
        const { port } = server.address() as AddressInfo
        const { status, summary } = yield* run(`git ls-remote http://127.0.0.1:${port}/x.git`, root)
        assert.strictEqual(status, "error")
        assert.include(summary, "could not read Username")
        assert.isFalse(wasStarted())
      })
    )
  )
})
