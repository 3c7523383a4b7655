import { createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { Config } from "../../../src/config/Config.ts"
import type { Overrides } from "../../../src/config/Settings.ts"
import { LlamaClient } from "../../../src/llama/LlamaClient.ts"
import { ManagedServer } from "../../../src/llama/managed/ManagedServer.ts"
import * as ManagedModel from "../../../src/llama/managed/ManagedModel.ts"
import type { EmittedEvent } from "../../../src/protocol/Event.ts"
import { ExitDeadline } from "../../../src/process/ExitDeadline.ts"
import { serverOutput } from "../../../src/Sidecar.ts"
import { StdoutSink } from "../../../src/stdio/StdoutSink.ts"
import { textOf } from "../support/captures.ts"
import { advanceUntil, outcome, question } from "../support/client.ts"
import { FakeServer, type Play } from "../support/FakeServer.ts"
import { awaited } from "../../support/Patience.ts"

const fake = (play: Play = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => FakeServer.make(play)),
    (server) => Effect.sync(() => server[Symbol.dispose]())
  )

/** What a managed server stands on, the events that it tells, and the time that the process has left. */
const ground = (server: FakeServer, settings: Overrides = {}) => {
  const events: Array<EmittedEvent> = []
  const left = { ms: Infinity }
  const emitAll = (more: ReadonlyArray<EmittedEvent>) => Effect.sync(() => void events.push(...more))
  const layer = Layer.mergeAll(
    Config.layerOf({
      ...settings,
      // Virtual time runs far ahead of a real process that starts: no limit may be within its reach unless a test says so.
      llama: { requestTimeoutMs: 2 ** 31 - 1, ...settings.llama },
      localModels: {
        mode: "managed",
        ...settings.localModels,
        managed: { ...server.managed, ...settings.localModels?.managed }
      }
    }),
    Layer.provide(
      serverOutput,
      Layer.mock(StdoutSink)({ emitAll, post: () => {}, grant: () => {}, isGranted: () => false })
    ),
    Logger.layer([]),
    Layer.succeed(ExitDeadline, { remainingMs: Effect.sync(() => left.ms) })
  )
  return { events, left, layer }
}

const serverOn = (layer: ReturnType<typeof ground>["layer"]) =>
  Effect.map(Layer.build(Layer.provide(ManagedServer.layer, layer)), (context) => Context.get(context, ManagedServer))

const clientOn = (layer: ReturnType<typeof ground>["layer"]) =>
  Effect.map(Layer.build(Layer.provide(ManagedModel.layer, layer)), (context) => Context.get(context, LlamaClient))

/** Lets time pass until it is there. */
const passing = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect)
    yield* advanceUntil(fiber)
    return yield* Fiber.join(fiber)
  })

const lossOf = ({ losses }: ManagedServer["Service"]) => awaited("the loss of the server", Queue.take(losses))

const noted = <T extends Parameters<FakeServer["until"]>[0]>(server: FakeServer, tag: T, count = 1) =>
  Effect.promise(() => server.until(tag, count))

