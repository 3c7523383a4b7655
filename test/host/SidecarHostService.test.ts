import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ApprovalOption, SidecarHostService } from "../../src/host/SidecarHostService.ts"
import type { Approval, ApprovalRequest } from "../../src/host/SidecarHost.ts"
import { StateDir } from "../support/Bin.ts"
import { event, failure, Peer, response, sessionId } from "./Peer.ts"

const taken = (peer: Peer, type: Parameters<Peer["take"]>[0]) => Effect.promise(() => peer.take(type))

/** A host of the peer for as long as the test's scope; the peer obeys the `shutdown` at its end. */
const attach = <R = never>(peer: Peer, approval: ApprovalOption<R> = {}) =>
  Effect.gen(function* () {
    const layer = SidecarHostService.layerAttached({ input: peer.fromHost, output: peer.toHost, ...approval })
    const services = yield* Layer.build(layer)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        const obey = (request: Awaited<ReturnType<Peer["take"]>>) => {
          peer.respond(request, { ok: true })
          peer.end()
        }
        // A host that lost its sidecar in the test asks nothing at its end.
        void peer.take("shutdown").then(obey, () => {})
      })
    )
    return Context.get(services, SidecarHostService)
  })

const began = event("user_message", { text: "hello" })
const ended = (id: string, reason: string) => response(id, { reason, turnCount: 1, stepCount: 1 })

describe("the host as an Effect service", () => {
  it.effect("answers requests, and fails them by tag", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const host = yield* attach(peer)
      const ok = yield* Effect.forkChild(host.request("steer_message", { sessionId, text: "left" }))
      peer.respond(yield* taken(peer, "steer_message"), { steered: true })
      assert.deepStrictEqual(yield* Fiber.join(ok), { steered: true })

      const failing = yield* Effect.forkChild(
        Effect.catchTag(host.request("skill_list"), "RequestFailed", ({ code }) => Effect.succeed(code))
      )
      peer.write(failure((yield* taken(peer, "skill_list")).id, "handler_failed", "no"))
      assert.strictEqual(yield* Fiber.join(failing), "handler_failed")

      const lost = yield* Effect.forkChild(
        Effect.catchTag(host.request("ping"), "SidecarGone", () => Effect.succeed("gone"))
      )
      yield* taken(peer, "ping")
      peer.end()
      assert.strictEqual(yield* Fiber.join(lost), "gone")
      assert.deepStrictEqual(yield* host.exited, { exitCode: null, signal: null, detail: "" })
    })
  )

  it.effect("streams a turn, and has its result", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const host = yield* attach(peer)
      const turn = yield* host.send(sessionId, "hello", { maxSteps: 2 })
      const { id, payload } = yield* taken(peer, "send_message")
      assert.deepStrictEqual(payload, { sessionId, text: "hello", maxSteps: 2 })
      peer.write(began, event("assistant_delta", { text: "Hel" }), event("assistant_reply", { text: "Hello" }))
      peer.write(ended(id, "reply"))
      const pieces = yield* Stream.runCollect(turn.pieces)
      assert.strictEqual(pieces.map(({ text }) => text).join(""), "Hello")
      assert.deepStrictEqual(yield* turn.result, { reason: "reply", turnCount: 1, stepCount: 1 })
    })
  )

  it.effect("cancels a turn whose scope is closed before its end, and none that has ended", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const host = yield* attach(peer)
      const scopes = [yield* Scope.make(), yield* Scope.make()] as const
      const first = yield* Effect.provideService(host.send(sessionId, "one"), Scope.Scope, scopes[0])
      peer.write(began, ended((yield* taken(peer, "send_message")).id, "reply"))
      yield* first.result
      yield* Scope.close(scopes[0], Exit.void)

      const second = yield* Effect.provideService(host.send(sessionId, "two"), Scope.Scope, scopes[1])
      const { id } = yield* taken(peer, "send_message")
      yield* Scope.close(scopes[1], Exit.void)
      yield* taken(peer, "cancel")
      peer.write(ended(id, "cancelled"))
      assert.strictEqual((yield* second.result).reason, "cancelled")
    })
  )

  it.effect("streams events, and fails the stream when the sidecar goes", () =>
    Effect.gen(function* () {
      const peer = new Peer()
      const host = yield* attach(peer)
      const two = yield* Effect.forkChild(Stream.runCollect(Stream.take(host.events, 2)), { startImmediately: true })
      peer.write(began, event("turn_started", { turnIndex: 0 }), event("step_started", { stepIndex: 0 }))
      assert.deepStrictEqual(
        (yield* Fiber.join(two)).map(({ type }) => type),
        ["user_message", "turn_started"]
      )
      const all = yield* Effect.forkChild(Effect.flip(Stream.runDrain(host.events)), { startImmediately: true })
      peer.end()
      assert.strictEqual((yield* Fiber.join(all))._tag, "SidecarGone")
    })
  )

  it.effect(
    "asks an effect for approvals, with the services that it needs, and interrupts it when it is too late",
    () =>
      Effect.gen(function* () {
        class Person extends Context.Service<Person, { ask(request: ApprovalRequest): Effect.Effect<Approval> }>()(
          "test/Person"
        ) {}
        const peer = new Peer()
        const interrupted = yield* Deferred.make<string>()
        const person = Person.of({
          ask: ({ approvalId, reason }) =>
            approvalId === "a-1"
              ? Effect.succeed({ approved: false, reason: `not ${reason}` })
              : Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, approvalId))
        })
        yield* Effect.provideService(
          attach(peer, { onApproval: (request) => Effect.flatMap(Person, ({ ask }) => ask(request)) }),
          Person,
          person
        )
        const asks = (approvalId: string) =>
          event("approval_request", { approvalId, callId: "c-1", tool: "shell.run", reason: "now" })
        peer.write(asks("a-1"))
        assert.deepStrictEqual((yield* taken(peer, "approval_response")).payload, {
          approvalId: "a-1",
          approved: false,
          reason: "not now"
        })
        peer.write(asks("a-2"), event("turn_finished", { reason: "cancelled" }))
        assert.strictEqual(yield* Deferred.await(interrupted), "a-2")
      })
  )

  it.live("starts the sidecar of this package, and has it gone when the scope ends", () =>
    Effect.gen(function* () {
      const dir = yield* Effect.acquireRelease(
        Effect.sync(() => new StateDir({ localModels: { mode: "scripted" } })),
        (each) => Effect.sync(() => each[Symbol.dispose]())
      )
      const layer = SidecarHostService.layer({ env: { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path } })
      const host = yield* Effect.provide(
        Effect.tap(SidecarHostService, (each) =>
          Effect.map(each.request("ping"), ({ ok, stateDir }) =>
            assert.deepStrictEqual({ ok, stateDir }, { ok: true, stateDir: dir.path })
          )
        ),
        layer
      )
      assert.deepStrictEqual(yield* host.exited, { exitCode: 0, signal: null, detail: "" })
    })
  )
})
