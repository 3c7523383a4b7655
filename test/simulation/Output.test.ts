import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import { Config } from "../../src/config/Config.ts"
import { StdoutSink } from "../../src/stdio/StdoutSink.ts"
import * as MemoryStdio from "../../src/testing/MemoryStdio.ts"
import { settled } from "./support.ts"

/** A sink whose host does not read yet, with room for one line of events and two of answers. */
const unread = Effect.gen(function* () {
  const { onOutput, reading, stdio } = yield* MemoryStdio.make
  let written = ""
  onOutput((text) => {
    written += text
  })
  yield* reading.close
  const context = yield* Layer.build(
    StdoutSink.layer.pipe(
      Layer.provide([Layer.succeed(Stdio.Stdio, stdio), Config.layerOf({ sidecar: { outputBufferBytes: 20 } })])
    )
  )
  const sink = yield* StdoutSink.pipe(Effect.provide(context))
  const answer = (name: string) => sink.answer(`${JSON.stringify({ name, filling: "-".repeat(5) })}\n`)
  const log = (message: string) => sink.emit({ type: "log", payload: { level: "info", message } })
  /** The answers and log messages that have been read. */
  const read = () =>
    written
      .split("\n")
      .slice(0, -1)
      .map((line): string => {
        const { name, payload } = JSON.parse(line)
        return name ?? payload.message
      })
  return { answer, log, reading, read }
})

describe("what waits for a host that does not read", () => {
  it.effect("is let out in the order it came: nobody who answers again and again overtakes who came before", () =>
    Effect.gen(function* () {
      const { answer, read, reading } = yield* unread
      const busy = yield* Effect.forkChild(Effect.forEach(["a", "b", "c", "d", "e", "f", "g", "h"], answer))
      yield* settled
      const patient = yield* Effect.forkChild(answer("patient"))
      yield* settled
      yield* reading.open
      yield* Fiber.joinAll([busy, patient] as ReadonlyArray<Fiber.Fiber<unknown>>)
      yield* settled
      const order = read()
      assert.sameMembers(order, ["a", "b", "c", "d", "e", "f", "g", "h", "patient"])
      assert.isBelow(order.indexOf("patient"), 5, order.join())
    })
  )

  it.effect("leaves nothing behind of a fiber that was interrupted while it waited", () =>
    Effect.gen(function* () {
      const { answer, log, read, reading } = yield* unread
      for (const name of ["a", "b"]) yield* answer(name)
      const gone = yield* Effect.forkChild(log("gone"))
      const stays = yield* Effect.forkChild(log("stays"))
      yield* settled
      yield* Fiber.interrupt(gone)
      yield* reading.open
      yield* Fiber.join(stays)
      yield* settled
      assert.deepStrictEqual(read(), ["a", "b", "stays"])
    })
  )
})