describe.concurrent("a managed server", () => {
  it.effect("is started when it is wanted, in a group of its own, with nothing of ours but the environment", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const managed = yield* serverOn(ground(server).layer)
      assert.deepStrictEqual(server.notes, [])
      yield* managed.start
      yield* passing(managed.listening)
      const started = yield* noted(server, "Started")
      const { port } = server
      assert.strictEqual(
        started.args.join(" "),
        `--host 127.0.0.1 --port ${port} --model /models/tiny.gguf --ctx-size 4096 -ngl 9`
      )
      assert.deepInclude(started, { stdin: "/dev/null", stdout: "/dev/null", secrets: [] })
      yield* managed.start
      assert.lengthOf(server.noted("Started"), 1)
    })
  )

  it.effect("ends with its scope, at once where it hears TERM", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const managed = yield* serverOn(ground(server).layer)
          yield* managed.start
          yield* passing(managed.listening)
        })
      )
      assert.isFalse(yield* Effect.promise(() => server.accepts()))
      assert.deepStrictEqual(
        server.noted("Heard").map(({ signal }) => signal),
        ["SIGTERM"]
      )
    })
  )

  const deaf = [
    ["three seconds after the first TERM where nothing hurries", Infinity, 3000],
    ["in time for the process to end in three seconds", 3000, 1800],
    ["soon where there is hardly any time left", 500, 200]
  ] as const
  for (const [when, leftMs, patience] of deaf) {
    it.effect(`that is deaf gets another TERM and KILL, ${when}`, () =>
      Effect.gen(function* () {
        const server = yield* fake({ isDeaf: true })
        const { layer, left } = ground(server)
        const ready = yield* Latch.make()
        const end = yield* Latch.make()
        const life = yield* Effect.forkChild(
          Effect.scoped(
            Effect.gen(function* () {
              const managed = yield* serverOn(layer)
              yield* managed.start
              yield* managed.listening
              yield* ready.open
              yield* end.await
            })
          )
        )
        yield* passing(ready.await)
        left.ms = leftMs
        yield* end.open
        yield* noted(server, "Heard")
        yield* TestClock.adjust(patience - 1)
        assert.lengthOf(server.noted("Heard"), 1)
        yield* TestClock.adjust(1)
        yield* noted(server, "Heard", 2)
        assert.isTrue(yield* Effect.promise(() => server.accepts()))
        yield* TestClock.adjust(250)
        yield* Fiber.join(life)
        assert.isFalse(yield* Effect.promise(() => server.accepts()))
        assert.lengthOf(server.noted("Heard"), 2)
      })
    )
  }

  it.effect("that does not start is started again three times, then it is lost with its last words", () =>
    Effect.gen(function* () {
      const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
      const server = yield* fake({ failures: 4, writes: `${lines.join("\n")}\nerror: no such model` })
      const managed = yield* serverOn(ground(server).layer)
      yield* managed.start
      const { error, hint } = yield* passing(lossOf(managed))
      assert.lengthOf(server.noted("Started"), 4)
      assert.deepStrictEqual(error.split("\n"), [
        "llama-server ended with exit code 1; its last words:",
        ...lines.slice(-19),
        "error: no such model"
      ])
      assert.include(hint, "localModels.managed")
      assert.strictEqual((yield* Effect.flip(managed.listening)).message, error)
    })
  )

  it.effect("that was lost gets one more chance each time that somebody wants it", () =>
    Effect.gen(function* () {
      const server = yield* fake({ failures: 5 })
      const managed = yield* serverOn(ground(server).layer)
      for (const starts of [4, 5]) {
        yield* managed.start
        yield* passing(lossOf(managed))
        assert.lengthOf(server.noted("Started"), starts)
      }
      yield* managed.start
      yield* passing(managed.listening)
    })
  )

  it.effect("that dies is started again", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const managed = yield* serverOn(ground(server).layer)
      yield* managed.start
      yield* passing(managed.listening)
      server.kill()
      assert.include(yield* passing(managed.gone), "was ended by SIGKILL")
      yield* passing(managed.listening)
      assert.lengthOf(server.noted("Started"), 2)
    })
  )

  it.effect("whose program is not there is lost at once, and the PATH is told", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const managed = yield* serverOn(
        ground(server, { localModels: { managed: { command: "no-such-llama-server" } } }).layer
      )
      yield* managed.start
      const { error, hint } = yield* lossOf(managed)
      assert.include(error, "no program no-such-llama-server on the PATH (")
      assert.include(error, "/usr/bin")
      assert.include(hint, "localModels.managed.command")
    })
  )

  it.effect("whose program must not be run is lost at once", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const managed = yield* serverOn(ground(server, { localModels: { managed: { command: server.dir } } }).layer)
      yield* managed.start
      const { error } = yield* lossOf(managed)
      assert.include(error, "cannot be run")
      assert.include(error, "EACCES")
    })
  )

  it.effect("whose port is another's is not started beside it", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const other = createServer((socket) => socket.on("error", () => {}).end("SSH-2.0\r\n"))
      yield* Effect.promise(() => new Promise<void>((resolve) => other.listen(server.port, "127.0.0.1", resolve)))
      yield* Effect.addFinalizer(() => Effect.sync(() => other.close()))
      const managed = yield* serverOn(ground(server).layer)
      yield* managed.start
      const { error, hint } = yield* passing(lossOf(managed))
      assert.strictEqual(error, `port ${server.port} of 127.0.0.1 is in use by another program`)
      assert.include(hint, "localModels.managed.port")
      assert.deepStrictEqual(server.notes, [])
    })
  )

  it.live("whose port another model server has says so", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const first = yield* serverOn(ground(server).layer)
      yield* first.start
      yield* first.listening
      const second = yield* serverOn(ground(server).layer)
      yield* second.start
      const { error } = yield* lossOf(second)
      assert.include(error, "in use by another model server (fake.gguf)")
      assert.lengthOf(server.noted("Started"), 1)
    })
  )
})

describe.concurrent("what a managed server writes", () => {
  const logs = (events: ReadonlyArray<EmittedEvent>) =>
    events.flatMap((event) => (event.type === "log" ? [event.payload.message] : []))

  it.effect("is told line by line at level debug", () =>
    Effect.gen(function* () {
      const server = yield* fake({ writes: "load: é 🚀\r\nload: done\n" })
      const { events, layer } = ground(server, { log: { level: "debug" } })
      const managed = yield* serverOn(layer)
      yield* managed.start
      yield* passing(managed.listening)
      assert.deepStrictEqual(logs(events), ["load: é 🚀", "load: done"])
      assert.deepStrictEqual(events[0]?.payload, {
        level: "debug",
        message: "load: é 🚀",
        context: { source: "llama-server" }
      })
    })
  )

  it.effect("is not told at other levels", () =>
    Effect.gen(function* () {
      const server = yield* fake({ writes: "load: done\n" })
      const { events, layer } = ground(server)
      const managed = yield* serverOn(layer)
      yield* managed.start
      yield* passing(managed.listening)
      assert.deepStrictEqual(events, [])
    })
  )
})

