import type { Refusal } from "./ErrorResponse.ts"

/** Limits of a model call; milliseconds, except `attempts`. */
export interface CallLimits {
  /** Silence while the prompt is read. */
  readonly firstTokenTimeoutMs: number
  /** Silence between events, and how long a loading server is waited for. */
  readonly requestTimeoutMs: number
  /** In all, before the first byte. */
  readonly attempts: number
  readonly retryBackoffMs: number
}

/** What has been tried so far. */
export interface Tried {
  readonly failed: number
  readonly loadingMs: number
}

export const nothing: Tried = { failed: 0, loadingMs: 0 }

/**
 * Whether to send a request again, and after how many milliseconds (contract 6); null: give up. `jitter` is 0..1.
 * A server that has just been loading is there, so the attempts are counted anew.
 */
export const next = (
  tried: Tried,
  refusal: Refusal,
  limits: CallLimits,
  jitter: number
): { readonly tried: Tried; readonly pauseMs: number } | null => {
  switch (refusal.again) {
    case "never":
      return null
    case "when loaded": {
      if (tried.loadingMs >= limits.requestTimeoutMs) return null
      const pauseMs = Math.min(1000, 100 + tried.loadingMs / 4, limits.requestTimeoutMs - tried.loadingMs)
      return { tried: { failed: 0, loadingMs: tried.loadingMs + pauseMs }, pauseMs }
    }
    case "soon": {
      const failed = tried.failed + 1
      const pauseMs = refusal.afterMs ?? limits.retryBackoffMs * 2 ** tried.failed * (0.8 + 0.4 * jitter)
      if (failed >= limits.attempts || pauseMs > limits.requestTimeoutMs) return null
      return { tried: { ...tried, failed }, pauseMs }
    }
  }
}
