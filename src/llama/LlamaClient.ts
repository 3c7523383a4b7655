import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Queue from "effect/Queue"
import type * as Stream from "effect/Stream"
import type { Entry } from "../domain/Transcript.ts"
import type { ToolArguments, ToolSpec } from "../domain/ToolCall.ts"
import type { OptionsInForce } from "../protocol/SessionOptions.ts"
import type { LlamaError } from "./LlamaError.ts"
import type { CannotList, ListedModel } from "./ModelList.ts"

/** What a session may ask of the model, in place of the configuration. */
export type ModelOptions = Pick<OptionsInForce, "model" | "thinking" | "temperature" | "completionMaxTokens">

/** The input of one model call. */
export interface ModelRequest {
  readonly system: string
  /** The whole committed history, oldest first. The client trims it to the window. */
  readonly history: ReadonlyArray<Entry>
  readonly tools: ReadonlyArray<ToolSpec>
  /** Absent: as configured. */
  readonly options?: ModelOptions
  /** From 0 in the session. */
  readonly turnIndex: number
  /** From 0 in the turn. */
  readonly stepIndex: number
}

/** Tokens as the server counted them; `cachedTokens` of the `promptTokens` came from its prompt cache. */
export interface Usage {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
}

/** One tool call of the model; `name` is the dotted name (`fs.list`). */
export interface ModelToolCall {
  readonly name: string
  readonly args: ToolArguments
}

/** The last event of a model call that did not fail. */
export interface ModelFinished {
  readonly _tag: "Finished"
  /** `length`: the answer was cut off by the token limit or the window. */
  readonly reason: "stop" | "tool_calls" | "length"
  readonly calls: ReadonlyArray<ModelToolCall>
  readonly usage?: Usage
  /** Generated tokens per second, as the server measured them. */
  readonly tokensPerSecond?: number
}

/** An event of a model call. A stream that does not fail ends with exactly one `Finished`. */
export type ModelEvent =
  | { readonly _tag: "Loading" }
  | {
      readonly _tag: "Prefill"
      /** Tokens of the prompt that the server has read, those from its cache included. */
      readonly processed: number
      readonly total: number
      readonly cached: number
    }
  | { readonly _tag: "Reasoning"; readonly text: string }
  | { readonly _tag: "Text"; readonly text: string }
  | ModelFinished

/**
 * The result of a probe. `unselected`: the server has other models than the one that is asked for, or several and none is. `foreign`: something answers, but a turn cannot work with it, since it is no model server or
 * has no model to choose (contract 9, `llm_state`).
 */
export interface ServerState {
  readonly state: "ready" | "loading" | "unreachable" | "foreign" | "unselected"
  readonly url: string
  readonly model?: string
  /** The context window of one slot, in tokens. */
  readonly contextTokens?: number
  /** The error, in the server's wording if it sent one; absent when `ready`. */
  readonly detail?: string
}

/** The managed server was given up: it exited too often, or cannot be started. */
export interface ServerLoss {
  /** How it ended, with its last lines of output. */
  readonly error: string
  /** What the user can do about it. */
  readonly hint: string
}

/** The model behind the agent: llama-server, another server with an OpenAI-compatible API, or a script. */
export class LlamaClient extends Context.Service<
  LlamaClient,
  {
    /** The model's URL in the response to `ping`, without credentials. */
    readonly url: string
    /** The server slot of requests; -1: the server chooses. */
    readonly slotId: number
    /** Runs one model call, reading no faster than the stream is pulled. Interruption closes the connection. */
    stream(request: ModelRequest): Stream.Stream<ModelEvent, LlamaError>
    /** Probes the server, within `ATOMIC_AGENT_LLAMA_HEALTH_TIMEOUT_MS`. */
    readonly probe: Effect.Effect<ServerState>
    /** The models that the server lists; absent where there is no list. An error is in the server's words. */
    readonly models?: Effect.Effect<ReadonlyArray<ListedModel>, CannotList>
    /** The context window in tokens of the model that a session asks for, if any; null while it is unknown. */
    window(model?: string): Effect.Effect<number | null>
    /** The managed server, a child process; absent if the server is run by others. */
    readonly child?: {
      /** Starts the server if it does not run, without waiting for it. */
      readonly start: Effect.Effect<void>
      /** Losses that are not reported to the host yet: the newest, if any. */
      readonly losses: Queue.Dequeue<ServerLoss>
    }
  }
>()("atomic-agent-sidecar/llama/LlamaClient") {}
