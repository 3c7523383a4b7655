import * as Schema from "effect/Schema"
import { AtLeastOne, AtLeastZero, NotBlank } from "./Checks.ts"
import { field, nullableField, optionalField } from "./Field.ts"

const Thinking = Schema.Literals(["auto", "on", "off"])
const ApprovalLevel = Schema.Literals([1, 2, 3, 4, 5])
const Temperature = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 10 }, { expected: "a number from 0 to 10" })
)
const Names = Schema.Array(Schema.String)

/** What a host may set for one session (contract 9, `options`). */
export const SessionOptions = Schema.Struct({
  model: nullableField(NotBlank, "The model that the server is asked for. Default: `localModels.model`."),
  thinking: nullableField(Thinking, "Whether the model thinks first. Default: `localModels.thinking`."),
  approvalLevel: nullableField(ApprovalLevel, "What runs without a question, 1 to 5. Default: `agent.approvalLevel`."),
  maxSteps: nullableField(AtLeastOne, "Step budget of a turn whose message names none. Default: `agent.maxSteps`."),
  temperature: nullableField(Temperature, "The sampling temperature. Default: the configured one, else the server's."),
  completionMaxTokens: nullableField(
    AtLeastZero,
    "Tokens of an answer at most; 0: no limit. Default: `localModels.completionMaxTokens`."
  ),
  disabledTools: nullableField(Names, "Names of tools that the model is not offered. Only when a session begins."),
  instructions: nullableField(
    Schema.String,
    "The end of the system prompt. Only when a session begins. Default: `agent.instructions`."
  )
}).annotate({
  identifier: "SessionOptions",
  description: "Settings of one session. What is left out keeps its value; null goes back to the configuration's."
})
export type SessionOptions = typeof SessionOptions.Type

/** The options of a session as they are in force. */
export const OptionsInForce = Schema.Struct({
  model: optionalField(Schema.String, "The model that the server is asked for; absent if none is named."),
  thinking: field(Thinking, "Whether the model thinks first; `auto` is left to the server."),
  approvalLevel: field(ApprovalLevel, "What runs without a question."),
  maxSteps: field(Schema.Int, "Step budget of a turn whose message names none."),
  temperature: optionalField(Schema.Finite, "The sampling temperature; absent: the server's."),
  completionMaxTokens: field(Schema.Int, "Tokens of an answer at most; 0: no limit."),
  disabledTools: field(Names, "Names of tools that the model is not offered."),
  instructions: optionalField(Schema.String, "The end of the system prompt; absent if there is none.")
}).annotate({ identifier: "OptionsInForce", description: "The options of a session as they are in force." })
export type OptionsInForce = typeof OptionsInForce.Type
