import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import * as GatedModel from "../../src/testing/GatedModel.ts"
import { type Setup, stage } from "../support/Sidecar.ts"

const config = { stateDir: "/nonexistent/state", agent: { approvalLevel: 4 as const } }

const running = (command: string, setup: Setup = { config }, extensions = ["tool_output"]) =>
  Effect.gen(function* () {
    const on = yield* stage(setup)
    yield* on.host.request("hello", { extensions })
    const sessionId = yield* on.session
    const sent = yield* Effect.forkChild(on.send(sessionId, "go"))
    ;(yield* on.model.next).finish([GatedModel.toolCall("shell.run", { command })])
    return { ...on, sent, sessionId }
  })

const printed = (frames: ReadonlyArray<SidecarFrame>) =>
  frames.flatMap((frame) => (frame.kind === "event" && frame.type === "tool_output" ? [frame.payload.text] : []))

const ended = ({ model, sent }: { readonly model: GatedModel.GatedModel; readonly sent: Fiber.Fiber<unknown> }) =>
  Effect.gen(function* () {
    ;(yield* model.next).answer("done")
    yield* Fiber.join(sent)
  })

describe.runIf(process.platform !== "win32")("contract 9, tool_output", () => {
  it.live("tells what a command prints while it runs, of both streams", () =>
    Effect.gen(function* () {
      const on = yield* running(
        "echo one; echo two >&2; while [ ! -e /nonexistent/x ]; do read -r x || break; done; echo three"
      )
      yield* ended(on)
      const text = printed(on.host.frames).join("")
      assert.sameMembers(text.trim().split("\n"), ["one", "two", "three"])
    })
  )

  it.live("comes before the end of the command", () =>
    Effect.gen(function* () {
      const on = yield* running("echo started; sleep 600")
      yield* on.host.event("tool_output", ({ payload }) => payload.text === "started\n")
      yield* on.host.request("cancel", { sessionId: on.sessionId })
      assert.deepInclude(yield* Fiber.join(on.sent), { reason: "cancelled" })
    })
  )

  it.live("shows the beginning of a line that waits", () =>
    Effect.gen(function* () {
      const on = yield* running("printf 'Proceed? '; sleep 600")
      yield* on.host.event("tool_output", ({ payload }) => payload.text === "Proceed? ")
      yield* on.host.request("cancel", { sessionId: on.sessionId })
      yield* Fiber.join(on.sent)
    })
  )

  it.live("holds whole characters, however they are cut", () =>
    Effect.gen(function* () {
      const on = yield* running("printf '\\360\\237'; sleep 0.3; printf '\\230\\200\\n'")
      yield* ended(on)
      assert.strictEqual(printed(on.host.frames).join(""), "\u{1f600}\n")
    })
  )

  it.live("is at most 1 MiB a call", () =>
    Effect.gen(function* () {
      const on = yield* running("yes 0123456789 | head -c 3000000")
      yield* ended(on)
      assert.strictEqual(Buffer.byteLength(printed(on.host.frames).join("")), 1024 * 1024)
    })
  )

  it.live("has no secret in it", () =>
    Effect.gen(function* () {
      const key = "sk-0123456789abcdefghij"
      const secret = { ...config, llama: { apiKey: Redacted.make(key) } }
      const on = yield* running("echo sk-0123456789; echo abcdefghij; printf sk-012345; printf '6789abcdefghij\\n'", {
        config: secret
      })
      yield* ended(on)
      const text = printed(on.host.frames).join("")
      for (let at = 0; at + 8 <= key.length; at++) assert.notInclude(text, key.slice(at, at + 8))
    })
  )

  it.live("is not told without the extension", () =>
    Effect.gen(function* () {
      const on = yield* running("echo one", { config }, [])
      yield* ended(on)
      assert.deepStrictEqual(printed(on.host.frames), [])
    })
  )
})
