import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { LogLevel } from "../protocol/LogLevel.ts"
import { firstFault } from "../protocol/Explain.ts"
import { ConfigInvalid, mayHoldPassword, shown } from "./ConfigInvalid.ts"
import type { Assignment } from "./DotEnv.ts"
import { isOn, otelFields } from "./Otel.ts"
import { integerBetween, integerFrom, milliseconds, numberBetween, numberFrom, token, url } from "./Rules.ts"

const optional = Schema.optionalKey

/** The variables of settings (docs/configuration.md), except `ATOMIC_AGENT_STATE_DIR`, which is read before them. */
const Variables = Schema.Struct({
  ATOMIC_AGENT_LLAMA_URL: optional(url),
  ATOMIC_AGENT_LLAMA_API_KEY: optional(token),
  ATOMIC_AGENT_LLAMA_MAX_TOKENS: optional(integerFrom(0)),
  ATOMIC_AGENT_LLAMA_HEALTH_TIMEOUT_MS: optional(milliseconds),
  ATOMIC_AGENT_LLAMA_FIRST_TOKEN_TIMEOUT_MS: optional(milliseconds),
  ATOMIC_AGENT_LLAMA_REQUEST_TIMEOUT_MS: optional(milliseconds),
  ATOMIC_AGENT_LLAMA_COMPLETION_RETRIES: optional(integerBetween(1, 100)),
  ATOMIC_AGENT_LLAMA_COMPLETION_RETRY_BACKOFF_MS: optional(integerBetween(0, 60_000)),
  ATOMIC_AGENT_LLAMA_DEFAULT_SLOT: optional(integerFrom(-1)),
  ATOMIC_AGENT_LLAMA_TEMPERATURE: optional(numberFrom(0)),
  ATOMIC_AGENT_LLAMA_TOP_P: optional(numberBetween(0, 1)),
  ATOMIC_AGENT_LLAMA_TOP_K: optional(integerFrom(-1)),
  ATOMIC_AGENT_LLAMA_SEED: optional(integerFrom(-1)),
  ATOMIC_AGENT_MAX_PARALLEL_TOOL_CALLS: optional(integerBetween(1, 16)),
  ATOMIC_AGENT_LOG_LEVEL: optional(LogLevel),
  ...otelFields
})
export type Variables = typeof Variables.Type

/** Variables whose values are texts even if they look like numbers. */
const texts: ReadonlySet<string> = new Set([
  "ATOMIC_AGENT_LLAMA_URL",
  "ATOMIC_AGENT_LLAMA_API_KEY",
  "ATOMIC_AGENT_LOG_LEVEL",
  ...Object.keys(otelFields)
])

/** Variables whose values are not repeated in an error. */
const secrets: ReadonlySet<string> = new Set([
  "ATOMIC_AGENT_LLAMA_API_KEY",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_RESOURCE_ATTRIBUTES"
])

export type Environment = { readonly [name: string]: string | undefined }

/** A variable's text without blanks around it; undefined if it is empty. */
export const set = (text: string | undefined): string | undefined => text?.trim() || undefined

/** Parses the variables of the process, and from `.env` those that the process does not set. */
export const parse = (
  environment: Environment,
  file: string,
  dotEnv: ReadonlyMap<string, Assignment>
): Result.Result<Variables, ConfigInvalid> => {
  const raw: { [name: string]: string | number } = {}
  const given = (name: string) => set(environment[name]) ?? set(dotEnv.get(name)?.value)
  const isSending = isOn(given)
  for (const name of Object.keys(Variables.fields)) {
    const text = name in otelFields && !isSending ? undefined : given(name)
    if (text !== undefined) raw[name] = texts.has(name) ? text : numberOrText(text)
  }
  // Usually none is set, and the decoder's first run takes a noticeable part of the start.
  if (Object.keys(raw).length === 0) return Result.succeed({})
  return Result.mapError(decode(raw), ({ issue }) => {
    const { path, expected, actual } = firstFault(issue, raw)
    const key = String(path[0])
    if (set(environment[key]) === undefined) {
      return new ConfigInvalid({ source: `${file} line ${dotEnv.get(key)?.line}`, key, expected })
    }
    const hidden = secrets.has(key) || mayHoldPassword(actual)
    return new ConfigInvalid({
      source: `environment variable ${key}`,
      expected,
      ...(!hidden && { actual: shown(actual) })
    })
  })
}

const decode = Schema.decodeUnknownResult(Variables)

const numberOrText = (text: string): string | number => (/^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text)
