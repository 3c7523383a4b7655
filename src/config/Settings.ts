import type * as Redacted from "effect/Redacted"
import type { LogLevel } from "../protocol/LogLevel.ts"

/** All settings, resolved (docs/configuration.md). Times are in milliseconds, sizes in bytes. */
export interface Settings {
  /** Absolute. */
  readonly stateDir: string
  readonly localModels: {
    readonly mode: "external" | "managed" | "scripted"
    /** Without a trailing `/` or `/v1`; in mode `managed` that of the server that the sidecar runs. */
    readonly url: string
    readonly model: string | undefined
    /** In tokens; 0: no limit. */
    readonly completionMaxTokens: number
    readonly thinking: "auto" | "on" | "off"
    /** Absolute. */
    readonly script: string | undefined
    readonly managed: {
      /** Absolute, or a name on the PATH. */
      readonly command: string
      readonly modelPath: string | undefined
      readonly port: number
      /** In tokens; 0: the server's choice. */
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
    /** In tokens; 0: the model's window. */
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
  /** Undefined if telemetry is off: then nothing is measured for it and nothing is sent. */
  readonly telemetry: TelemetrySettings | undefined
  /** What is hidden beside the API key and `telemetry.headers`: headers of telemetry that is off, or of one signal. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

/** The collector of telemetry and the name of this service. */
export interface TelemetrySettings {
  /** Base URL of an OTLP collector, without a trailing `/`. */
  readonly endpoint: string
  readonly headers: Redacted.Redacted<{ readonly [name: string]: string }>
  readonly serviceName: string
  readonly resourceAttributes: { readonly [key: string]: string }
}

/** Settings with every key optional, at any depth. */
export type Overrides<A = Settings> = A extends ReadonlyArray<unknown> | Redacted.Redacted<unknown>
  ? A
  : A extends object
    ? { readonly [K in keyof A]?: Overrides<A[K]> }
    : A
