import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Settings } from "../../src/config/Settings.ts"
import { resolve, type Sources } from "../../src/config/Resolve.ts"

const sources = (changes: Partial<Sources> = {}): Sources => ({
  environment: {},
  cwd: "/place/here",
  home: "/home/me",
  ...changes
})

const resolved = (changes: Partial<Sources> = {}): Settings => Result.getOrThrow(resolve(sources(changes)))

const refusal = (changes: Partial<Sources>): string => Result.getOrThrow(Result.flip(resolve(sources(changes)))).message

/** `{"a":{"b":value}}` for `a.b`. */
const nested = (key: string, value: unknown) =>
  JSON.stringify(key.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value))

const at = (settings: Settings, key: string): unknown =>
  key.split(".").reduce<unknown>((value, name) => Reflect.get(Object(value), name), settings)

const milliseconds = "an integer from 1 to 2147483647"
const bytes = "an integer from 1 to 268435456"
const url = "an http or https URL without user name, password, query and fragment"
const levels = `"debug" or "info" or "warn" or "error"`

/** Key, default, a value that is taken, what is expected there, and values that are refused. */
const keys: ReadonlyArray<readonly [string, unknown, unknown, string, ReadonlyArray<unknown>]> = [
  ["localModels.mode", "external", "managed", `"external" or "managed" or "scripted"`, ["local", "", 1, null, true]],
  [
    "localModels.url",
    "http://127.0.0.1:8080",
    "https://model.local:1",
    url,
    ["", "127.0.0.1:8080", "ftp://x", 8080, null]
  ],
  ["localModels.model", undefined, "qwen", "string or null", [1, true, {}, []]],
  ["localModels.completionMaxTokens", 16_384, 0, "an integer ≥ 0", [-1, 1.5, "16", null, true, [1], {}]],
  ["localModels.thinking", "auto", "off", `"auto" or "on" or "off"`, ["yes", true, null]],
  ["localModels.script", undefined, "/a/script.json", "string or null", [1, {}]],
  ["localModels.managed.command", "llama-server", "/opt/llama", "a string that is not blank", ["", " ", 1, null, []]],
  ["localModels.managed.modelPath", undefined, "/a/model.gguf", "string or null", [1, true]],
  ["localModels.managed.port", 19_091, 65_535, "an integer from 1 to 65535", [0, 65_536, 1.5, "1", null]],
  ["localModels.managed.contextSize", 0, 8192, "an integer ≥ 0", [-1, 0.5, "1", null]],
  ["localModels.managed.args", [], ["-ngl", "99"], "array", ["-ngl 99", { a: 1 }, null, 1]],
  ["agent.maxSteps", 25, 1, "an integer ≥ 1", [0, -1, 1.5, "25", null, 2 ** 53]],
  ["agent.task.maxSteps", 1000, 1, "an integer ≥ 1", [0, 1.5, "1", null]],
  ["agent.task.maxDurationMs", 7_200_000, 1, milliseconds, [0, -1, 2 ** 31, "1", null]],
  ["agent.approvalLevel", 1, 5, "an integer from 1 to 5", [0, 6, 1.5, "1", null, true]],
  ["agent.toolTimeoutMs", 60_000, 1, milliseconds, [0, 2 ** 31, "1", null]],
  ["agent.conversationMaxTokens", 0, 4096, "an integer ≥ 0", [-1, "0", null]],
  ["agent.instructions", undefined, "Be brief.", "string or null", [1, ["Be brief."]]],
  ["log.level", "info", "debug", levels, ["verbose", "INFO", 1, null]],
  ["tools.shell.defaultTimeoutMs", 120_000, 1, milliseconds, [0, 2 ** 31, "1", null]],
  ["tools.shell.maxOutputBytes", 1_048_576, 1, bytes, [0, 2 ** 31, "1", null]],
  ["http.enabled", true, false, "boolean", ["false", 0, null]],
  ["http.hostAllowlist", [], ["127.0.0.1", "nas.local"], "array or null", ["nas.local", 1, {}]],
  ["http.maxResponseBytes", 1_048_576, 1, bytes, [0, 2 ** 31, "1", null]],
  ["http.defaultTimeoutMs", 30_000, 1, milliseconds, [0, 2 ** 31, "1", null]],
  ["skills.disabled", [], ["pdf"], "array", ["pdf", null, {}]],
  ["sidecar.maxLineBytes", 33_554_432, 1, bytes, [0, -1, 2 ** 31, "1", null]],
  ["sidecar.outputBufferBytes", 8_388_608, 1, bytes, [0, -1, 2 ** 31, "1", null]]
]

