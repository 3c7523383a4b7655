import { once } from "node:events"
import * as Path from "node:path"
import { PassThrough } from "node:stream"
import { assert, describe, it } from "@effect/vitest"
import { RequestFailed, SidecarGone, SidecarHost, type SpawnOptions } from "../../src/host/SidecarHost.ts"
import { drain, rejection } from "./Peer.ts"

const fixture = Path.join(import.meta.dirname, "fixtures/Child.ts")
const child = (mode: string, options: SpawnOptions = {}) =>
  SidecarHost.spawn({ command: process.execPath, args: [fixture, mode], ...options })

const outcome = (promise: Promise<unknown>) =>
  rejection(promise).then(({ _tag, exitCode, signal }) => [_tag, exitCode, signal])

describe("a child that dies", () => {
  it("takes every call, turn and iterator along, each with how it ended", async () => {
    const host = child("dies when asked")
    const events = drain(host.events())
    const turn = host.send("s-1", "hello")
    const calls = [host.request("ping"), host.request("get_session", { sessionId: "s-1" }), turn.result]
    const dead = ["SidecarGone", 3, null]
    assert.deepStrictEqual(await Promise.all(calls.map(outcome)), [dead, dead, dead])
    assert.instanceOf((await events).error, SidecarGone)
    assert.instanceOf((await drain(turn)).error, SidecarGone)
    assert.deepStrictEqual(await host.exited, { exitCode: 3, signal: null, detail: "" })
    assert.strictEqual((await rejection(host.request("ping"))).message, "the sidecar is gone (exit 3)")
  })

  it("between two requests harms nobody: what is written to it fails typed, and shutting it down is done", async () => {
    const host = child("stays")
    await host.request("ping")
    process.kill(host.pid!, "SIGKILL")
    const big = "x".repeat(64 * 1024)
    const calls = Array.from({ length: 50 }, () => host.request("steer_message", { sessionId: "s-1", text: big }))
    const dead = ["SidecarGone", null, "SIGKILL"]
    assert.deepStrictEqual(
      await Promise.all(calls.map(outcome)),
      calls.map(() => dead)
    )
    assert.strictEqual((await rejection(host.request("ping"))).message, "the sidecar is gone (SIGKILL)")
    assert.deepStrictEqual(await host.shutdown(), { exitCode: null, signal: "SIGKILL", detail: "" })
  })

  it("that could not even be started is gone like any other", async () => {
    const host = SidecarHost.spawn({ command: "/no/such/sidecar" })
    const error = await rejection(host.request("ping"))
    assert.instanceOf(error, SidecarGone)
    assert.strictEqual(error.message, "the sidecar is gone: spawn /no/such/sidecar ENOENT")
    assert.deepInclude(await host.exited, { exitCode: null, signal: null })
    assert.isUndefined(host.pid)
  })

  it.each([
    ["below a file", Path.join(fixture, "sidecar"), [], "ENOTDIR"],
    ["by a name that is too long", "x".repeat(5000), [], "ENAMETOOLONG"],
    ["with more arguments than there is room for", process.execPath, ["x".repeat(5_000_000)], "E2BIG"]
  ])("that could not be started %s is gone too, and throws nothing", async (_, command, args, code) => {
    const host = SidecarHost.spawn({ command, args })
    const error = await rejection(host.request("ping"))
    assert.instanceOf(error, SidecarGone)
    assert.include(error.message, code)
    assert.deepStrictEqual(await outcome(host.send("s-1", "hello").result), ["SidecarGone", null, null])
    assert.deepInclude(await host.shutdown(), { exitCode: null, signal: null })
  })

  it("that was to start in a folder which is not there says which", async () => {
    const host = SidecarHost.spawn({ command: process.execPath, cwd: "/no/such/folder" })
    assert.include((await rejection(host.request("ping"))).message, "/no/such/folder")
  })

  it("reports the end of its stderr, cut to 4096 characters", async () => {
    const stderr: Array<string> = []
    const host = child("has last words", { onStderr: (text) => stderr.push(text) })
    const { detail, exitCode } = await host.exited
    assert.strictEqual(exitCode, 5)
    assert.match(detail, /^é+no such model$/)
    assert.isAtMost(detail.length, 4096)
    assert.lengthOf(stderr.join(""), 10_014)
  })

  it("is gone though a child of its own holds its output", async () => {
    const host = child("leaves its output to another")
    const events = drain(host.events())
    const error = await rejection(host.request("ping"))
    process.kill(-host.pid!, "SIGKILL")
    assert.deepInclude(error, { exitCode: 4, signal: null })
    assert.strictEqual((await events).items.length, 1)
  })

  it("is made to go when its output has ended and it lives on", async () => {
    const host = child("closes its output")
    assert.deepStrictEqual(await outcome(host.request("ping")), ["SidecarGone", null, "SIGKILL"])
  })
})

