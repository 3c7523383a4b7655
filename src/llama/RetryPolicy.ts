import type { Settings } from "../config/Settings.ts"
import type { Refusal } from "./ErrorResponse.ts"

/**
 * The settings that limit a model call. The timeouts are limits of silence, before the first token and after it;
 * `requestTimeoutMs` is also the longest wait for a server that loads.
 */
export type CallLimits = Pick<
  Settings["llama"],
  "firstTokenTimeoutMs" | "requestTimeoutMs" | "completionRetries" | "retryBackoffMs"
>

/** The failed attempts since the server last loaded, and the milliseconds spent on waiting for it to load. */
export interface RetryState {
  readonly failed: number
  readonly loadingMs: number
}

export const start: RetryState = { failed: 0, loadingMs: 0 }

/**
 * Decides whether a request is sent again, and after how many milliseconds (contract 6); null: give up. `jitter` is
 * from 0 to 1. A server that answers that it loads is reachable, so the attempts are counted from zero again.
 */
export const next = (
  state: RetryState,
  refusal: Refusal,
  limits: CallLimits,
  jitter: number
): { readonly state: RetryState; readonly pauseMs: number } | null => {
  switch (refusal.retry) {
    case "never":
      return null
    case "when loaded": {
      if (state.loadingMs >= limits.requestTimeoutMs) return null
      const pauseMs = Math.min(1000, 100 + state.loadingMs / 4, limits.requestTimeoutMs - state.loadingMs)
      return { state: { failed: 0, loadingMs: state.loadingMs + pauseMs }, pauseMs }
    }
    case "soon": {
      const failed = state.failed + 1
      const pauseMs = refusal.afterMs ?? limits.retryBackoffMs * 2 ** state.failed * (0.8 + 0.4 * jitter)
      if (failed >= limits.completionRetries || pauseMs > limits.requestTimeoutMs) return null
      return { state: { ...state, failed }, pauseMs }
    }
  }
}