/** Variable, where it goes, default, a text that is taken and as what, what is expected, and texts that are refused. */
const variables: ReadonlyArray<readonly [string, string, unknown, string, unknown, string, ReadonlyArray<string>]> = [
  [
    "LLAMA_URL",
    "localModels.url",
    "http://127.0.0.1:8080",
    "https://h/",
    "https://h",
    url,
    ["h:1", "file:///x", "8080"]
  ],
  [
    "LLAMA_MAX_TOKENS",
    "localModels.completionMaxTokens",
    16_384,
    "0",
    0,
    "an integer ≥ 0",
    ["-1", "1.5", "many", "0x10"]
  ],
  ["LLAMA_HEALTH_TIMEOUT_MS", "llama.healthTimeoutMs", 3000, "1", 1, milliseconds, ["0", "-1", "2147483648", "3s"]],
  ["LLAMA_FIRST_TOKEN_TIMEOUT_MS", "llama.firstTokenTimeoutMs", 1_800_000, "1", 1, milliseconds, ["0", "1e3", "x"]],
  ["LLAMA_REQUEST_TIMEOUT_MS", "llama.requestTimeoutMs", 300_000, "1", 1, milliseconds, ["0", "1.5", "x"]],
  ["LLAMA_COMPLETION_RETRIES", "llama.completionRetries", 3, "1", 1, "an integer from 1 to 100", ["0", "101", "x"]],
  [
    "LLAMA_COMPLETION_RETRY_BACKOFF_MS",
    "llama.retryBackoffMs",
    150,
    "0",
    0,
    "an integer from 0 to 60000",
    ["-1", "60001", "x"]
  ],
  ["LLAMA_DEFAULT_SLOT", "llama.defaultSlot", -1, "2", 2, "an integer ≥ -1", ["-2", "1.5", "x"]],
  ["LLAMA_TEMPERATURE", "llama.temperature", undefined, "0.7", 0.7, "a number ≥ 0", ["-0.1", "hot"]],
  ["LLAMA_TOP_P", "llama.topP", undefined, "0.95", 0.95, "a number from 0 to 1", ["1.1", "-1", "x"]],
  ["LLAMA_TOP_K", "llama.topK", undefined, "40", 40, "an integer ≥ -1", ["-2", "1.5", "x"]],
  ["LLAMA_SEED", "llama.seed", undefined, "42", 42, "an integer ≥ -1", ["-2", "1.5", "x"]],
  [
    "MAX_PARALLEL_TOOL_CALLS",
    "agent.maxParallelToolCalls",
    8,
    "16",
    16,
    "an integer from 1 to 16",
    ["0", "17", "1.5", "x"]
  ],
  ["LOG_LEVEL", "log.level", "info", "warn", "warn", levels, ["loud", "1"]]
]

