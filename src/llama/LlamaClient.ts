import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Stream from "effect/Stream"
import type { Entry } from "../domain/Transcript.ts"
import type { ToolArguments, ToolSpec } from "../domain/ToolCall.ts"
import type { LlamaError } from "./LlamaError.ts"

/** One model call, before it is a request body. */
export interface ModelRequest {
  readonly system: string
  /** The whole committed history, oldest first; trimming to the window is the client's. */
  readonly history: ReadonlyArray<Entry>
  readonly tools: ReadonlyArray<ToolSpec>
  /** 0-based in the session. */
  readonly turnIndex: number
  /** 0-based in the turn. */
  readonly stepIndex: number
}

/** Tokens as the server measured them; `cachedTokens` of `promptTokens` were not read again. */
export interface Usage {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
}

/** One tool call as the model made it; `name` is dotted again. */
export interface ModelToolCall {
  readonly name: string
  readonly args: ToolArguments
}

/** The end of a model call that did not fail. */
export interface ModelFinished {
  readonly _tag: "Finished"
  /** `length`: cut by the token limit or the window. */
  readonly reason: "stop" | "tool_calls" | "length"
  readonly calls: ReadonlyArray<ModelToolCall>
  readonly usage?: Usage
  /** Tokens generated a second, as the server measured them. */
  readonly tokensPerSecond?: number
}

/** What a model call yields, in order; a stream that does not fail ends with exactly one `Finished`. */
export type ModelEvent =
  | { readonly _tag: "Loading" }
  | {
      readonly _tag: "Prefill"
      /** Tokens of the prompt that are read, those of the cache included. */
      readonly processed: number
      readonly total: number
      readonly cached: number
    }
  | { readonly _tag: "Reasoning"; readonly text: string }
  | { readonly _tag: "Text"; readonly text: string }
  | ModelFinished

/** What a probe of the server found. */
export interface ServerState {
  readonly state: "ready" | "loading" | "unreachable" | "foreign"
  readonly url: string
  readonly model?: string
  /** The window of one slot, in tokens. */
  readonly contextTokens?: number
  /** In the server's own words, where something is wrong. */
  readonly detail?: string
}

/** A server of our own was given up: it has died too often, or cannot be started. */
export interface ServerLoss {
  /** Its last words. */
  readonly error: string
  /** What can be done about it. */
  readonly hint: string
}

/** The model behind the agent: llama-server and its kin, or a script. */
export class LlamaClient extends Context.Service<
  LlamaClient,
  {
    /** Where the model is, as `ping` tells it. */
    readonly url: string
    /** The slot that requests ask for, -1 for the server's choice. */
    readonly slotId: number
    /** One model call. Interrupting it closes the connection. It pulls no faster than it is read. */
    stream(request: ModelRequest): Stream.Stream<ModelEvent, LlamaError>
    /** One probe, within `ATOMIC_AGENT_LLAMA_HEALTH_TIMEOUT_MS`; never fails. */
    readonly probe: Effect.Effect<ServerState>
    /** The context window in tokens, as far as it is known by now. */
    readonly window: Effect.Effect<number | null>
    /** The server as our own child; absent where somebody else runs it. */
    readonly child?: {
      /** Has it started, if it does not run; waits for nothing. */
      readonly start: Effect.Effect<void>
      /** What the host has not been told of; the newest one at most. */
      readonly losses: Queue.Dequeue<ServerLoss>
    }
  }
>()("atomic-agent-sidecar/llama/LlamaClient") {}
