import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as BackgroundGroups from "../../src/process/BackgroundGroups.ts"
import * as OrphanReaper from "../../src/process/OrphanReaper.ts"
import { isRunning } from "../../src/process/ProcessSession.ts"
import { awaitedPromise, eventually } from "../support/Patience.ts"

/** Notes what it is to watch over. */
class NotingGuard extends OrphanReaper.OrphanReaper {
  readonly notes: Array<string> = []

  override watch(group: number): void {
    this.notes.push(`watch ${group}`)
  }
  override leaderless(group: number): void {
    this.notes.push(`leaderless ${group}`)
  }
  override dismiss(group: number): void {
    this.notes.push(`dismiss ${group}`)
  }
}

const groupsWith = () => {
  const guard = new NotingGuard()
  return { groups: new BackgroundGroups.BackgroundGroups(guard), guard }
}

/** A command in a group of its own, gone with the test. */
const command = (script: string): Effect.Effect<ChildProcess & { readonly pid: number }, never, any> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" })
      return Object.assign(child, { pid: child.pid ?? assert.fail("not started") })
    }),
    ({ pid }) =>
      Effect.sync(() => {
        try {
          process.kill(-pid, "SIGKILL")
        } catch {
          return
        }
      })
  )

const ended = (child: ChildProcess) =>
  Effect.promise(() => awaitedPromise("the end of the command", once(child, "exit")))

/** A command that has ended and left a process behind in its group. */
const leaving = Effect.gen(function* () {
  const child = yield* command("sleep 600 & exit 0")
  yield* ended(child)
  assert.isTrue(isRunning(child.pid))
  return child.pid
})

const noted = (guard: NotingGuard, note: string, times = 1) =>
  eventually(`${times} times ${note}`, () => guard.notes.filter((each) => each === note).length === times)

const gone = (group: number) => eventually(`the end of the group ${group}`, () => !isRunning(group))

describe.skipIf(process.platform === "win32")("the groups of commands", () => {
  it.live("are watched over from their start until they are ended", () =>
    Effect.gen(function* () {
      const { groups, guard } = groupsWith()
      const { pid } = yield* command("sleep 600 & sleep 600")
      groups.started(pid)
      assert.deepStrictEqual(guard.notes, [`watch ${pid}`])
      yield* groups.end(pid)
      yield* gone(pid)
      assert.deepStrictEqual(guard.notes, [`watch ${pid}`, `dismiss ${pid}`])
    })
  )

  it.live("are forgotten after their command where it leaves nothing behind", () =>
    Effect.gen(function* () {
      const { groups, guard } = groupsWith()
      const child = yield* command("exit 0")
      groups.started(child.pid)
      yield* ended(child)
      groups.ended(child.pid)
      yield* noted(guard, `dismiss ${child.pid}`)
      assert.deepStrictEqual(guard.notes, [`watch ${child.pid}`, `leaderless ${child.pid}`, `dismiss ${child.pid}`])
    })
  )

  it.live("are watched over without their leader where something is left behind, which is ended when asked", () =>
    Effect.gen(function* () {
      const { groups, guard } = groupsWith()
      const left = [yield* leaving, yield* leaving]
      for (const group of left) groups.ended(group)
      assert.deepStrictEqual(
        guard.notes,
        left.map((group) => `leaderless ${group}`)
      )
      yield* groups.endBackground
      for (const group of left) yield* gone(group)
      assert.sameMembers(
        guard.notes.slice(2),
        left.map((group) => `dismiss ${group}`)
      )
    })
  )

  it.live("are forgotten, when the next command ends, where what was left behind has gone by itself", () =>
    Effect.gen(function* () {
      const { groups, guard } = groupsWith()
      const [first, second] = [yield* leaving, yield* leaving]
      groups.ended(first)
      process.kill(-first, "SIGKILL")
      yield* gone(first)
      groups.ended(second)
      yield* noted(guard, `dismiss ${first}`)
      assert.deepStrictEqual(guard.notes, [`leaderless ${first}`, `leaderless ${second}`, `dismiss ${first}`])
    })
  )

  it.live("do not end a process that was given the number of one that is gone", () =>
    Effect.gen(function* () {
      const { groups, guard } = groupsWith()
      // Stands for the stranger: there is a process with the number of the group.
      const { pid } = yield* command("sleep 600; true")
      groups.ended(pid)
      yield* groups.endBackground
      assert.isTrue(isRunning(pid))
      assert.deepStrictEqual(guard.notes, [`leaderless ${pid}`, `dismiss ${pid}`])
      groups.ended(pid)
      groups.ended(yield* leaving)
      yield* noted(guard, `dismiss ${pid}`, 2)
      assert.isTrue(isRunning(pid))
      yield* groups.endBackground
    })
  )

  it.live("leave nothing behind when their scope closes", () =>
    Effect.gen(function* () {
      const group = yield* Effect.scoped(
        Effect.gen(function* () {
          const groups = yield* Effect.flatMap(OrphanReaper.make, BackgroundGroups.make)
          const child = yield* command("trap '' TERM; sleep 600 & exit 0")
          groups.started(child.pid)
          yield* ended(child)
          groups.ended(child.pid)
          return child.pid
        })
      )
      yield* gone(group)
    })
  )
})