describe.concurrent("a call of the model in a managed server", () => {
  it.live("waits while it starts and loads, and tells that it does, once", () =>
    Effect.gen(function* () {
      const server = yield* fake({ isGated: true })
      const client = yield* clientOn(ground(server).layer)
      const call = yield* Effect.forkChild(outcome(client.stream(question())))
      yield* noted(server, "Started")
      assert.deepInclude(yield* client.probe, { state: "loading", url: `http://127.0.0.1:${server.port}` })
      server.load()
      const { events, failure } = yield* Fiber.join(call)
      assert.isUndefined(failure)
      assert.strictEqual(textOf(events), "Hello.")
      assert.lengthOf(
        events.filter(({ _tag }) => _tag === "Loading"),
        1
      )
      assert.deepInclude(yield* client.probe, { state: "ready", model: "fake.gguf", contextTokens: 4096 })
    })
  )

  it.live("is made again of the next one if the server died before it answered", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const client = yield* clientOn(ground(server).layer)
      const { events, failure } = yield* outcome(client.stream(question("die once")))
      assert.isUndefined(failure)
      assert.strictEqual(textOf(events), "Hello.")
      assert.lengthOf(server.noted("Started"), 2)
    })
  )

  it.live("that kills it each time is given up in the end", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const client = yield* clientOn(ground(server).layer)
      const { failure } = yield* outcome(client.stream(question("die")))
      assert.strictEqual(failure?._tag, "Unreachable")
      assert.include(failure?.detail, "llama-server was ended by SIGKILL")
      assert.lengthOf(server.noted("Asked"), 3)
    })
  )

  it.live("is sent three times in all, however slowly the client below it tries again", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      // Long enough that the server is there anew when the client's own next attempt would be made.
      const client = yield* clientOn(ground(server, { llama: { retryBackoffMs: 2000 } }).layer)
      const { failure } = yield* outcome(client.stream(question("die")))
      assert.strictEqual(failure?._tag, "Unreachable")
      assert.include(failure?.detail, "llama-server was ended by SIGKILL")
      assert.lengthOf(server.noted("Asked"), 3)
    })
  )

  it.live("that it dies of in mid-stream fails with its last words", () =>
    Effect.gen(function* () {
      const server = yield* fake({ writes: "GGML_ASSERT failed\n" })
      const client = yield* clientOn(ground(server).layer)
      const { events, failure } = yield* outcome(client.stream(question("begin and die")))
      assert.strictEqual(textOf(events), "well")
      assert.strictEqual(failure?._tag, "Cut")
      assert.match(failure?.detail ?? "", /llama-server was ended by SIGKILL; its last words:\nGGML_ASSERT failed$/)
    })
  )

  it.live("fails with the last words of one that was given up", () =>
    Effect.gen(function* () {
      const server = yield* fake({ failures: 9, writes: "out of memory\n" })
      const client = yield* clientOn(ground(server).layer)
      const { failure } = yield* outcome(client.stream(question()))
      assert.strictEqual(failure?._tag, "Unreachable")
      assert.strictEqual(failure?.detail, "llama-server ended with exit code 1; its last words:\nout of memory")
      assert.deepInclude(yield* client.probe, { state: "unreachable", detail: failure?.detail ?? "" })
    })
  )

  it.effect("that was cut off is given a moment to be noticed before its server hears TERM", () =>
    Effect.gen(function* () {
      const server = yield* fake()
      const scope = yield* Scope.make()
      const client = yield* Scope.provide(clientOn(ground(server).layer), scope)
      const call = yield* Effect.forkChild(outcome(client.stream(question("hang"))))
      yield* passing(noted(server, "Asked"))
      yield* Fiber.interrupt(call)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(99)
      yield* noted(server, "Left")
      assert.lengthOf(server.noted("Heard"), 0)
      yield* TestClock.adjust(1)
      yield* Fiber.join(closing)
      assert.lengthOf(server.noted("Heard"), 1)
    })
  )

  it.effect("fails when it does not begin to listen within the request's limit", () =>
    Effect.gen(function* () {
      const server = yield* fake({ isMute: true })
      const client = yield* clientOn(ground(server, { llama: { requestTimeoutMs: 5000 } }).layer)
      const { failure } = yield* passing(outcome(client.stream(question())))
      assert.strictEqual(failure?._tag, "Loading")
    })
  )
})
