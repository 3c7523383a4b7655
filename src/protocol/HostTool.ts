import * as Schema from "effect/Schema"
import { AtLeastOne } from "./Checks.ts"
import { field, nullableField } from "./Field.ts"

/** A tool's name: its dots are underscores on the model's wire. */
const ToolName = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_.-]{1,64}$/, { expected: "1 to 64 letters, digits, dots, dashes and underscores" })
)

/** The description of a tool that the host runs (contract 9, `host_tools`). */
export const HostTool = Schema.Struct({
  name: field(ToolName, "Its name, which no other tool has."),
  description: field(Schema.String, "What it does, for the model."),
  parameters: field(
    Schema.Record(Schema.String, Schema.Unknown),
    "A JSON Schema (2020-12) of type `object` for its arguments."
  ),
  reads: nullableField(Schema.Boolean, "True if it only reads: its calls may run side by side. Default: false."),
  timeoutMs: nullableField(AtLeastOne, "How long the host may take for a call, in milliseconds. Default: 600,000.")
}).annotate({ identifier: "HostTool", description: "A tool that the host runs." })
export type HostTool = typeof HostTool.Type
