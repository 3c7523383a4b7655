import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { AtLeastOne, AtLeastZero } from "../../protocol/Checks.ts"
import { explain } from "../../protocol/Explain.ts"

const ScriptCall = Schema.Struct({
  /** The dotted name, or one that no tool has. */
  name: Schema.String,
  /** An object; a string is taken for the text that the model wrote, good JSON or not. Absent: `{}`. */
  arguments: Schema.optionalKey(Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.String]))
})

const ScriptFailure = Schema.Struct({
  kind: Schema.Literals(["Unreachable", "Loading", "Rejected", "Malformed", "Cut", "Stalled", "Overflow"]),
  message: Schema.optionalKey(Schema.String),
  /** Of `Rejected`: the HTTP status, 200 for an error inside the stream. */
  status: Schema.optionalKey(Schema.Int),
  /** Of `Overflow`, in tokens. */
  usedTokens: Schema.optionalKey(AtLeastOne),
  windowTokens: Schema.optionalKey(AtLeastOne)
})

/** What the model does in one step, in this order; every key may be left out. */
const ScriptStep = Schema.Struct({
  /** The server says that it loads, for so many milliseconds. */
  loadingMs: Schema.optionalKey(AtLeastZero),
  /** Progress of reading the prompt, in tokens. */
  prefill: Schema.optionalKey(
    Schema.Array(Schema.Struct({ processed: AtLeastZero, total: AtLeastZero, cached: Schema.optionalKey(AtLeastZero) }))
  ),
  reasoning: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String),
  /** The text as the pieces that it comes in. */
  chunks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Characters of a piece, where `chunks` does not say; without it a piece is about a word. */
  chunkSize: Schema.optionalKey(AtLeastOne),
  /** The text is sent so many times, for long answers. */
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
  /** Instead of an end, after all of the above. */
  failure: Schema.optionalKey(ScriptFailure),
  /** Never ends, after all of the above: for a host to cancel. */
  hang: Schema.optionalKey(Schema.Boolean)
})
export type ScriptStep = typeof ScriptStep.Type

const ScriptTurn = Schema.Struct({
  /** This turn answers any message that has the text in it; those without `when` are played in their order. */
  when: Schema.optionalKey(Schema.Struct({ userTextIncludes: Schema.String })),
  steps: Schema.Array(ScriptStep)
})

/**
 * What a scripted model says: turns of steps, a step being one model call.
 *
 * A turn is found by `when`, else by its place among the turns without one. Where turns or steps run out, `otherwise`
 * speaks: `"loop"` begins the turns anew, a step is said each time.
 */
export const Script = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  contextTokens: Schema.optionalKey(AtLeastOne),
  turns: Schema.Array(ScriptTurn),
  otherwise: Schema.optionalKey(Schema.Union([Schema.Literal("loop"), ScriptStep]))
})
export type Script = typeof Script.Type

/** A script that cannot be played; the message names the file and the key. */
export class ScriptError extends Schema.TaggedError<ScriptError>()("ScriptError", {
  path: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `${this.path}: ${this.why}`
  }
}

/** A script from the text of a file; else what is wrong with it, by key. */
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

/** The step that a script has for a model call. */
export const stepAt = (script: Script, turnIndex: number, stepIndex: number, userText: string): ScriptStep => {
  const ordered = script.turns.filter((turn) => turn.when === undefined)
  const called = script.turns.find((turn) => turn.when !== undefined && userText.includes(turn.when.userTextIncludes))
  const turn = called ?? ordered[script.otherwise === "loop" ? turnIndex % Math.max(1, ordered.length) : turnIndex]
  const otherwise = script.otherwise === "loop" ? undefined : script.otherwise
  return turn?.steps[stepIndex] ?? otherwise ?? { text: "The script has nothing more to say here." }
}
