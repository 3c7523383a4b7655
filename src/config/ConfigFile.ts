import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { LogLevel } from "../protocol/LogLevel.ts"
import { firstFault, pathText } from "../protocol/Explain.ts"
import { allowedHost } from "./AllowedHost.ts"
import { ConfigInvalid, mayHoldPassword, shown } from "./ConfigInvalid.ts"
import { NotBlank } from "../protocol/Checks.ts"
import { bytes, integerBetween, integerFrom, milliseconds, url } from "./Rules.ts"

const optional = Schema.optionalKey
/** A key whose default is "none", for which a file may also have null. */
const optionalOrNone = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The keys of `config.json` (docs/configuration.md); others are ignored. */
export const ConfigFile = Schema.Struct({
  localModels: optional(
    Schema.Struct({
      mode: optional(Schema.Literals(["external", "managed", "scripted"])),
      url: optional(url),
      model: optionalOrNone(Schema.String),
      completionMaxTokens: optional(integerFrom(0)),
      thinking: optional(Schema.Literals(["auto", "on", "off"])),
      script: optionalOrNone(Schema.String),
      managed: optional(
        Schema.Struct({
          command: optional(NotBlank),
          modelPath: optionalOrNone(Schema.String),
          port: optional(integerBetween(1, 65_535)),
          contextSize: optional(integerFrom(0)),
          args: optional(Schema.Array(Schema.String))
        })
      )
    })
  ),
  agent: optional(
    Schema.Struct({
      maxSteps: optional(integerFrom(1)),
      task: optional(Schema.Struct({ maxSteps: optional(integerFrom(1)), maxDurationMs: optional(milliseconds) })),
      approvalLevel: optional(Schema.Literals([1, 2, 3, 4, 5]).annotate({ expected: "an integer from 1 to 5" })),
      /** For older files: true is level 1, false is level 5. */
      approvalRequired: optional(Schema.Boolean),
      toolTimeoutMs: optional(milliseconds),
      conversationMaxTokens: optional(integerFrom(0)),
      instructions: optionalOrNone(Schema.String)
    })
  ),
  log: optional(Schema.Struct({ level: optional(LogLevel) })),
  tools: optional(
    Schema.Struct({
      shell: optional(Schema.Struct({ defaultTimeoutMs: optional(milliseconds), maxOutputBytes: optional(bytes) }))
    })
  ),
  http: optional(
    Schema.Struct({
      enabled: optional(Schema.Boolean),
      hostAllowlist: optionalOrNone(Schema.Array(allowedHost)),
      maxResponseBytes: optional(bytes),
      defaultTimeoutMs: optional(milliseconds)
    })
  ),
  skills: optional(Schema.Struct({ disabled: optional(Schema.Array(Schema.String)) })),
  sidecar: optional(Schema.Struct({ maxLineBytes: optional(bytes), outputBufferBytes: optional(bytes) }))
})
export type ConfigFile = typeof ConfigFile.Type

/** Parses the text of `config.json`. The failure names the key, and the value unless it may hold a password. */
export const parse = (file: string, text: string): Result.Result<ConfigFile, ConfigInvalid> => {
  const json = jsonOf(text.replace(/^\uFEFF/, ""))
  if (Result.isFailure(json)) {
    return Result.fail(new ConfigInvalid({ source: file, expected: "JSON", actual: json.failure }))
  }
  return Result.mapError(decode(json.success), ({ issue }) => {
    const fault = firstFault(issue, json.success)
    return new ConfigInvalid({
      source: file,
      ...(fault.path.length > 0 && { key: pathText("", fault.path) }),
      expected: fault.expected,
      ...(!mayHoldPassword(fault.actual) && { actual: shown(fault.actual) })
    })
  })
}

const decode = Schema.decodeUnknownResult(ConfigFile)

/** Fails with the position where the text stops being JSON, but not with the text, which may be a secret. */
const jsonOf = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    const before = text.slice(0, validLength(text)).split("\n")
    return Result.fail(`something else at line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`)
  }
}

/** The length of the longest start that could go on as JSON, by bisection: not all errors have a position. */
const validLength = (text: string): number => {
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1
    if (couldGoOn(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

const couldGoOn = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch (cause) {
    const message = cause instanceof SyntaxError ? cause.message : ""
    const [, position] = /at position (\d+)/.exec(message) ?? []
    return position === undefined ? message === "Unexpected end of JSON input" : Number(position) >= text.length
  }
}
