import type * as Effect from "effect/Effect"
import type { RequestPayload, RequestType, ResponsePayload } from "../protocol/Request.ts"
import type { Reply } from "./Reply.ts"

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

/** What every host asks first, and what nothing of a session is loaded for. */
export type EarlyType = "ping" | "hello"
export type EarlyHandlers = { readonly [T in EarlyType]: Handler<T> }

/** All others; `shutdown` is the router's own. */
export type SessionType = Exclude<RequestType, EarlyType | "shutdown">
export type SessionHandlers = { readonly [T in SessionType]: Handler<T> }

export const now = <P, A>(run: (payload: P) => Effect.Effect<A, Failure>) => ({ _tag: "Now", run }) as const
export const later = <P, A>(run: (payload: P) => Effect.Effect<A, Failure>) => ({ _tag: "Later", run }) as const
export const handed = <P>(run: (payload: P, reply: Reply) => Effect.Effect<void, Failure>) =>
  ({ _tag: "Handed", run }) as const
