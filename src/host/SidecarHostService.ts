import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { SidecarEvent } from "../protocol/Event.ts"
import type { RequestType, ResponsePayload } from "../protocol/Request.ts"
import type { Approval, ApprovalRequest } from "./Approvals.ts"
import { type EventsLost, RequestFailed, type SidecarExit, SidecarGone } from "./HostError.ts"
import {
  type AttachOptions,
  type RequestArguments,
  type SendOptions,
  SidecarHost,
  type SpawnOptions
} from "./SidecarHost.ts"
import type { TurnPiece, TurnResult } from "./SentTurn.ts"

/** A message that was sent, and the turn that it begins, for a host that is written with Effect. */
export interface SentTurnEffects {
  /** The text of the turn; run it once. */
  readonly pieces: Stream.Stream<TurnPiece, RequestFailed | SidecarGone | EventsLost>
  /** Waits for the end of the turn. */
  readonly result: Effect.Effect<TurnResult, RequestFailed | SidecarGone>
}

/** Answers approval requests by an effect, which is interrupted when its answer is no longer needed. */
export interface ApprovalOption<R> {
  readonly onApproval?: (request: ApprovalRequest) => Effect.Effect<Approval, never, R>
}

/** A sidecar from the side of a host that is written with Effect. */
export class SidecarHostService extends Context.Service<
  SidecarHostService,
  {
    /** Sends a request and waits for its response. */
    request<T extends RequestType>(
      type: T,
      ...payload: RequestArguments<T>
    ): Effect.Effect<ResponsePayload<T>, RequestFailed | SidecarGone>
    /** Sends a message. Closing the scope before the turn has ended cancels it. */
    send(
      sessionId: string,
      text: string,
      options?: Pick<SendOptions, "maxSteps">
    ): Effect.Effect<SentTurnEffects, never, Scope.Scope>
    /** All events from the moment that the stream is run. It may be run several times. */
    readonly events: Stream.Stream<SidecarEvent, SidecarGone | EventsLost>
    /** Waits for the end of the sidecar. */
    readonly exited: Effect.Effect<SidecarExit>
  }
>()("atomic-agent-sidecar/host/SidecarHostService") {
  /** Starts a sidecar as a child process, which is shut down with the layer's scope. */
  static readonly layer = <R = never>(options: Omit<SpawnOptions, "onApproval"> & ApprovalOption<R> = {}) =>
    layerOf((onApproval) => SidecarHost.spawn({ ...options, onApproval }), options)

  /** Connects to a sidecar over two streams. */
  static readonly layerAttached = <R = never>(options: Omit<AttachOptions, "onApproval"> & ApprovalOption<R>) =>
    layerOf((onApproval) => SidecarHost.attach({ ...options, onApproval }), options)
}

const layerOf = <R>(
  open: (onApproval: SpawnOptions["onApproval"]) => SidecarHost,
  { onApproval }: ApprovalOption<R>
): Layer.Layer<SidecarHostService, never, R> =>
  Layer.effect(
    SidecarHostService,
    Effect.gen(function* () {
      const services = yield* Effect.context<R>()
      const ask =
        onApproval === undefined
          ? undefined
          : (request: ApprovalRequest, signal: AbortSignal) =>
              Effect.runPromiseWith(services)(onApproval(request), { signal })
      const host = yield* Effect.acquireRelease(
        Effect.sync(() => open(ask)),
        (opened) => Effect.promise(() => opened.shutdown())
      )

      const send = (sessionId: string, text: string, options?: Pick<SendOptions, "maxSteps">) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.sync(() => new AbortController()),
            (controller) => Effect.sync(() => controller.abort())
          ),
          ({ signal }): SentTurnEffects => {
            const turn = host.send(sessionId, text, { ...options, signal })
            return {
              pieces: Stream.fromAsyncIterable(turn, (error) => error as RequestFailed | SidecarGone | EventsLost),
              result: fromPromise(() => turn.result)
            }
          }
        )

      return SidecarHostService.of({
        request: (type, ...payload) => fromPromise(() => host.request(type, ...payload)),
        send,
        events: Stream.suspend(() =>
          Stream.fromAsyncIterable(host.events(), (error) => error as SidecarGone | EventsLost)
        ),
        exited: Effect.promise(() => host.exited)
      })
    })
  )

/** Runs a promise of the plain host. Its two errors are expected failures, any other is a defect. */
const fromPromise = <A>(ask: () => Promise<A>): Effect.Effect<A, RequestFailed | SidecarGone> =>
  Effect.catchDefect(Effect.promise(ask), (error) =>
    error instanceof RequestFailed || error instanceof SidecarGone ? Effect.fail(error) : Effect.die(error)
  )
