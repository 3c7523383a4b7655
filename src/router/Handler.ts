import type * as Effect from "effect/Effect"
import type { RequestPayload, RequestType, ResponsePayload } from "../protocol/Request.ts"
import type { Reply } from "./Reply.ts"

/** How requests of one type are served. */
export type Handler<T extends RequestType> =
  /** Runs before the next request is read; it waits for nothing but room in the output. */
  | { readonly _tag: "Now"; readonly run: (payload: RequestPayload<T>) => Effect.Effect<ResponsePayload<T>, Failure> }
  /** Runs in a fiber of its own. */
  | { readonly _tag: "Later"; readonly run: (payload: RequestPayload<T>) => Effect.Effect<ResponsePayload<T>, Failure> }
  /** Runs before the next request is read and passes the reply on, to be answered later. */
  | {
      readonly _tag: "Handed"
      readonly run: (payload: RequestPayload<T>, reply: Reply) => Effect.Effect<void, Failure>
    }

interface Failure {
  readonly message: string
}

/** Requests that are served before the code of sessions is loaded. */
export type EarlyType = "ping" | "hello"
export type EarlyHandlers = { readonly [T in EarlyType]: Handler<T> }

/** All other requests but `shutdown`, which the router serves itself. */
export type SessionType = Exclude<RequestType, EarlyType | "shutdown">
export type SessionHandlers = { readonly [T in SessionType]: Handler<T> }

export const now = <P, A>(run: (payload: P) => Effect.Effect<A, Failure>) => ({ _tag: "Now", run }) as const
export const later = <P, A>(run: (payload: P) => Effect.Effect<A, Failure>) => ({ _tag: "Later", run }) as const
export const handed = <P>(run: (payload: P, reply: Reply) => Effect.Effect<void, Failure>) =>
  ({ _tag: "Handed", run }) as const
