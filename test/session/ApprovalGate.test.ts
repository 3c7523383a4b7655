import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type { TurnEvent } from "../../src/protocol/Event.ts"
import { CallId, SessionId, TurnId } from "../../src/protocol/Ids.ts"
import { ApprovalGate } from "../../src/session/ApprovalGate.ts"
import { SessionGrants } from "../../src/session/grants/SessionGrants.ts"
import { StdoutSink } from "../../src/stdio/StdoutSink.ts"

const folder = { kind: "write", path: "/srv/out" } as const

/** A gate, and a feed that keeps what it is given; `hold` holds up what asks about a path. */
const stageGate = (hold?: { readonly path: string; readonly until: Effect.Effect<void>; readonly held: () => void }) =>
  Effect.gen(function* () {
    const gate = yield* ApprovalGate
    const events: Array<TurnEvent> = []
    const emit = (event: TurnEvent) =>
      Effect.gen(function* () {
        if (event.type === "approval_request" && event.payload.affectedResources?.[0] === hold?.path) {
          hold?.held()
          yield* hold?.until ?? Effect.void
        }
        events.push(event)
      })
    const feed = {
      sessionId: SessionId.make("s-1"),
      turnId: TurnId.make("t-1"),
      emit,
      emitAll: (all: ReadonlyArray<TurnEvent>) => Effect.forEach(all, emit, { discard: true })
    }
    const ask = (path: string, grants: SessionGrants["Service"]) =>
      gate.require(
        feed,
        CallId.make(`c-${path}`),
        "fs.write",
        {
          category: "fs_write_home",
          reason: `write ${path}`,
          affectedResources: [path],
          subject: { kind: "write", paths: [path] }
        },
        grants
      )
    const idOf = (path: string) =>
      events.flatMap((event) =>
        event.type === "approval_request" && event.payload.affectedResources?.[0] === path
          ? [event.payload.approvalId]
          : []
      )[0] ?? assert.fail(`nothing is asked about ${path}`)
    const outcomes = () =>
      events.flatMap((event) => (event.type === "approval_resolved" ? [event.payload.outcome] : []))
    return { gate, ask, idOf, outcomes }
  })

const gate = ApprovalGate.layer.pipe(
  Layer.provide(
    Layer.mock(StdoutSink, { isGranted: (extension) => extension === "grants", post: () => {}, grant: () => {} })
  )
)

describe("the gate, with several questions at once", () => {
  it.effect("closes those of the session that a grant covers, and no others", () =>
    Effect.gen(function* () {
      const { ask, gate, idOf, outcomes } = yield* stageGate()
      const [own, others] = [SessionGrants.make([], undefined), SessionGrants.make([], undefined)]
      const asked = yield* Effect.forEach(
        [
          ["/srv/out/a", own],
          ["/srv/out/b", own],
          ["/srv/in/c", own],
          ["/srv/out/d", others]
        ] as const,
        ([path, grants]) => Effect.forkChild(ask(path, grants))
      )
      yield* Effect.yieldNow
      assert.isTrue(yield* gate.resolve(idOf("/srv/out/a"), true, undefined, folder))
      const [first, second, third, fourth] = asked
      assert.deepInclude(yield* Fiber.join(first!), { approved: true })
      assert.deepInclude(yield* Fiber.join(second!), { approved: true, grant: folder })
      assert.isFalse(yield* gate.resolve(idOf("/srv/out/b"), false, undefined))
      assert.deepStrictEqual(outcomes().toSorted(), ["approved", "granted"])
      assert.isTrue(yield* gate.resolve(idOf("/srv/in/c"), false, undefined))
      assert.isTrue(yield* gate.resolve(idOf("/srv/out/d"), false, undefined))
      assert.deepInclude(yield* Fiber.join(third!), { approved: false })
      assert.deepInclude(yield* Fiber.join(fourth!), { approved: false })
    }).pipe(Effect.provide(gate))
  )

  it.effect("closes a question that is on its way to the host when the grant is given", () =>
    Effect.gen(function* () {
      const until = Deferred.makeUnsafe<void>()
      const held = Deferred.makeUnsafe<void>()
      const { ask, gate, idOf, outcomes } = yield* stageGate({
        path: "/srv/out/b",
        until: Deferred.await(until),
        held: () => void Deferred.doneUnsafe(held, Effect.void)
      })
      const grants = SessionGrants.make([], undefined)
      const first = yield* Effect.forkChild(ask("/srv/out/a", grants))
      const second = yield* Effect.forkChild(ask("/srv/out/b", grants))
      yield* Deferred.await(held)
      yield* gate.resolve(idOf("/srv/out/a"), true, undefined, folder)
      yield* Fiber.join(first)
      yield* Deferred.succeed(until, undefined)
      assert.deepInclude(yield* Fiber.join(second), { approved: true, grant: folder })
      assert.deepStrictEqual(outcomes(), ["approved", "granted"])
      assert.isFalse(yield* gate.resolve(idOf("/srv/out/b"), true, undefined))
    }).pipe(Effect.provide(gate))
  )

  it.effect("takes no grant with an answer to a question that is withdrawn, though its event is on its way", () =>
    Effect.gen(function* () {
      const { ask, gate, idOf } = yield* stageGate()
      const grants = SessionGrants.make([], undefined)
      const asked = yield* Effect.forkChild(ask("/srv/out/a", grants))
      yield* Effect.yieldNow
      const approvalId = idOf("/srv/out/a")
      yield* Fiber.interrupt(asked)
      assert.isFalse(yield* gate.resolve(approvalId, true, undefined, folder))
      assert.deepStrictEqual(grants.all, [])
    }).pipe(Effect.provide(gate))
  )
})
