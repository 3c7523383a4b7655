import * as Schema from "effect/Schema"
import type { Extension } from "./Extension.ts"
import { field, ofSession, ofTurn, optionalField } from "./Field.ts"
import { Offer } from "./Grant.ts"
import { LogLevel } from "./LogLevel.ts"
import { ApprovalCategory, ResultStatus, StepCategory, TurnReason } from "./SessionState.ts"

/** An event of the protocol. */
export interface EventEntry {
  /** Its payload. */
  readonly schema: Schema.Top
  /** What it means and when it is sent, in plain English. */
  readonly when: string
  /**
   * The extension that `hello` must have granted to the host (contract 9); events without one are sent to every host.
   */
  readonly extension?: Extension
}

const stepIndex = field(Schema.Int, "The step's number in its turn, from 0.")
const durationMs = (what: string) => field(Schema.Int, `How long the ${what} took, in milliseconds.`)
const callId = field(Schema.String, "The call's id: `c-` and a UUID.")
const tool = field(Schema.String, "The tool's name, such as `fs.read`.")
const ofCall = {
  ...ofTurn,
  stepIndex: field(Schema.Literal(-1), "Always -1. The step's number is in `step`."),
  step: field(Schema.Int, "The step's number in its turn, from 0."),
  callId,
  tool
}
const ofBatch = {
  batchIndex: optionalField(
    Schema.Int,
    "The call's place among the calls of its step, from 0; absent for a single call."
  ),
  batchSize: optionalField(Schema.Int, "Number of calls in the step; absent for a single call.")
}
const ofAnyTurn = {
  sessionId: optionalField(Schema.String, "The session that it is about; absent if it is about none."),
  turnId: optionalField(Schema.String, "The turn that it is about; absent if it is about none.")
}

/**
 * The events that the sidecar sends. One entry is all that an event needs: its types, the host's table of events, the
 * published JSON Schema and the documents are made from it (`npm run tables`, `npm run schema`).
 */