describe("the keys of config.json", () => {
  it.each(keys)("%s: default, taken, refused", (key, initial, taken, expected, refused) => {
    assert.deepStrictEqual(at(resolved(), key), initial)
    assert.deepStrictEqual(at(resolved({ configJson: nested(key, taken) }), key), taken)
    for (const value of refused) {
      const message = refusal({ configJson: nested(key, value) })
      assert.isTrue(
        message.startsWith(`/home/me/.atomic-agent/config.json: ${key}: expected ${expected}, got `),
        message
      )
    }
  })

  it("are all there is: the table has a row for each", () => {
    const leaves = (value: object, path: string): ReadonlyArray<string> =>
      Object.entries(value).flatMap(([name, inner]) =>
        typeof inner === "object" && inner !== null && !Array.isArray(inner)
          ? leaves(inner, `${path}${name}.`)
          : [`${path}${name}`]
      )
    const rows = new Set([
      ...keys.map(([key]) => key),
      ...variables.map(([, key]) => key),
      "stateDir",
      "llama.apiKey",
      "telemetry",
      "secrets"
    ])
    assert.deepStrictEqual([...rows].toSorted(), leaves(resolved(), "").toSorted())
  })

  it.each(["model", "script", "managed.modelPath"].map((key) => `localModels.${key}`).concat("agent.instructions"))(
    "%s: null and blank are none",
    (key) => {
      assert.isUndefined(at(resolved({ configJson: nested(key, null) }), key))
      assert.isUndefined(at(resolved({ configJson: nested(key, " ") }), key))
    }
  )

  it.each([
    [{ approvalRequired: true }, 1],
    [{ approvalRequired: false }, 5],
    [{ approvalRequired: false, approvalLevel: 2 }, 2]
  ])("agent.approvalRequired of older versions: %j is level %i", (agent, level) => {
    assert.strictEqual(resolved({ configJson: JSON.stringify({ agent }) }).agent.approvalLevel, level)
  })

  it.each([
    ["agent.approvalRequired", "yes", `expected boolean, got "yes"`],
    ["localModels.managed.args", ["a", 1], "expected string, got 1"],
    ["http.hostAllowlist", ["a", "*"], `or a range such as 10.0.0.0/8, got "*"`],
    ["localModels", [], "expected object, got array"],
    ["localModels.managed", null, "expected object, got null"],
    ["agent.task", 5, "expected object, got 5"],
    ["tools.shell", "x", `expected object, got "x"`]
  ])("%s: %j is refused", (key, value, reason) => {
    assert.include(refusal({ configJson: nested(key, value) }), reason)
  })

  it("tell of a number that is too large for one", () => {
    assert.include(refusal({ configJson: `{"agent":{"maxSteps":1e999}}` }), "an integer ≥ 1, got Infinity")
  })

  it("that are unknown are ignored, at every depth", () => {
    const configJson = `{"telemetry":{"on":1},"agent":{"name":"x","task":{"legs":2}},"__proto__":{"agent":{"maxSteps":3}}}`
    assert.deepStrictEqual(resolved({ configJson }), resolved())
  })

  it.each([
    ["http://h:1", "http://h:1"],
    ["http://h:1/", "http://h:1"],
    ["http://h:1/v1", "http://h:1"],
    ["http://h:1/v1/", "http://h:1"],
    ["http://h:1/llama/v1//", "http://h:1/llama"],
    ["http://h:1/v1x", "http://h:1/v1x"],
    [" https://h ", "https://h"]
  ])("localModels.url %j is %s", (given, url) => {
    assert.strictEqual(resolved({ configJson: nested("localModels.url", given) }).localModels.url, url)
  })

  it.each([
    ["~/m.gguf", "/home/me/m.gguf"],
    ["m.gguf", "/place/here/m.gguf"],
    ["/m.gguf", "/m.gguf"],
    ["~other/m", "/place/here/~other/m"]
  ])("a path %s is %s", (given, found) => {
    assert.strictEqual(resolved({ configJson: nested("localModels.script", given) }).localModels.script, found)
    const { managed } = resolved({ configJson: nested("localModels.managed.modelPath", given) }).localModels
    assert.strictEqual(managed.modelPath, found)
  })

  it.each([
    ["llama-server", "llama-server"],
    ["~/bin/llama-server", "/home/me/bin/llama-server"],
    ["./llama-server", "/place/here/llama-server"],
    ["/opt/llama-server", "/opt/llama-server"]
  ])("the command %s is %s", (given, found) => {
    const { managed } = resolved({ configJson: nested("localModels.managed.command", given) }).localModels
    assert.strictEqual(managed.command, found)
  })

  it("the URL of a managed server is its port on this machine, whatever localModels.url says", () => {
    const localModels = { mode: "managed", url: "http://h:1", managed: { port: 1234 } }
    const { url } = resolved({ configJson: JSON.stringify({ localModels }) }).localModels
    assert.strictEqual(url, "http://127.0.0.1:1234")
  })
})

