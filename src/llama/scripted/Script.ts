import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { AtLeastOne, AtLeastZero } from "../../protocol/Checks.ts"
import { explain } from "../../protocol/Explain.ts"

const ScriptCall = Schema.Struct({
  /** The dotted name of a tool; an unknown name is allowed too. */
  name: Schema.String,
  /** An object, or a string that stands for the text that the model wrote, valid JSON or not. Absent: `{}`. */
  arguments: Schema.optionalKey(Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.String]))
})

const ScriptFailure = Schema.Struct({
  kind: Schema.Literals(["Unreachable", "Loading", "Rejected", "Malformed", "Cut", "Stalled", "Overflow"]),
  message: Schema.optionalKey(Schema.String),
  /** For `Rejected`: the HTTP status, 200 for an error inside the stream. */
  status: Schema.optionalKey(Schema.Int),
  /** For `Overflow`, in tokens, and so is `windowTokens`. */
  usedTokens: Schema.optionalKey(AtLeastOne),
  windowTokens: Schema.optionalKey(AtLeastOne)
})

/** What the model does in one step, in the order of the keys. */
const ScriptStep = Schema.Struct({
  /** The model loads for this many milliseconds. */
  loadingMs: Schema.optionalKey(AtLeastZero),
  /** Progress of reading the prompt, in tokens. */
  prefill: Schema.optionalKey(
    Schema.Array(Schema.Struct({ processed: AtLeastZero, total: AtLeastZero, cached: Schema.optionalKey(AtLeastZero) }))
  ),
  reasoning: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String),
  /** The text in the pieces in which it is sent; takes precedence over `text`. */
  chunks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Characters in a piece of `reasoning` and `text`. Absent: about a word. */
  chunkSize: Schema.optionalKey(AtLeastOne),
  /** How many times the text is sent, for long answers. */
  repeat: Schema.optionalKey(AtLeastOne),
  /** Milliseconds before each piece. */
  delayMs: Schema.optionalKey(AtLeastZero),
  toolCalls: Schema.optionalKey(Schema.Array(ScriptCall)),
  finish: Schema.optionalKey(Schema.Literals(["stop", "tool_calls", "length"])),
  usage: Schema.optionalKey(
    Schema.Struct({
      promptTokens: AtLeastZero,
      cachedTokens: Schema.optionalKey(AtLeastZero),
      completionTokens: AtLeastZero
    })
  ),
  /** The call fails after all of the above. */
  failure: Schema.optionalKey(ScriptFailure),
  /** The call never ends after all of the above, so that a host can cancel it. */
  hang: Schema.optionalKey(Schema.Boolean)
})
export type ScriptStep = typeof ScriptStep.Type

const ScriptTurn = Schema.Struct({
  /** This turn answers every message that contains the text. Turns without `when` are played in order. */
  when: Schema.optionalKey(Schema.Struct({ userTextIncludes: Schema.String })),
  steps: Schema.Array(ScriptStep)
})

/**
 * The script of a model: turns, each with one step per model call.
 *
 * A turn is chosen by `when`, else by its index among the turns without `when`. If there is no such turn or step,
 * `otherwise` is played: `"loop"` starts the turns from the first again, a step is played each time.
 */
export const Script = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  contextTokens: Schema.optionalKey(AtLeastOne),
  turns: Schema.Array(ScriptTurn),
  otherwise: Schema.optionalKey(Schema.Union([Schema.Literal("loop"), ScriptStep]))
})
export type Script = typeof Script.Type

/** A script cannot be read or is invalid. The message names the file and the key. */
export class ScriptError extends Schema.TaggedError<ScriptError>()("ScriptError", {
  path: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.why}`
  }
}

/** Parses the text of a script; `why` says what is wrong with which key. */
export const parse = (text: string): { readonly script: Script } | { readonly why: string } => {
  let json: unknown
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch (error) {
    return { why: `not JSON: ${error instanceof Error ? error.message : String(error)}` }
  }
  const decoded = decode(json)
  return decoded._tag === "Success" ? { script: decoded.success } : { why: explain(decoded.failure, json, "script") }
}

const decode = SchemaParser.decodeUnknownResult(Script)

/**
 * The step that a script plays for a model call. `messages` are those of the session's turns, the one that is answered
 * last: those that a `when` has answered do not count for the order of the others.
 */
export const stepAt = (script: Script, messages: ReadonlyArray<string>, stepIndex: number): ScriptStep => {
  const calledBy = (text: string) =>
    script.turns.find((turn) => turn.when !== undefined && text.includes(turn.when.userTextIncludes))
  const ordered = script.turns.filter((turn) => turn.when === undefined)
  const index = messages.slice(0, -1).filter((text) => calledBy(text) === undefined).length
  const called = calledBy(messages.at(-1) ?? "")
  const turn = called ?? ordered[script.otherwise === "loop" ? index % Math.max(1, ordered.length) : index]
  const otherwise = script.otherwise === "loop" ? undefined : script.otherwise
  return turn?.steps[stepIndex] ?? otherwise ?? { text: "The script has nothing more to say here." }
}
