import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"
import type { ResponsePayload } from "../protocol/Request.ts"
import { SessionPool } from "../session/SessionPool.ts"
import { ApprovalGate } from "../session/ApprovalGate.ts"
import { handed, later, now, type SessionHandlers } from "./Handler.ts"
import * as SkillRequests from "./SkillRequests.ts"

/** The handlers of all requests that need sessions. */
export class SessionRequests extends Context.Service<
  SessionRequests,
  {
    readonly handlers: SessionHandlers
    /** As `SessionPool.closeAll`. */
    readonly close: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/router/SessionRequests") {
  static readonly layer = Layer.effect(
    SessionRequests,
    Effect.gen(function* () {
      const config = yield* Config
      const sessions = yield* SessionPool
      const gate = yield* ApprovalGate
      const skills = yield* SkillRequests.make

      /** The actor of the session, if that is open. */
      const ifOpen = (sessionId: string) => Effect.option(sessions.find(sessionId))

      const handlers: SessionHandlers = {
        start_session: later((payload) => Effect.map(sessions.start(payload), (sessionId) => ({ sessionId }))),
        send_message: handed((payload, reply) =>
          Effect.flatMap(sessions.find(payload.sessionId), (actor) =>
            actor.send(
              payload.text,
              Math.min(payload.maxSteps ?? config.agent.maxSteps, config.agent.task.maxSteps),
              reply.succeed
            )
          )
        ),
        steer_message: now(({ sessionId, text }) =>
          Effect.map(ifOpen(sessionId), (actor) => ({
            steered: actor._tag === "Some" && actor.value.steer(text)
          }))
        ),
        cancel: later(({ sessionId }) =>
          Effect.flatMap(ifOpen(sessionId), (actor) =>
            actor._tag === "None"
              ? Effect.succeed<ResponsePayload<"cancel">>({ cancelled: false, turns: 0 })
              : Effect.map(actor.value.cancel, (turns) => ({ cancelled: true, turns }))
          )
        ),
        approval_response: now(({ approvalId, approved, reason }) =>
          Effect.map(gate.resolve(approvalId, approved, reason ?? undefined), (resolved) => ({ resolved }))
        ),
        get_session: later((payload) => sessions.state(payload)),
        skill_install: later(skills.install),
        skill_uninstall: later(skills.uninstall),
        skill_list: later(() => skills.list),
        list_queue: now(({ sessionId }) => Effect.map(sessions.find(sessionId), (actor) => actor.queue)),
        unqueue: later(({ sessionId, turnId }) =>
          Effect.flatMap(sessions.find(sessionId), (actor) =>
            Effect.map(actor.unqueue(turnId), (removed) => ({ removed }))
          )
        ),
        close_session: later(({ sessionId }) => Effect.map(sessions.close(sessionId), (closed) => ({ closed }))),
        list_sessions: later((payload) => sessions.list(payload)),
        resume_session: later(({ sessionId }) => sessions.resume(sessionId)),
        delete_session: later(({ sessionId }) => Effect.map(sessions.remove(sessionId), (deleted) => ({ deleted }))),
        update_session: later((payload) => Effect.map(sessions.update(payload), (updated) => ({ updated }))),
        fork_session: later((payload) => Effect.map(sessions.fork(payload), (sessionId) => ({ sessionId })))
      }
      return SessionRequests.of({ handlers, close: sessions.closeAll })
    })
  )
}
