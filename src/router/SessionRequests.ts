import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ResponsePayload } from "../protocol/Request.ts"
import { SessionPool } from "../session/pool/SessionPool.ts"
import { LlamaClient } from "../llama/LlamaClient.ts"
import type { ListedModel } from "../llama/ModelList.ts"
import { ApprovalGate } from "../session/ApprovalGate.ts"
import { HostTools } from "../session/HostTools.ts"
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
      const sessions = yield* SessionPool
      const gate = yield* ApprovalGate
      const llama = yield* LlamaClient
      const hostTools = yield* HostTools
      const skills = yield* SkillRequests.make

      /** The actor of the session, if that is open. */
      const ifOpen = (sessionId: string) => Effect.option(sessions.find(sessionId))

      const handlers: SessionHandlers = {
        start_session: later((payload) => Effect.map(sessions.start(payload), (sessionId) => ({ sessionId }))),
        send_message: handed((payload, reply) =>
          Effect.flatMap(sessions.find(payload.sessionId), (actor) =>
            actor.send(payload.text, payload.maxSteps ?? undefined, reply.succeed)
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
        approval_response: now(({ approvalId, approved, grant, reason }) =>
          Effect.map(gate.resolve(approvalId, approved, reason ?? undefined, grant), (resolved) => ({ resolved }))
        ),
        tool_response: now((response) => Effect.sync(() => ({ resolved: hostTools.respond(response) }))),
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
        resume_session: later((payload) => sessions.resume(payload)),
        list_models: later(() =>
          Effect.map(llama.models ?? Effect.succeed([]), (models) => ({ models: models.map(shownModel) }))
        ),
        set_options: now(({ options, sessionId }) =>
          Effect.map(sessions.setOptions(sessionId, options), (inForce) => ({ options: inForce }))
        ),
        list_grants: now(({ sessionId }) => Effect.map(sessions.listGrants(sessionId), (grants) => ({ grants }))),
        revoke_grant: now(({ grant, sessionId }) =>
          Effect.map(sessions.revokeGrant(sessionId, grant), (revoked) => ({ revoked }))
        ),
        delete_session: later(({ sessionId }) => Effect.map(sessions.remove(sessionId), (deleted) => ({ deleted }))),
        update_session: later((payload) => Effect.map(sessions.update(payload), (updated) => ({ updated }))),
        fork_session: later((payload) => Effect.map(sessions.fork(payload), (sessionId) => ({ sessionId })))
      }
      return SessionRequests.of({ handlers, close: sessions.closeAll })
    })
  )
}

const shownModel = ({ contextTokens, id, status }: ListedModel) => ({
  id,
  ...(contextTokens === undefined ? {} : { contextTokens }),
  ...(status === "unknown" ? {} : { loaded: status !== "unloaded" })
})