describe("the text of config.json", () => {
  it("may begin with a byte order mark", () => {
    assert.strictEqual(resolved({ configJson: `\uFEFF{"agent":{"maxSteps":3}}` }).agent.maxSteps, 3)
  })

  it.each([
    ["[]", "expected object, got array"],
    ["null", "expected object, got null"],
    ["3", "expected object, got 3"],
    ["", "expected JSON, got something else at line 1, column 1"],
    [`{"agent":\n  {"maxSteps": 3,}\n}`, "expected JSON, got something else at line 2, column 18"],
    [`{\n"a": sk-secret}`, "expected JSON, got something else at line 2, column 6"],
    [`{"a": "x" "b"}`, "expected JSON, got something else at line 1, column 11"],
    [`// a comment\n{}`, "expected JSON, got something else at line 1, column 1"],
    [`{"a": [1, 2`, "expected JSON, got something else at line 1, column 12"]
  ])("that is no object is refused with its place, never its content: %j", (configJson, reason) => {
    assert.strictEqual(refusal({ configJson }), `/home/me/.atomic-agent/config.json: ${reason}`)
  })

  it("is cut where a value is long", () => {
    assert.isBelow(refusal({ configJson: nested("log.level", "x".repeat(10_000)) }).length, 300)
  })
})

describe("the variables", () => {
  it.each(variables)(
    "ATOMIC_AGENT_%s: default, taken, refused",
    (name, key, initial, taken, value, expected, refused) => {
      const variable = `ATOMIC_AGENT_${name}`
      assert.deepStrictEqual(at(resolved(), key), initial)
      assert.deepStrictEqual(at(resolved({ environment: { [variable]: taken } }), key), value)
      assert.deepStrictEqual(at(resolved({ environment: { [variable]: ` ${taken} ` } }), key), value)
      assert.deepStrictEqual(at(resolved({ dotEnv: `${variable}=${taken}` }), key), value)
      for (const text of refused) {
        const message = refusal({ environment: { [variable]: text } })
        assert.isTrue(message.startsWith(`environment variable ${variable}: expected ${expected}, got `), message)
        assert.include(message, text)
        assert.strictEqual(
          refusal({ dotEnv: `# x\n${variable}=${text}` }),
          `/home/me/.atomic-agent/.env line 2: ${variable}: expected ${expected}`
        )
      }
      for (const empty of ["", " "]) {
        assert.deepStrictEqual(at(resolved({ environment: { [variable]: empty } }), key), initial)
        assert.deepStrictEqual(
          at(resolved({ environment: { [variable]: empty }, dotEnv: `${variable}=${taken}` }), key),
          value
        )
      }
    }
  )

  it("win over .env, .env over config.json, and that over the default", () => {
    const variable = "ATOMIC_AGENT_LLAMA_MAX_TOKENS"
    const configJson = nested("localModels.completionMaxTokens", 1)
    const tokens = (changes: Partial<Sources>) => resolved(changes).localModels.completionMaxTokens
    assert.deepStrictEqual(
      [
        tokens({}),
        tokens({ configJson }),
        tokens({ configJson, dotEnv: `${variable}=2` }),
        tokens({ configJson, dotEnv: `${variable}=2`, environment: { [variable]: "3" } })
      ],
      [16_384, 1, 2, 3]
    )
  })

  it("do not hide a wrong value below them", () => {
    assert.include(
      refusal({ environment: { ATOMIC_AGENT_LOG_LEVEL: "info" }, configJson: nested("log.level", "loud") }),
      "config.json: log.level"
    )
  })

  it("that are not ours are not looked at", () => {
    assert.deepStrictEqual(
      resolved({
        environment: { LLAMA_TOP_K: "x", ATOMIC_AGENT_OTHER: "x" },
        dotEnv: "PATH=x\nATOMIC_AGENT_STATE_DIR=/x"
      }),
      resolved()
    )
  })

  it("of .env on a line that cannot be read give its number alone", () => {
    assert.strictEqual(
      refusal({ dotEnv: "A=b\nsk-secret" }),
      "/home/me/.atomic-agent/.env line 2: expected KEY=VALUE, # and a comment, or nothing"
    )
  })
})

