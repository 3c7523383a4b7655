import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Os from "node:os"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import * as BackgroundGroups from "../../src/process/BackgroundGroups.ts"
import * as OrphanReaper from "../../src/process/OrphanReaper.ts"
import { runChild } from "../../src/process/RunChild.ts"
import { commandOf, isAlive } from "../../src/testing/Processes.ts"
import { eventually } from "../support/Patience.ts"

const timeoutMs = 60_000

const run = (script: string, groups: BackgroundGroups.BackgroundGroups) =>
  runChild(
    { command: "/bin/sh", args: ["-c", script], cwd: Os.tmpdir(), env: process.env, timeoutMs, maxOutputBytes: 1000 },
    groups
  )

let marks = 0
/** A number of seconds that no other process sleeps. */
const mark = () => `601.${process.pid}${(marks += 1)}`

const sleeping = (seconds: string) =>
  Fs.readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && isAlive(Number(pid)) && commandOf(Number(pid)) === `sleep ${seconds}`
  )

const asleep = (seconds: string, count: number) =>
  eventually(`${count} of sleep ${seconds}`, () => sleeping(seconds).length >= count)

const has = (program: string) => spawnSync("/bin/sh", ["-c", `command -v ${program}`]).status === 0

/** Commands whose processes leave their group, the programs that they need, and how many of them sleep. */
const kinds: {
  readonly [name: string]: readonly [script: (seconds: string) => string, needs: string, count?: number]
} = {
  timeout: [(seconds) => `timeout 600 sleep ${seconds}; true`, "timeout"],
  "timeout in timeout": [(seconds) => `timeout 600 timeout 600 sleep ${seconds}; true`, "timeout"],
  "timeout in a pipe": [(seconds) => `timeout 600 sleep ${seconds} | cat`, "timeout"],
  "timeout that ignores TERM": [
    (seconds) => `timeout 600 sh -c "trap '' TERM; sleep ${seconds}; true"; true`,
    "timeout"
  ],
  "job control": [(seconds) => `bash -c 'set -m; sleep ${seconds} & sleep ${seconds} & wait'; true`, "bash", 2],
  "an interactive shell": [(seconds) => `bash -i -c 'sleep ${seconds} & wait'; true`, "bash"],
  "a terminal of its own": [(seconds) => `script -qc 'sleep ${seconds}' /dev/null; true`, "script"],
  "a program that leads a group": [(seconds) => `perl -e 'setpgrp; exec "sleep", "${seconds}"'; true`, "perl"]
}

const possible = Object.entries(kinds).flatMap(([name, [script, needs, count = 1]]) =>
  has(needs) ? [[name, script, count] as const] : []
)

const groups = Effect.flatMap(OrphanReaper.make, BackgroundGroups.make)

describe.runIf(process.platform === "linux")("processes that leave the group of their command", () => {
  it.each(Object.entries(kinds).filter(([, [, needs]]) => !has(needs)))(
    "LEFT OUT, the program is missing: %s",
    () => {}
  )

  it.effect.each(possible)("end with its interruption: %s", ([, script, count]) =>
    Effect.gen(function* () {
      const seconds = mark()
      const fiber = yield* Effect.forkChild(run(script(seconds), yield* groups))
      yield* asleep(seconds, count)
      yield* Fiber.interrupt(fiber)
      yield* eventually("their end", () => sleeping(seconds).length === 0)
    }).pipe(Effect.scoped)
  )

  it.effect.each(possible)("end with its time limit: %s", ([, script, count]) =>
    Effect.gen(function* () {
      const seconds = mark()
      const fiber = yield* Effect.forkChild(run(script(seconds), yield* groups))
      yield* asleep(seconds, count)
      yield* TestClock.adjust(timeoutMs)
      assert.strictEqual((yield* Fiber.join(fiber)).end._tag, "TimedOut")
      yield* eventually("their end", () => sleeping(seconds).length === 0)
    }).pipe(Effect.scoped)
  )

  it.effect.each(possible)("end with the background after it has ended: %s", ([, script, count]) =>
    Effect.gen(function* () {
      const seconds = mark()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const made = yield* groups
          yield* run(`(${script(seconds)}) >/dev/null 2>&1 & exit 0`, made)
          yield* asleep(seconds, count)
          yield* made.endBackground
          yield* eventually("their end", () => sleeping(seconds).length === 0)
        })
      )
    })
  )

  it.effect("end however fast they are made", () =>
    Effect.gen(function* () {
      const seconds = mark()
      const script = `trap '' TERM; for n in $(seq 300); do timeout 600 sleep ${seconds} & done; wait`
      const fiber = yield* Effect.forkChild(run(script, yield* groups))
      yield* asleep(seconds, 20)
      yield* Fiber.interrupt(fiber)
      yield* eventually("their end", () => sleeping(seconds).length === 0)
    }).pipe(Effect.scoped)
  )
})