export const eventTable = {
  session_started: {
    when: "A new or resumed session is active. Sent before the response to its request.",
    schema: Schema.Struct({ ...ofSession, workingDir: field(Schema.String, "Absolute path of the working directory.") })
  },
  turn_started: {
    when: "A turn starts. Sent after its `user_message`.",
    schema: Schema.Struct({ ...ofTurn, turnIndex: field(Schema.Int, "The turn's number in the session, from 0.") })
  },
  turn_finished: {
    when: "A turn has ended. Only `steer_undelivered` events and the response follow.",
    schema: Schema.Struct({
      ...ofTurn,
      turnIndex: field(Schema.Int, "The turn's number in the session, from 0."),
      reason: field(TurnReason, "Why the turn ended."),
      stepCount: field(Schema.Int, "Number of steps of this turn that were started."),
      durationMs: durationMs("turn"),
      usage: optionalField(
        Schema.Struct({
          promptTokens: field(Schema.Int, "Tokens of the prompts."),
          cachedTokens: field(Schema.Int, "Tokens of the prompts that the server took from its cache."),
          completionTokens: field(Schema.Int, "Tokens that the model generated.")
        }),
        "Sums over the turn's steps, in tokens; absent if the server reported none."
      )
    })
  },
  step_started: {
    when: "A step starts: one model call and the tool calls that it asks for.",
    schema: Schema.Struct({ ...ofTurn, stepIndex })
  },
  step_finished: {
    when: "A step has ended, or was cancelled. A step that failed has an `error` event instead.",
    schema: Schema.Struct({
      ...ofTurn,
      stepIndex,
      tokensUsed: field(Schema.Int, "Tokens of the step's prompt and completion together."),
      durationMs: durationMs("step")
    })
  },
  session_completed: {
    when: "A turn ended with reason `finish` or `max_steps`. Sent before `turn_finished`.",
    schema: Schema.Struct({ ...ofTurn, reason: field(TurnReason, "Why the turn ended.") })
  },
  session_failed: {
    when: "A turn failed. Sent before `turn_finished`; the session accepts further messages.",
    schema: Schema.Struct({
      ...ofTurn,
      error: field(Schema.String, "Why the turn failed."),
      category: field(StepCategory, "What failed.")
    })
  },
  user_message: {
    when: "A `send_message` gets its turn. The first event of a turn.",
    schema: Schema.Struct({ ...ofTurn, text: field(Schema.String, "The message, as the host sent it.") })
  },
  assistant_delta: {
    when: "The model generated text. The texts of a step, put together, are repeated by its `assistant_reply`.",
    schema: Schema.Struct({ ...ofTurn, text: field(Schema.String, "The next piece of text.") })
  },
  assistant_reply: {
    when: "A text of the model is complete.",
    schema: Schema.Struct({
      ...ofTurn,
      text: field(Schema.String, "The whole text."),
      attachments: optionalField(Schema.Array(Schema.String), "Absolute paths of the files handed over with it."),
      progressNote: optionalField(Schema.Boolean, "True if the turn goes on; absent on the closing reply.")
    })
  },
  reasoning_delta: {
    when: "The model generated reasoning.",
    schema: Schema.Struct({ ...ofTurn, stepIndex, text: field(Schema.String, "The next piece of reasoning.") })
  },
  tool_call_started: {
    when: "The model asked for a tool call. All calls of a step are announced before the first of their results.",
    schema: Schema.Struct({
      ...ofCall,
      args: field(Schema.Unknown, "The arguments: an object, or the raw text if the model's are not a JSON object."),
      ...ofBatch
    })
  },
  tool_call_result: {
    when: "A tool call has ended. Every `tool_call_started` has exactly one, also in a cancelled turn.",
    schema: Schema.Struct({
      ...ofCall,
      status: field(ResultStatus, "How the call ended."),
      summary: field(Schema.String, "The result as the model reads it."),
      truncated: optionalField(Schema.Boolean, "True if parts of the result are left out of `summary`; else absent."),
      ...ofBatch
    })
  },
  steer_applied: {
    when: "The text of a `steer_message` became part of a step's prompt.",
    schema: Schema.Struct({ ...ofTurn, text: field(Schema.String, "The text of the steer."), stepIndex })
  },
  steer_undelivered: {
    when: "The turn ended before the model read an accepted steer. Sent once for each, after `turn_finished`.",
    schema: Schema.Struct({ ...ofTurn, text: field(Schema.String, "The text of the steer.") })
  },
  approval_request: {
    when: "A tool call needs the host's consent. The turn waits, without a timeout, for an `approval_response`.",
    schema: Schema.Struct({
      ...ofTurn,
      approvalId: field(Schema.String, "The request's id, for the answer: `a-` and a UUID."),
      callId,
      tool,
      category: optionalField(ApprovalCategory, "Why the gate asks."),
      reason: field(Schema.String, "What the call will do, in a sentence."),
      preview: optionalField(Schema.String, "What will happen: a unified diff, a command line or an HTTP request."),
      affectedResources: optionalField(Schema.Array(Schema.String), "Absolute paths or URLs that the call affects."),
      offers: optionalField(Schema.Array(Offer), "What else a yes can cover, from narrow to wide. Extension: `grants`.")
    })
  },
  llm_request: {
    when: "The model server reported the length of a step's prompt.",
    schema: Schema.Struct({
      ...ofTurn,
      slotId: field(Schema.Int, "The server's slot that was asked for, or -1 if none was."),
      promptTokens: field(Schema.Int, "Tokens of the prompt."),
      cacheReused: field(Schema.Boolean, "True if the server took a part of the prompt from its cache.")
    })
  },
  llm_response: {
    when: "The model's answer of a step is complete.",
    schema: Schema.Struct({
      ...ofTurn,
      completionTokens: field(Schema.Int, "Tokens that the model generated."),
      durationMs: durationMs("model call")
    })
  },
  llm_unavailable: {
    when: "The model server cannot be used: at the start of a session, or when a managed server is given up.",
    schema: Schema.Struct({
      url: field(Schema.String, "Base URL of the server."),
      error: field(Schema.String, "What went wrong."),
      mode: field(Schema.Literals(["external", "managed", "scripted"]), "The configured `localModels.mode`."),
      hint: field(Schema.String, "What the user can do about it.")
    })
  },
  skill_registry_updated: {
    when: "Skills were installed or removed. Sent before the response to the request that did it.",
    schema: Schema.Struct({
      installed: field(
        Schema.Array(
          Schema.Struct({
            name: field(Schema.String, "The skill's name."),
            source: field(Schema.Literals(["global", "project"]), "Whether it is the user's or the project's.")
          })
        ),
        "All skills that the session now has, sorted by name."
      )
    })
  },
  log: {
    when: "The sidecar logs a line, at `log.level` or above.",
    schema: Schema.Struct({
      level: field(LogLevel, "How severe it is."),
      message: field(Schema.String, "The line."),
      context: optionalField(Schema.Record(Schema.String, Schema.Unknown), "Further details, by name.")
    })
  },
  metric: {
    when: "Something was measured, anywhere in a turn.",
    schema: Schema.Struct({
      name: field(Schema.String, "What was measured, such as `tool.time_ms`."),
      value: field(Schema.Finite, "The measured value. A name that ends in `_ms` has milliseconds."),
      tags: optionalField(Schema.Record(Schema.String, Schema.String), "Labels that distinguish values of one name."),
      ...ofAnyTurn
    })
  },
  error: {
    when: "A line could not be read, a request or a step failed, or a setting is wrong.",
    schema: Schema.Struct({
      message: field(Schema.String, "What went wrong."),
      code: optionalField(
        Schema.String,
        "`parse_error`, `invalid_frame`, `handler_failed`, `config_invalid`, or `step_error:` and a `StepCategory`."
      ),
      stack: optionalField(Schema.String, "A stack trace; for `parse_error` the line, its first 8 KiB at most."),
      ...ofAnyTurn
    })
  },
  tool_request: {
    when: "A tool of the host is called. The call waits for a `tool_response`.",
    extension: "host_tools",
    schema: Schema.Struct({
      ...ofTurn,
      callId,
      requestId: field(Schema.String, "The request's id, for the answer: `q-` and a UUID."),
      tool,
      args: field(Schema.Unknown, "The arguments: an object that fits the tool's `parameters`.")
    })
  },
  tool_withdrawn: {
    when: "A `tool_request` needs no answer any more. Sent before the result of its call.",
    extension: "host_tools",
    schema: Schema.Struct({
      ...ofTurn,
      requestId: field(Schema.String, "The id of the `tool_request`."),
      reason: field(Schema.Literals(["cancelled", "timeout"]), "Why.")
    })
  },
  tool_output: {
    when: "A command or a script of a call prints something. At most 1 MiB a call, never after its result.",
    extension: "tool_output",
    schema: Schema.Struct({
      ...ofTurn,
      callId,
      text: field(Schema.String, "What it printed on either stream, as it came; whole characters.")
    })
  },
  llm_progress: {
    when: "The model server loads a model, reads the prompt (`prefill`), or generates.",
    extension: "llm_progress",
    schema: Schema.Struct({
      ...ofTurn,
      phase: field(Schema.Literals(["loading", "prefill", "generating"]), "What the server does."),
      processed: optionalField(Schema.Int, "Tokens of the prompt that have been read; in `prefill` only."),
      total: optionalField(Schema.Int, "Tokens of the whole prompt; in `prefill` only."),
      cached: optionalField(Schema.Int, "Tokens of the prompt that came from the server's cache; in `prefill` only.")
    })
  },
  llm_state: {
    when: "The first probe of a session found the model server in this state, or its state has changed.",
    extension: "llm_state",
    schema: Schema.Struct({
      state: field(
        Schema.Literals(["ready", "loading", "unreachable", "foreign", "unselected"]),
        "`foreign`: something answers that a turn cannot work with. `unselected`: the server has several models and none is named, or not the named one."
      ),
      url: field(Schema.String, "Base URL of the server."),
      model: optionalField(Schema.String, "The model, if known."),
      contextTokens: optionalField(Schema.Int, "Size of the model's context window in tokens, if known."),
      detail: optionalField(Schema.String, "What is wrong, if something is.")
    })
  },
  approval_resolved: {
    when: "An `approval_request` is closed: by the host's answer, by a grant that was given meanwhile (`granted`), or because its turn ended (`withdrawn`).",
    extension: "approval_resolved",
    schema: Schema.Struct({
      ...ofTurn,
      approvalId: field(Schema.String, "The id of the `approval_request`."),
      outcome: field(Schema.Literals(["approved", "denied", "withdrawn", "granted"]), "How it was closed.")
    })
  },
  turn_queued: {
    when: "A `send_message` was accepted. Sent before the turn's `user_message`.",
    extension: "queue",
    schema: Schema.Struct({
      ...ofTurn,
      position: field(Schema.Int, "Number of turns before it, the running one included; 0: it starts at once.")
    })
  }
} satisfies Readonly<Record<string, EventEntry>>