describe("ATOMIC_AGENT_LLAMA_API_KEY", () => {
  const variable = "ATOMIC_AGENT_LLAMA_API_KEY"

  it.each([{ environment: { [variable]: " sk-secret " } }, { dotEnv: `${variable}="sk-secret"` }])(
    "is kept out of sight: %j",
    (changes) => {
      const settings = resolved(changes)
      assert.strictEqual(settings.llama.apiKey && Redacted.value(settings.llama.apiKey), "sk-secret")
      assert.notInclude(JSON.stringify(settings), "sk-secret")
      assert.notInclude(String(settings.llama.apiKey), "sk-secret")
    }
  )

  it("is none by default, and cannot come from config.json", () => {
    const configJson = `{"llama":{"apiKey":"sk-secret"},"localModels":{"apiKey":"sk-secret"}}`
    assert.isUndefined(resolved({ configJson }).llama.apiKey)
  })

  it.each(["sk secret", "sk-sécret", "sk\nsecret"])("that fits no header is refused and not told: %j", (text) => {
    assert.strictEqual(
      refusal({ environment: { [variable]: text } }),
      `environment variable ${variable}: expected visible ASCII characters only`
    )
  })

  it.each([
    [{ environment: { ATOMIC_AGENT_LLAMA_URL: "http://me:secret@h" } }, "environment variable ATOMIC_AGENT_LLAMA_URL"],
    [{ configJson: nested("localModels.url", "http://me:secret@h") }, "config.json: localModels.url"],
    [{ configJson: nested("localModels.url", "http://h/?key=secret") }, "config.json: localModels.url"],
    [{ configJson: nested("localModels.url", "h:8080/v1?secret") }, "config.json: localModels.url"],
    [{ environment: { ATOMIC_AGENT_LLAMA_URL: "http://h/#secret" } }, "environment variable ATOMIC_AGENT_LLAMA_URL"]
  ])("nor is a password or a key in a URL: %j", (changes, place) => {
    const message = refusal(changes)
    assert.include(message, `${place}: expected ${url}`)
    assert.notInclude(message, "secret")
  })
})

