import { Buffer } from "node:buffer"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { TestClock } from "effect/testing"
import * as Tool from "../../src/tools/Tool.ts"
import { call, plan, settings, toolbox, toolsIn } from "./fixture.ts"
import { Refused } from "../../src/files/Refused.ts"

const failure = (detail: string) => new Refused({ detail })

const tool = (run: Effect.Effect<Tool.ToolOutput, Refused>, more: Partial<Tool.Tool> = {}): Tool.Tool =>
  Tool.make({
    name: "test.tool",
    description: "",
    parameters: Schema.Struct({ n: Schema.Int, note: Schema.optionalKey(Schema.String) }),
    reads: false,
    plan: () => Effect.succeed({ run }),
    ...more
  })

describe("the toolbox", () => {
  it.effect("answers a call of an unknown tool with the names of the known ones", () =>
    Effect.gen(function* () {
      const planned = yield* plan("fs.destroy", {}, "/")
      assert.strictEqual(planned._tag, "Refused")
      const { summary } = yield* call("fs.destroy", {}, "/")
      assert.include(summary, "fs.destroy")
      assert.include(summary, "fs_read")
      const near = yield* call("read_file", {}, "/")
      assert.match(near.summary, /^There is no tool "read_file"\. The nearest names are: fs_read, /)
    }).pipe(Effect.provide(toolbox()))
  )

  it.effect("tells the model where its arguments do not fit, and what was expected", () =>
    Effect.gen(function* () {
      const { status, summary } = yield* call("fs.list", { path: "x", depth: 9 }, "/")
      assert.strictEqual(status, "error")
      assert.include(summary, "depth: expected 1, 2 or 3")
      assert.include(summary, `"path": string`)
      assert.include(summary, `"depth"?: integer`)
    }).pipe(Effect.provide(toolbox()))
  )

  it.effect("says so when the arguments were no JSON object at all", () =>
    Effect.gen(function* () {
      const { status, summary } = yield* call("fs.read", { _tag: "Unusable", raw: "{", why: "unexpected end" }, "/")
      assert.strictEqual(status, "error")
      assert.include(summary, "unexpected end")
      assert.include(summary, `"path": string`)
    }).pipe(Effect.provide(toolbox()))
  )

  it.effect("keeps secrets out of a defect too, whose words are told", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(call("test.tool", { n: 1 }, "/"))
      const told = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
      assert.include(told, "it was <secret>")
      assert.notInclude(told, "01234567")
    }).pipe(
      Effect.provide(
        toolbox({ llama: { ...settings.llama, apiKey: Redacted.make("sk-planted-0123456789") } }, [
          tool(Effect.die(new Error("it was planted-01234567", { cause: new Error("of sk-planted-0123456789") })))
        ])
      )
    )
  )

  it.effect("takes null for an argument that is left out", () =>
    Effect.gen(function* () {
      const { status } = yield* call("test.tool", { n: 1, note: null }, "/")
      assert.strictEqual(status, "ok")
      const wrong = yield* call("test.tool", { n: null }, "/")
      assert.include(wrong.summary, "n: expected")
    }).pipe(Effect.provide(toolbox({}, [tool(Effect.succeed({ text: "done" }))])))
  )

  it.effect("makes a result of a tool that fails, when it is planned or when it is run", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* call("test.tool", { n: 1 }, "/"), {
        status: "error",
        summary: "no luck",
        truncated: false
      })
      assert.deepStrictEqual(yield* plan("test.plan", { n: 1 }, "/"), { _tag: "Refused", why: "no plan" })
    }).pipe(
      Effect.provide(
        toolbox({}, [
          tool(Effect.fail(failure("no luck"))),
          tool(Effect.never, { name: "test.plan", plan: () => Effect.fail(failure("no plan")) })
        ])
      )
    )
  )

  it.effect("lets a defect pass: the session makes a failed turn of it", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(call("test.tool", { n: 1 }, "/"))
      assert.isTrue(Exit.hasDies(exit))
    }).pipe(Effect.provide(toolbox({}, [tool(Effect.die(new Error("bug")))])))
  )

  /** Never ends by itself; says when it has begun, and when it was interrupted. */
  const gated = Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const interrupted = yield* Deferred.make<void>()
    const run = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
    )
    return { run, begun: Deferred.await(begun), interrupted: Deferred.await(interrupted) }
  })

  it.effect("ends a tool after agent.toolTimeoutMs, interrupting it", () =>
    Effect.gen(function* () {
      const { begun, interrupted, run } = yield* gated
      const layer = toolbox({ agent: { ...settings.agent, toolTimeoutMs: 5000 } }, [tool(run)])
      const fiber = yield* Effect.forkChild(call("test.tool", { n: 1 }, "/").pipe(Effect.provide(layer)))
      yield* begun
      yield* TestClock.adjust(4999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const result = yield* Fiber.join(fiber)
      assert.strictEqual(result.status, "error")
      assert.include(result.summary, "5000 ms")
      yield* interrupted
    })
  )

  it.effect("gives a tool the limit that it names, or none", () =>
    Effect.gen(function* () {
      const own = yield* gated
      const none = yield* gated
      const tools = [
        tool(own.run, { name: "test.own", timeoutMs: 100 }),
        tool(none.run, { name: "test.none", timeoutMs: null })
      ]
      const calling = (name: string) =>
        Effect.forkChild(call(name, { n: 1 }, "/").pipe(Effect.provide(toolbox({}, tools))))
      const limited = yield* calling("test.own")
      const unlimited = yield* calling("test.none")
      yield* Effect.all([own.begun, none.begun])
      yield* TestClock.adjust(100)
      assert.include((yield* Fiber.join(limited)).summary, "timed out after 100 ms")
      yield* TestClock.adjust("1 day")
      assert.isUndefined(unlimited.pollUnsafe())
      yield* Fiber.interrupt(unlimited)
      yield* none.interrupted
    })
  )

  it.effect("lets an embedder's tool take the place of a built-in one", () =>
    Effect.gen(function* () {
      const { summary } = yield* call("fs.read", { n: 1 }, "/")
      assert.strictEqual(summary, "mine")
      const { specs } = yield* toolsIn("/")
      assert.strictEqual(specs.filter(({ name }) => name === "fs.read").length, 1)
    }).pipe(Effect.provide(toolbox({}, [tool(Effect.succeed({ text: "mine" }), { name: "fs.read" })])))
  )

  it.effect("describes its tools in less than 4 KiB, each with an object for its parameters", () =>
    Effect.gen(function* () {
      const { specs } = yield* toolsIn("/")
      const sent = specs.map((spec) => ({ type: "function", function: { ...spec, name: spec.name.replace(".", "_") } }))
      assert.isBelow(Buffer.byteLength(JSON.stringify(sent)), 4096)
      for (const { description, parameters } of specs) {
        assert.strictEqual(parameters["type"], "object")
        // It has never seen the names with a dot.
        assert.notMatch(JSON.stringify([description, parameters]), /\b(fs|shell|http|skill)\.[a-z]/)
      }
      const read = specs.find(({ name }) => name === "fs.read")?.parameters
      assert.deepStrictEqual(read, {
        type: "object",
        properties: { path: { type: "string" }, offset: { type: "integer" }, limit: { type: "integer", minimum: 1 } },
        required: ["path"]
      })
    }).pipe(Effect.provide(toolbox()))
  )

  it.effect("runs reading tools side by side, others not", () =>
    Effect.gen(function* () {
      const { reads } = yield* toolsIn("/")
      assert.isTrue(["fs.list", "fs.read", "fs.glob", "fs.grep", "attach", "unknown"].every(reads))
      assert.isFalse(reads("finish"))
    }).pipe(Effect.provide(toolbox()))
  )

  it.effect("gives the summary of finish back as it is", () =>
    Effect.gen(function* () {
      const result = yield* call("finish", { summary: "All  done.\n" }, "/")
      assert.deepStrictEqual(result, { status: "ok", summary: "All  done.\n", truncated: false })
    }).pipe(Effect.provide(toolbox()))
  )
})
