import { assert, describe, it } from "@effect/vitest"
import { isOwnVariable } from "../../src/domain/OwnVariables.ts"

describe("variables of our own", () => {
  const names: ReadonlyArray<readonly [name: string, isOwn: boolean]> = [
    ["ATOMIC_AGENT_LLAMA_API_KEY", true],
    ["Atomic_Agent_State_Dir", true],
    ["ELECTRON_RUN_AS_NODE", true],
    ["electron_run_as_node", true],
    ["OTEL_EXPORTER_OTLP_HEADERS", true],
    ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", true],
    ["otel_exporter_otlp_metrics_headers", true],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", false],
    ["OTEL_SERVICE_NAME", false],
    ["MY_ATOMIC_AGENT_KEY", false],
    ["ELECTRON_RUN_AS_NODE_TOO", false],
    ["ELECTRON_ENABLE_LOGGING", false],
    ["LLAMA_API_KEY", false]
  ]

  it.each(names)("%s: %s", (name, isOwn) => {
    assert.strictEqual(isOwnVariable(name), isOwn)
  })
})