describe("the variables of OpenTelemetry", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }
  const telemetry = (environment: Sources["environment"], dotEnv = "") => resolved({ environment, dotEnv }).telemetry

  it.each([
    ["http://127.0.0.1:4318", "http://127.0.0.1:4318"],
    [" https://collector.local/otlp/ ", "https://collector.local/otlp"]
  ])("the endpoint %j turns telemetry on, for %s", (given, used) => {
    const settings = telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: given })
    assert.deepStrictEqual(
      { ...settings, headers: settings && Redacted.value(settings.headers) },
      { endpoint: used, headers: {}, serviceName: "atomic-agent-sidecar", resourceAttributes: {} }
    )
    assert.deepStrictEqual(telemetry({}, `OTEL_EXPORTER_OTLP_ENDPOINT=${given}`), settings)
  })

  it.each([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: " " }, { ...endpoint, OTEL_SDK_DISABLED: "TRUE" }])(
    "with %j it is off, and the others are not looked at",
    (environment) => {
      const others = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_EXPORTER_OTLP_HEADERS: "?", OTEL_SERVICE_NAME: "x" }
      assert.isUndefined(telemetry({ ...others, ...environment }))
    }
  )

  it.each(["false", "0", "no"])("OTEL_SDK_DISABLED %j disables nothing", (OTEL_SDK_DISABLED) => {
    assert.isDefined(telemetry({ ...endpoint, OTEL_SDK_DISABLED }))
  })

  it("headers and attributes are decoded, and headers kept out of sight", () => {
    const settings = telemetry({
      ...endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20sk-secret, x-tenant = me ,,api-key=a=b==",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=dev,team=a%2Cb",
      OTEL_SERVICE_NAME: "desk"
    })
    assert.deepStrictEqual(settings && Redacted.value(settings.headers), {
      authorization: "Bearer sk-secret",
      "x-tenant": "me",
      "api-key": "a=b=="
    })
    assert.deepStrictEqual(settings?.resourceAttributes, { "deployment.environment": "dev", team: "a,b" })
    assert.strictEqual(settings?.serviceName, "desk")
    assert.notInclude(JSON.stringify(settings), "sk-secret")
  })

  it.each([
    ["service.name=desk", undefined, "desk"],
    ["service.name=desk", "table", "table"]
  ])("the service's name: attributes %j, variable %j: %s", (OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME, name) => {
    const settings = telemetry({ ...endpoint, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME })
    assert.strictEqual(settings?.serviceName, name)
    assert.deepStrictEqual(settings?.resourceAttributes, {})
  })

  it.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318", `${url}, got "127.0.0.1:4318"`],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "ftp://h", `${url}, got "ftp://h"`],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:sk-secret@h", url],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", `"http/json", the only protocol that is spoken, got "grpc"`],
    [
      "OTEL_EXPORTER_OTLP_PROTOCOL",
      "http/protobuf",
      `"http/json", the only protocol that is spoken, got "http/protobuf"`
    ],
    ["OTEL_EXPORTER_OTLP_HEADERS", "sk-secret", "headers as NAME=VALUE, separated by commas, percent-encoded"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=sk-secret", "headers as NAME=VALUE, separated by commas, percent-encoded"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=sk-secret%0D", "headers as NAME=VALUE, separated by commas, percent-encoded"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=sk-secret%ZZ", "headers as NAME=VALUE, separated by commas, percent-encoded"],
    ["OTEL_RESOURCE_ATTRIBUTES", "sk-secret", "attributes as KEY=VALUE, separated by commas, percent-encoded"]
  ])("%s %j is refused, and no secret is told", (variable, text, expected) => {
    assert.strictEqual(
      refusal({ environment: { ...endpoint, [variable]: text } }),
      `environment variable ${variable}: expected ${expected}`
    )
    assert.strictEqual(
      refusal({ environment: { ...endpoint, [variable]: "" }, dotEnv: `${variable}=${text}` }),
      `/home/me/.atomic-agent/.env line 1: ${variable}: expected ${expected.replace(/, got .*/, "")}`
    )
  })
})

describe("ATOMIC_AGENT_STATE_DIR", () => {
  it.each([
    [undefined, "/home/me/.atomic-agent"],
    ["", "/home/me/.atomic-agent"],
    ["~", "/home/me"],
    ["~/state", "/home/me/state"],
    ["/var/state", "/var/state"],
    ["state/../other", "/place/here/other"]
  ])("%j is %s", (text, stateDir) => {
    assert.strictEqual(resolved({ environment: { ATOMIC_AGENT_STATE_DIR: text } }).stateDir, stateDir)
  })

  it("must be given, and without ~, where there is no home directory", () => {
    const reason =
      "environment variable ATOMIC_AGENT_STATE_DIR: expected an absolute path, since there is no home directory"
    assert.strictEqual(refusal({ home: undefined }), reason)
    assert.strictEqual(refusal({ home: undefined, environment: { ATOMIC_AGENT_STATE_DIR: "~/x" } }), reason)
    assert.strictEqual(
      resolved({ home: undefined, environment: { ATOMIC_AGENT_STATE_DIR: "x" } }).stateDir,
      "/place/here/x"
    )
  })
})
