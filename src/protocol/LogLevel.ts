import * as Schema from "effect/Schema"

export const LogLevel = Schema.Literals(["debug", "info", "warn", "error"]).annotate({
  identifier: "LogLevel",
  description: "How severe a log line is, from the least to the most severe."
})
export type LogLevel = typeof LogLevel.Type
