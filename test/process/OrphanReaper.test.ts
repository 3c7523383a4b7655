import * as Fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { commandOf, isAlive, until } from "../../src/testing/Processes.ts"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../support/Bin.ts"
import { atWork, reaperOf } from "./atWork.ts"

/** The processes that have a word of their own in their command line. */
const withWord = (word: string): ReadonlyArray<number> =>
  Fs.readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && isAlive(pid) && commandOf(pid).includes(word))

const end = (bin: Bin, way: "shutdown" | "end of input" | "SIGTERM") => {
  if (way === "shutdown") bin.post("shutdown")
  else if (way === "SIGTERM") bin.child.kill("SIGTERM")
  else bin.child.stdin.end()
}

/** Kills the sidecar as soon as it has done one thing to the child that is to run a command. */
const killedAfter = {
  "starting its process": "die()",
  "telling it to begin":
    "const { end } = child.stdin; child.stdin.end = (...words) => (end.apply(child.stdin, words), die())"
}

describe.runIf(process.platform === "linux")("the guard of the process groups", { timeout: 60_000 }, () => {
  it.each(Object.entries(killedAfter))(
    "leaves nothing of a command whose sidecar is killed right after %s",
    async (_name, act) => {
      const seconds = `6${String(Math.random()).slice(2, 10)}`
      const preload = `
        const childProcess = process.getBuiltinModule("node:child_process")
        const { spawn } = childProcess
        const die = () => process.kill(process.pid, "SIGKILL")
        childProcess.spawn = (...words) => {
          const child = spawn(...words)
          if (JSON.stringify(words).includes("sleep ${seconds}")) { ${act} }
          return child
        }`
      const call = { name: "shell_run", arguments: { command: `sleep ${seconds}` } }
      const server = await LlamaServer.start({ answer: LlamaAnswers.say({ toolCalls: [call] }) })
      using dir = new StateDir({ localModels: { url: server.url }, agent: { approvalLevel: 5 } })
      using bin = new Bin(dir, { nodeOptions: ["--import", `data:text/javascript,${encodeURIComponent(preload)}`] })
      try {
        bin.post("send_message", { sessionId: await bin.session(), text: "go" })
        assert.strictEqual((await bin.exited).signal, "SIGKILL")
        const gone = await until(() => withWord(`sleep ${seconds}`).length === 0, 10_000)
        assert.isDefined(gone, `still there: ${withWord(seconds).map(commandOf).join()}`)
      } finally {
        for (const pid of withWord(`sleep ${seconds}`)) process.kill(pid, "SIGKILL")
        await server.stop()
      }
    }
  )

  it.each(["shutdown", "end of input", "SIGTERM"] as const)(
    "is gone before the sidecar is, at its clean end: %s",
    (way) =>
      atWork("what a command left behind", async (bin, below) => {
        const guard = reaperOf(bin)
        assert.isDefined(guard)
        end(bin, way)
        // Where the pipes close, the process was there a moment before.
        assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
        assert.deepStrictEqual([...below, guard].filter(isAlive), [])
      })
  )

  const killed = [
    "groups of their own",
    "groups that ignore TERM",
    "groups left behind",
    "a group with a misleading name"
  ] as const
  it.each(killed)("ends %s when the sidecar is killed", (work) =>
    atWork(work, async (bin, below) => {
      bin.child.kill("SIGKILL")
      const gone = await until(() => !below.some(isAlive), 10_000)
      assert.isDefined(gone, `still there: ${below.filter(isAlive).map(commandOf).join()}`)
    })
  )

  it.each(
    killed.flatMap((work) => (["shutdown", "end of input", "SIGTERM"] as const).map((way) => [work, way] as const))
  )("is not needed for %s at a clean end: %s", (work, way) =>
    atWork(work, async (bin, below) => {
      end(bin, way)
      assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
      assert.deepStrictEqual(below.filter(isAlive).map(commandOf), [])
    })
  )

  it("is gone with the sidecar, even if it does not go by itself", () =>
    atWork("a command", async (bin) => {
      const guard = reaperOf(bin)
      assert.isDefined(guard)
      process.kill(guard, "SIGSTOP")
      bin.child.stdin.end()
      assert.deepStrictEqual(await bin.exited, { code: 0, signal: null })
      assert.isDefined(await until(() => !isAlive(guard), 10_000))
    }))

  it("is not there before the first command", async () => {
    using dir = new StateDir({ localModels: { mode: "scripted" } })
    using bin = new Bin(dir)
    await bin.session()
    assert.isUndefined(reaperOf(bin))
    await bin.end()
  })
})
