import { execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { notADirectory, readAgents } from "../../src/session/WorkingDir.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "sidecar-working-"))),
  (path) => Effect.sync(() => Fs.rmSync(path, { recursive: true, force: true }))
)

/** What is read where `make` has put something at the path of `AGENTS.md`. */
const readWhere = (make: (path: string) => void) =>
  Effect.gen(function* () {
    const workingDir = yield* folder
    make(Path.join(workingDir, "AGENTS.md"))
    return yield* readAgents(workingDir, stateDir)
  })

/** A state directory that is not there. */
const stateDir = "/nonexistent/state"

describe("AGENTS.md in the working directory", () => {
  it.effect("is read as it is", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* readWhere((path) => Fs.writeFileSync(path, "Be brief.\n")), "Be brief.\n")
    })
  )

  it.effect("is read up to 16 KiB, and no character is cut in two", () =>
    Effect.gen(function* () {
      const text = `${"x".repeat(16 * 1024 - 1)}é and more`
      assert.strictEqual(yield* readWhere((path) => Fs.writeFileSync(path, text)), "x".repeat(16 * 1024 - 1))
    })
  )

  it.effect("may be absent, a directory or unreadable", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* readWhere(() => {}))
      assert.isUndefined(yield* readWhere((path) => Fs.mkdirSync(path)))
      assert.isUndefined(yield* readWhere((path) => Fs.symlinkSync(path, path)))
    })
  )

  it.effect("is not read where it leads out of the working directory, or to the sidecar's own settings", () =>
    Effect.gen(function* () {
      const outside = yield* folder
      const secret = Path.join(outside, ".env")
      Fs.writeFileSync(secret, "KEY=secret")
      assert.isUndefined(yield* readWhere((path) => Fs.symlinkSync(secret, path)))
      assert.strictEqual(yield* readWhere((path) => Fs.linkSync(secret, path)), "KEY=secret")

      const workingDir = yield* folder
      Fs.linkSync(secret, Path.join(workingDir, "AGENTS.md"))
      assert.isUndefined(yield* readAgents(workingDir, outside))
      Fs.writeFileSync(Path.join(outside, "inside.md"), "Be brief.")
      Fs.symlinkSync("inside.md", Path.join(outside, "AGENTS.md"))
      assert.strictEqual(yield* readAgents(outside, outside), "Be brief.")
    })
  )

  it.effect("is not waited for where it is a pipe that nobody writes to", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* readWhere((path) => execFileSync("mkfifo", [path])))
    })
  )
})

describe("a working directory", () => {
  it.effect("is told from a file and from nothing", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const file = Path.join(path, "file")
      Fs.writeFileSync(file, "")
      assert.isUndefined(yield* notADirectory(path))
      assert.strictEqual(yield* notADirectory(file), "a file")
      assert.strictEqual(yield* notADirectory(Path.join(path, "nothing")), "nothing")
      assert.strictEqual(yield* notADirectory(`${path}\0`), "nothing")
    })
  )
})
