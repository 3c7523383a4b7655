import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import { Config } from "../../src/config/Config.ts"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { PingResult } from "../../src/protocol/Request.ts"
import { now, type SessionHandlers } from "../../src/router/Handler.ts"
import { type Handlers, RequestRouter } from "../../src/router/RequestRouter.ts"
import { StdinDecoder } from "../../src/stdio/StdinDecoder.ts"
import { StdoutSink } from "../../src/stdio/StdoutSink.ts"
import * as MemoryStdio from "../../src/testing/MemoryStdio.ts"
import { check } from "../../src/testing/ContractChecker.ts"

type Tag = "Now" | "Later" | "Handed"

const ping = now(() => Effect.succeed<PingResult>({ ok: true } as PingResult))

/** Every handler goes wrong in one way, but for `ping`. */
const handlers = (tag: Tag, run: () => Effect.Effect<never>): Handlers => ({
  early: { ping, hello: now(() => run()) },
  idle: {},
  sessions: Effect.succeed(new Proxy({} as SessionHandlers, { get: () => ({ _tag: tag, run: () => run() }) }))
})

const wrong: { readonly [name: string]: () => Effect.Effect<never> } = {
  throws: () => {
    throw new TypeError("a bug in a handler")
  },
  "throws what is no error": () => {
    throw Object.create(null)
  },
  dies: () => Effect.die(new TypeError("a bug in a handler")),
  "interrupts itself": () => Effect.interrupt
}

const requests = ["cancel", "ping", "cancel", "ping"].map((type, index) => ({ id: `r${index}`, type }))

describe("the router", () => {
  const answersOnce = (served: Handlers) =>
    Effect.gen(function* () {
      const stdio = yield* MemoryStdio.make
      let output = ""
      stdio.onOutput((text) => {
        output += text
      })
      const fiber = yield* Effect.gen(function* () {
        const router = yield* RequestRouter
        const { last, settled } = yield* router.serve(served, Effect.never)
        yield* settled
        return last
      }).pipe(
        Effect.scoped,
        Effect.provide(
          RequestRouter.layer.pipe(
            Layer.provide(StdinDecoder.layer),
            Layer.provideMerge(StdoutSink.layer),
            Layer.provide([Config.layerOf({}), Layer.succeed(Stdio.Stdio, stdio.stdio)])
          )
        ),
        Effect.forkChild
      )
      for (const { id, type } of requests) {
        stdio.write(`${JSON.stringify({ kind: "request", id, type, payload: { sessionId: "s-1" } })}\n`)
      }
      yield* stdio.end
      assert.deepStrictEqual(yield* Fiber.join(fiber), { _tag: "EndOfInput" })
      const frames = output
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as SidecarFrame)
      assert.deepStrictEqual(check(frames, { requests, ended: true }), [])
      const answers = frames.flatMap((frame) =>
        frame.kind === "response" ? [`${frame.correlationId} ${frame.ok}`] : []
      )
      assert.sameMembers(answers, ["r0 false", "r1 true", "r2 false", "r3 true"])
    })

  for (const tag of ["Now", "Later", "Handed"] as const) {
    it.effect.each(Object.keys(wrong))(
      `answers each request once, and reads on, where a handler that is served ${tag.toLowerCase()} %s`,
      (name) => answersOnce(handlers(tag, wrong[name]!))
    )
  }

  it.effect("answers each request once, and reads on, where what serves sessions cannot be had", () =>
    answersOnce({
      ...handlers("Now", () => Effect.never),
      idle: {},
      sessions: Effect.die(new Error("it cannot be loaded"))
    })
  )
})