describe("a child that lives", () => {
  it("may write as much as it likes to stderr", async () => {
    const host = child("fills stderr")
    assert.deepStrictEqual(await host.request("ping"), { ok: true } as never)
    await host.shutdown({ withinMs: 900 })
  })

  it("leads a process group of its own, which a Ctrl-C in the host's terminal does not reach", async () => {
    const host = child("stays")
    await host.request("ping")
    assert.doesNotThrow(() => process.kill(-host.pid!, 0))
    process.kill(-host.pid!, "SIGKILL")
    assert.deepInclude(await host.exited, { signal: "SIGKILL" })
  })

  it("that does not read takes no more than so much", async () => {
    const host = child("reads nothing")
    const text = "x".repeat(20 * 1024 * 1024)
    const calls = Array.from({ length: 5 }, () => host.request("steer_message", { sessionId: "s-1", text }))
    assert.instanceOf(await rejection(calls.at(-1)!), RequestFailed)
    const ready = host.ready()
    process.kill(host.pid!, "SIGKILL")
    await ready
    assert.instanceOf(await rejection(calls[0]!), SidecarGone)
  })
})

describe("shutting down", () => {
  const steps: ReadonlyArray<
    [mode: string, reached: ReadonlyArray<string>, exit: readonly [number | null, string | null]]
  > = [
    ["leaves on shutdown", ["shutdown"], [0, null]],
    ["leaves on end of input", ["shutdown", "end of input"], [0, null]],
    ["leaves on SIGTERM", ["shutdown", "end of input", "SIGTERM"], [7, null]],
    ["stays", ["shutdown", "end of input", "SIGTERM"], [null, "SIGKILL"]]
  ]

  it("asks, ends the input, terminates and kills, and stops where it helped", async () => {
    const shutdowns = steps.map(async ([mode, reached, exit]) => {
      const words: Array<string> = []
      const host = child(mode, { onStderr: (text) => words.push(...text.trim().split("\n")) })
      await host.request("ping")
      const { exitCode, signal } = await host.shutdown({ withinMs: 3000 })
      assert.deepStrictEqual({ mode, words, exit: [exitCode, signal] }, { mode, words: [...reached], exit: [...exit] })
    })
    await Promise.all(shutdowns)
  })

  it("happens once, however often it is asked for, and at the end of a block too", async () => {
    let shutdowns = 0
    let exited
    {
      await using host = child("leaves on shutdown", { onStderr: () => shutdowns++ })
      await host.request("ping")
      exited = host.exited
      void host.shutdown()
      void host.shutdown()
    }
    assert.deepInclude(await exited, { exitCode: 0 })
    assert.strictEqual(shutdowns, 1)
  })

  it("ends two streams that nobody answers on, and then gives them up", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const host = SidecarHost.attach({ input: input.resume(), output })
    const waiting = rejection(host.request("ping"))
    const ended = once(input, "end")
    const exit = host.shutdown({ withinMs: 300 })
    await ended
    assert.deepStrictEqual(await exit, { exitCode: null, signal: null, detail: "" })
    assert.instanceOf(await waiting, SidecarGone)
    assert.isTrue(input.destroyed && output.destroyed)
  })

  it("tells what broke a stream", async () => {
    const output = new PassThrough()
    const host = SidecarHost.attach({ input: new PassThrough(), output })
    output.destroy(new Error("connection reset"))
    assert.strictEqual((await rejection(host.request("ping"))).message, "the sidecar is gone: connection reset")
  })

  it("knows streams that are over before it begins", async () => {
    const output = new PassThrough()
    output.destroy()
    await once(output, "close")
    const host = SidecarHost.attach({ input: new PassThrough(), output })
    assert.instanceOf(await rejection(host.request("ping")), SidecarGone)
  })
})
