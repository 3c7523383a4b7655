import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../Config.ts"
import {
  Extension,
  type HelloResult,
  type PingResult,
  type RequestPayload,
  type RequestType,
  type ResponsePayload
} from "../protocol/Request.ts"
import { ActiveSession } from "../session/ActiveSession.ts"
import { ApprovalGate } from "../session/ApprovalGate.ts"
import { SessionRuntime } from "../session/SessionRuntime.ts"
import { maxSteers } from "../session/Steering.ts"
import { StdoutSink } from "../stdio/StdoutSink.ts"
import { sidecarVersion } from "../Version.ts"
import type { Reply } from "./Reply.ts"
import * as SkillRequests from "./SkillRequests.ts"

/** How one type of request is served. */
export type Handler<T extends RequestType> =
  /** Done within the router's own step: it never waits for anything but room in the output. */
  | { readonly _tag: "Now"; readonly run: (payload: RequestPayload<T>) => Effect.Effect<ResponsePayload<T>, Failure> }
  /** Accepted in order, carried out in a fiber of its own. */
  | { readonly _tag: "Later"; readonly run: (payload: RequestPayload<T>) => Effect.Effect<ResponsePayload<T>, Failure> }
  /** Accepted in order; whoever gets the reply answers. */
  | {
      readonly _tag: "Handed"
      readonly run: (payload: RequestPayload<T>, reply: Reply) => Effect.Effect<void, Failure>
    }

interface Failure {
  readonly message: string
}

type HandlerTable = { readonly [T in Exclude<RequestType, "shutdown">]: Handler<T> }

const now = <P, A>(run: (payload: P) => Effect.Effect<A, Failure>) => ({ _tag: "Now", run }) as const
const later = <P, A>(run: (payload: P) => Effect.Effect<A, Failure>) => ({ _tag: "Later", run }) as const
const handed = <P>(run: (payload: P, reply: Reply) => Effect.Effect<void, Failure>) =>
  ({ _tag: "Handed", run }) as const

/** One small function per request type; `shutdown` is the router's own. */
export class Handlers extends Context.Service<Handlers, HandlerTable>()("atomic-agent-sidecar/router/Handlers") {
  static readonly layer = Layer.effect(
    Handlers,
    Effect.gen(function* () {
      const config = yield* Config
      const sink = yield* StdoutSink
      const sessions = yield* ActiveSession
      const runtime = yield* SessionRuntime
      const skills = yield* SkillRequests.make

      const pong: PingResult = {
        ok: true,
        llamaUrl: config.localModels.url,
        stateDir: config.stateDir,
        version: "0.1.0",
        sidecarVersion,
        protocol: { version: 1, extensions: [...Extension.literals] }
      }

      const hello = ({ extensions }: RequestPayload<"hello">): HelloResult => {
        const granted = Extension.literals.filter((extension) => extensions.includes(extension))
        sink.grant(granted)
        return {
          protocol: pong.protocol as HelloResult["protocol"],
          extensions: granted,
          limits: {
            maxLineBytes: config.sidecar.maxLineBytes,
            outputBufferBytes: config.sidecar.outputBufferBytes,
            maxParallelToolCalls: config.agent.maxParallelToolCalls,
            maxSteers
          },
          sidecarVersion
        }
      }

      /** The actor of the active session, if that is the one meant. */
      const ifActive = (sessionId: string) => Effect.option(sessions.find(sessionId))

      return Handlers.of({
        ping: now(() => Effect.succeed(pong)),
        hello: now((payload) => Effect.sync(() => hello(payload))),
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
          Effect.map(ifActive(sessionId), (actor) => ({
            steered: actor._tag === "Some" && actor.value.steer(text)
          }))
        ),
        cancel: later(({ sessionId }) =>
          Effect.flatMap(ifActive(sessionId), (actor) =>
            actor._tag === "None"
              ? Effect.succeed<ResponsePayload<"cancel">>({ cancelled: false, turns: 0 })
              : Effect.map(actor.value.cancel, (turns) => ({ cancelled: true, turns }))
          )
        ),
        approval_response: now(({ approvalId, approved, reason }) =>
          Effect.gen(function* () {
            const services = yield* runtime.built
            if (services === undefined) return { resolved: false }
            const gate = Context.get(services, ApprovalGate)
            return { resolved: yield* gate.resolve(approvalId, approved, reason ?? undefined) }
          })
        ),
        get_session: later(({ sessionId }) => sessions.state(sessionId)),
        skill_install: later(skills.install),
        skill_uninstall: later(skills.uninstall),
        skill_list: later(() => skills.list),
        list_queue: now(({ sessionId }) => Effect.map(sessions.find(sessionId), (actor) => actor.queue)),
        unqueue: later(({ sessionId, turnId }) =>
          Effect.flatMap(sessions.find(sessionId), (actor) =>
            Effect.map(actor.unqueue(turnId), (removed) => ({ removed }))
          )
        ),
        list_sessions: later((payload) => sessions.list(payload)),
        resume_session: later(({ sessionId }) => sessions.resume(sessionId)),
        delete_session: later(({ sessionId }) => Effect.map(sessions.remove(sessionId), (deleted) => ({ deleted })))
      })
    })
  )
}
