import type * as Redacted from "effect/Redacted"
import type { LogLevel } from "../protocol/LogLevel.ts"

/** Every setting, resolved: environment over `.env` over `config.json` over default (runtime, Configuration). */
export interface Settings {
  /** Absolute. */
  readonly stateDir: string
  readonly localModels: {
    readonly mode: "external" | "managed" | "scripted"
    /** Without a trailing `/` or `/v1`; in mode `managed` that of our own server. */
    readonly url: string
    readonly model: string | undefined
    /** Tokens; 0: no cap. */
    readonly completionMaxTokens: number
    readonly thinking: "auto" | "on" | "off"
    /** Absolute. */
    readonly script: string | undefined
    readonly managed: {
      /** Absolute, or a name to be found on the PATH. */
      readonly command: string
      readonly modelPath: string | undefined
      readonly port: number
      /** Tokens; 0: the server's choice. */
      readonly contextSize: number
      readonly args: ReadonlyArray<string>
    }
  }
  readonly llama: {
    readonly apiKey: Redacted.Redacted | undefined
    readonly healthTimeoutMs: number
    readonly firstTokenTimeoutMs: number
    readonly requestTimeoutMs: number
    /** Attempts in all, before the first byte. */
    readonly completionRetries: number
    readonly retryBackoffMs: number
    /** -1: the server's choice. */
    readonly defaultSlot: number
    readonly temperature: number | undefined
    readonly topP: number | undefined
    readonly topK: number | undefined
    readonly seed: number | undefined
  }
  readonly agent: {
    readonly maxSteps: number
    readonly task: { readonly maxSteps: number; readonly maxDurationMs: number }
    readonly approvalLevel: 1 | 2 | 3 | 4 | 5
    readonly toolTimeoutMs: number
    /** Tokens; 0: the model's window. */
    readonly conversationMaxTokens: number
    readonly instructions: string | undefined
    readonly maxParallelToolCalls: number
  }
  readonly log: { readonly level: LogLevel }
  readonly tools: { readonly shell: { readonly defaultTimeoutMs: number; readonly maxOutputBytes: number } }
  readonly http: {
    readonly enabled: boolean
    readonly hostAllowlist: ReadonlyArray<string>
    readonly maxResponseBytes: number
    readonly defaultTimeoutMs: number
  }
  readonly skills: { readonly disabled: ReadonlyArray<string> }
  readonly sidecar: { readonly maxLineBytes: number; readonly outputBufferBytes: number }
  /** Absent: nothing is measured for it and nothing is sent. */
  readonly telemetry: TelemetrySettings | undefined
}

/** Where telemetry goes, and under what name. */
export interface TelemetrySettings {
  /** Base URL of an OTLP collector, without a trailing `/`. */
  readonly endpoint: string
  readonly headers: Redacted.Redacted<{ readonly [name: string]: string }>
  readonly serviceName: string
  readonly resourceAttributes: { readonly [key: string]: string }
}

/** Settings of which only some are given. */
export type Overrides<A = Settings> = A extends ReadonlyArray<unknown> | Redacted.Redacted<unknown>
  ? A
  : A extends object
    ? { readonly [K in keyof A]?: Overrides<A[K]> }
    : A
