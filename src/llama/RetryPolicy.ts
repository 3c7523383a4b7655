import type { Refusal } from "./ErrorResponse.ts"

/** Limits of a model call, in milliseconds except for `attempts`. */
export interface CallLimits {
  /** Longest silence while the server reads the prompt. */
  readonly firstTokenTimeoutMs: number
  /** Longest silence between events, and longest wait for a server that loads. */
  readonly requestTimeoutMs: number
  /** Attempts in all, before the first byte of an answer. */
  readonly attempts: number
  readonly retryBackoffMs: number
}

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
      if (failed >= limits.attempts || pauseMs > limits.requestTimeoutMs) return null
      return { state: { ...state, failed }, pauseMs }
    }
  }
}
