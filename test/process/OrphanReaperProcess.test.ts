import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import * as OrphanReaper from "../../src/process/OrphanReaper.ts"
import { isRunning } from "../../src/process/ProcessSession.ts"
import { isAlive } from "../../src/testing/Processes.ts"
import { awaitedPromise, eventually } from "../support/Patience.ts"

const readAt = (pid: string | number, name: string): string => {
  try {
    return Fs.readFileSync(`/proc/${pid}/${name}`, "latin1")
  } catch {
    return ""
  }
}

/** The guards of a process that run, by id. */
const posted = (sidecar = process.pid): ReadonlyArray<number> =>
  Fs.readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid) && readAt(pid, "cmdline").endsWith("\0sidecar-guard\0"))
    .filter((pid) => {
      const stat = readAt(pid, "stat")
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return parent === `${sidecar}` && state !== "Z"
    })
    .map(Number)

/** A group of its own, gone with the test. */
const group = (script = "sleep 600; true") =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" })
      return { child, pid: child.pid ?? assert.fail("not started") }
    }),
    ({ pid }) =>
      Effect.sync(() => {
        if (isRunning(pid)) process.kill(-pid, "SIGKILL")
      })
  )

const ended = (child: ChildProcess) =>
  Effect.promise(() => awaitedPromise<Array<unknown>>("the end of the process", once(child, "exit")))

/** What the guard has this process do when it exits. */
const atExit = (before: ReadonlyArray<unknown>) => {
  const added = process.listeners("exit").filter((listener) => !before.includes(listener))
  assert.lengthOf(added, 1)
  return () => Reflect.apply(added[0]!, process, [0])
}

describe.runIf(process.platform === "linux")("the process that watches over groups", () => {
  it.live("is there from the first group on, one for all, and gone with its scope", () =>
    Effect.gen(function* () {
      const { pid } = yield* group()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const guard = yield* OrphanReaper.make
          assert.deepStrictEqual(posted(), [])
          guard.watch(pid)
          const first = posted()
          assert.lengthOf(first, 1)
          guard.watch((yield* group()).pid)
          guard.leaderless(pid)
          assert.deepStrictEqual(posted(), first)
        })
      )
      assert.deepStrictEqual(posted(), [])
      // What is watched over when all goes well is left to whoever started it.
      assert.isTrue(isRunning(pid))
    })
  )

  it.live("is gone with its scope though it is stopped", () =>
    Effect.gen(function* () {
      const { pid } = yield* group()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const guard = yield* OrphanReaper.make
          guard.watch(pid)
          for (const each of posted()) process.kill(each, "SIGSTOP")
        })
      )
      yield* eventually("the end of the guard", () => posted().length === 0)
    })
  )

  it.live("is replaced where it was killed", () =>
    Effect.gen(function* () {
      const { pid } = yield* group()
      const guard = yield* OrphanReaper.make
      guard.watch(pid)
      const [first = 0] = posted()
      process.kill(first, "SIGKILL")
      yield* eventually("another guard", () => posted().length === 1 && !posted().includes(first))
      assert.isTrue(isRunning(pid))
    })
  )

  it.live("is not needed at an exit in order: the groups are ended by us, but not who has the number of one", () =>
    Effect.gen(function* () {
      const before = process.listeners("exit")
      const guard = yield* OrphanReaper.make
      const [led, dismissed, taken] = [yield* group(), yield* group(), yield* group()]
      for (const { pid } of [led, dismissed, taken]) guard.watch(pid)
      guard.dismiss(dismissed.pid)
      // Its leader has ended, it is said, so the process that has the number is another one.
      guard.leaderless(taken.pid)
      const kill = vi.spyOn(process, "kill")
      atExit(before)()
      const sent = kill.mock.calls.filter(([, signal]) => signal !== 0)
      kill.mockRestore()
      assert.deepStrictEqual(new Set(sent.map(String)), new Set([`${-led.pid},SIGKILL`]))
      assert.deepStrictEqual(yield* ended(led.child), [null, "SIGKILL"])
      assert.isTrue(isRunning(dismissed.pid))
      assert.isTrue(isRunning(taken.pid))
      for (const { pid } of [led, taken]) guard.dismiss(pid)
      assert.deepStrictEqual(process.listeners("exit"), before)
    })
  )

  it.live("spares, after a SIGKILL, who has the number of a leader that has ended", () =>
    Effect.gen(function* () {
      const [led, taken] = [yield* group(), yield* group()]
      const path = import.meta.resolve("../../src/process/OrphanReaper.ts")
      const code = `import(${JSON.stringify(path)}).then(({ OrphanReaper }) => {
        const reaper = new OrphanReaper()
        for (const leader of [${led.pid}, ${taken.pid}]) reaper.watch(leader)
        reaper.leaderless(${taken.pid})
        console.log("ready")
      })`
      const sidecar = spawn(process.execPath, ["--eval", code], { stdio: ["pipe", "pipe", "ignore"] })
      yield* Effect.promise(() => awaitedPromise("its guard", once(sidecar.stdout, "data")))
      const [guard = 0] = posted(sidecar.pid)
      assert.isTrue(isAlive(guard))
      sidecar.kill("SIGKILL")
      // TERM, or KILL on a machine that is so busy that the second between them is not enough.
      yield* ended(led.child)
      yield* eventually("the end of the guard", () => !isAlive(guard))
      assert.isTrue(isRunning(taken.pid))
    })
  )

  it.live("takes no notice of a group that it does not watch over", () =>
    Effect.gen(function* () {
      const before = process.listeners("exit")
      const guard = yield* OrphanReaper.make
      guard.leaderless(1)
      guard.dismiss(1)
      assert.deepStrictEqual(posted(), [])
      assert.deepStrictEqual(process.listeners("exit"), before)
    })
  )
})
