import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { resolve, type Sources } from "../../src/config/Resolve.ts"
import { hideSecrets, secretsOf } from "../../src/config/Secrets.ts"
import type { Settings } from "../../src/config/Settings.ts"
import { redactSecrets } from "../../src/domain/RedactSecrets.ts"
import { settings } from "../tools/fixture.ts"

const hiding = (apiKey: string | undefined, headers: Readonly<Record<string, string>> = {}) => {
  const key = apiKey === undefined ? undefined : Redacted.make(apiKey)
  const telemetry = { headers: Redacted.make(headers) } as NonNullable<Settings["telemetry"]>
  return redactSecrets(secretsOf({ ...settings, llama: { ...settings.llama, apiKey: key }, telemetry }), "<secret>")
}

describe("the sidecar's own secrets", () => {
  it("are taken out of a text, wherever and however often they stand there", () => {
    const hide = hiding("sk-planted", { "x-key": "otel-planted" })
    assert.strictEqual(
      hide("a=sk-planted\0b=otel-planted;sk-plantedsk-planted"),
      "a=<secret>\0b=<secret>;<secret><secret>"
    )
    assert.strictEqual(hide("sk-plan ted"), "sk-plan ted")
  })

  it("are recognised percent-encoded, as they stand in a variable", () => {
    assert.strictEqual(hiding("key&of/mine=")("x=key%26of%2Fmine%3D key&of/mine="), "x=<secret> <secret>")
  })

  it("are as secret without the word before them", () => {
    const hide = hiding(undefined, { Authorization: "Bearer token-planted" })
    assert.strictEqual(hide("Bearer token-planted, or token-planted"), "<secret>, or <secret>")
    assert.strictEqual(hide("Bearer of news"), "Bearer of news")
    assert.strictEqual(hide("x=Bearer%20token-planted"), "x=<secret>")
  })

  it("are hidden whole where one holds another", () => {
    assert.strictEqual(hiding("planted", { a: "planted-of-mine" })("it is planted-of-mine"), "it is <secret>")
    assert.strictEqual(hiding("planted-of-mine", { a: "planted" })("it is planted-of-mine"), "it is <secret>")
  })

  it("are none where they are shorter than six characters", () => {
    assert.strictEqual(hiding("12345", { a: "b c" })("12345 b c"), "12345 b c")
    assert.strictEqual(hiding("123456")("123456"), "<secret>")
  })

  it.each<readonly [string, Partial<Sources>]>([
    ["for a collector that is not named", { environment: { OTEL_EXPORTER_OTLP_HEADERS: "x-key=otel-planted" } }],
    [
      "where telemetry is disabled",
      {
        environment: {
          OTEL_EXPORTER_OTLP_ENDPOINT: "http://h",
          OTEL_SDK_DISABLED: "true",
          OTEL_EXPORTER_OTLP_HEADERS: "a=b,authorization=Bearer%20otel-planted"
        }
      }
    ],
    ["of one signal", { environment: { OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=otel-planted" } }],
    ["in .env", { dotEnv: "OTEL_EXPORTER_OTLP_METRICS_HEADERS='x-key = otel-planted'" }],
    [
      "in .env below those of the environment",
      { environment: { OTEL_EXPORTER_OTLP_HEADERS: "a=b" }, dotEnv: "OTEL_EXPORTER_OTLP_HEADERS=x-key=otel-planted" }
    ],
    ["that are none", { environment: { OTEL_EXPORTER_OTLP_HEADERS: "otel-planted" } }],
    ["that cannot be decoded", { environment: { OTEL_EXPORTER_OTLP_HEADERS: "a=otel-planted%ZZ" } }],
    ["by a name in other letters", { environment: { Otel_Exporter_Otlp_Headers: "a=otel-planted" } }]
  ])("are the headers of telemetry %s", (_, sources) => {
    const found = Result.getOrThrow(resolve({ environment: {}, cwd: "/", home: "/home/me", ...sources }))
    assert.notInclude(hideSecrets(found)("it is otel-planted, is it"), "planted")
    assert.notInclude(JSON.stringify(found), "planted")
  })

  it("are none where none are configured", () => {
    assert.strictEqual(
      redactSecrets(secretsOf(settings), "<secret>")("any text, undefined too"),
      "any text, undefined too"
    )
  })
})
