import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { TelemetrySettings } from "./Settings.ts"
import { url } from "./Rules.ts"

const optional = Schema.optionalKey

/**
 * The values in a variable with headers, as they stand there and decoded. Whatever stands there instead of headers counts as
 * one, since the variable may be for another program and is checked only if telemetry is on.
 */
export const headerValues = (text: string): ReadonlyArray<string> =>
  text.split(",").flatMap((pair) => {
    const value = pair.slice(pair.indexOf("=") + 1).trim()
    return [value, decoded(value) ?? value]
  })

/** Parses `a=b,c=d`, with both sides percent-encoded; undefined if it is something else. */
const pairs = (text: string): { readonly [key: string]: string } | undefined => {
  const values: { [key: string]: string } = {}
  for (const pair of text.split(",")) {
    if (pair.trim() === "") continue
    const [, key, value] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? []
    const [name, content] = [decoded(key ?? ""), decoded((value ?? "").trim())]
    if (!name || content === undefined) return undefined
    values[name] = content
  }
  return values
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const isHeader = ([name, value]: readonly [string, string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)

const list = (expected: string, fits: (entry: readonly [string, string]) => boolean) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) => {
        const entries = pairs(text)
        return entries !== undefined && Object.entries(entries).every(fits)
      },
      { expected }
    )
  )

/** The variables of OpenTelemetry that telemetry is configured by; others of them are ignored. */
export const otelFields = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url),
  OTEL_EXPORTER_OTLP_PROTOCOL: optional(
    Schema.Literals(["http/json"]).annotate({ expected: `"http/json", the only protocol that is spoken` })
  ),
  OTEL_EXPORTER_OTLP_HEADERS: optional(list("headers as NAME=VALUE, separated by commas, percent-encoded", isHeader)),
  OTEL_SERVICE_NAME: optional(Schema.String),
  OTEL_RESOURCE_ATTRIBUTES: optional(list("attributes as KEY=VALUE, separated by commas, percent-encoded", () => true)),
  OTEL_SDK_DISABLED: optional(Schema.String)
}

/** Their values. They are only read if telemetry is on, since they may have been set for other programs. */
type OtelVariables = Schema.Struct.Type<typeof otelFields>

/** True if the variables turn telemetry on. */
export const isOn = (variable: (name: keyof typeof otelFields) => string | undefined): boolean =>
  variable("OTEL_EXPORTER_OTLP_ENDPOINT") !== undefined && !/^true$/i.test(variable("OTEL_SDK_DISABLED") ?? "")

/** The settings of telemetry; undefined if it is off. */
export const telemetry = (variables: OtelVariables): TelemetrySettings | undefined => {
  const endpoint = variables.OTEL_EXPORTER_OTLP_ENDPOINT
  if (endpoint === undefined) return undefined
  const { "service.name": named, ...attributes } = pairs(variables.OTEL_RESOURCE_ATTRIBUTES ?? "") ?? {}
  const { origin, pathname } = new URL(endpoint)
  return {
    endpoint: origin + pathname.replace(/\/+$/, ""),
    headers: Redacted.make(pairs(variables.OTEL_EXPORTER_OTLP_HEADERS ?? "") ?? {}),
    serviceName: variables.OTEL_SERVICE_NAME ?? named ?? "atomic-agent-sidecar",
    resourceAttributes: attributes
  }
}
