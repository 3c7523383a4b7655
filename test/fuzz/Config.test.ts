import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { resolve } from "../../src/config/Resolve.ts"
import { holds, json, patience, text } from "./holds.ts"

const file = "/home/u/.atomic-agent/config.json"
const settingsOf = (configJson: string) => resolve({ environment: {}, cwd: "/", home: "/home/u", configJson })

const words = text.filter((value) => value.trim() !== "" && value.isWellFormed())
const milliseconds = fc.integer({ min: 1, max: 2_147_483_647 })
const bytes = fc.integer({ min: 1, max: 256 * 1024 * 1024 })
const host = fc.oneof(fc.domain(), fc.ipV4(), fc.constantFrom("*.corp.example", "localhost:80", "[::1]", "10.0.0.0/8"))
const url = fc
  .tuple(fc.constantFrom("http", "https"), fc.domain(), fc.integer({ min: 1, max: 65_535 }))
  .map(([scheme, host, port]) => `${scheme}://${host}:${port}`)

/** All settings of the file, by path, with values that are good. */
const fields: { readonly [path: string]: fc.Arbitrary<unknown> } = {
  "localModels.mode": fc.constantFrom("external", "scripted"),
  "localModels.url": url,
  "localModels.model": fc.option(words),
  "localModels.completionMaxTokens": fc.nat(),
  "localModels.thinking": fc.constantFrom("auto", "on", "off"),
  "localModels.script": fc.option(words),
  "localModels.managed.command": words,
  "localModels.managed.modelPath": fc.option(words),
  "localModels.managed.port": fc.integer({ min: 1, max: 65_535 }),
  "localModels.managed.contextSize": fc.nat(),
  "localModels.managed.args": fc.array(text),
  "agent.maxSteps": fc.integer({ min: 1 }),
  "agent.task.maxSteps": fc.integer({ min: 1 }),
  "agent.task.maxDurationMs": milliseconds,
  "agent.approvalLevel": fc.integer({ min: 1, max: 5 }),
  "agent.approvalRequired": fc.boolean(),
  "agent.toolTimeoutMs": milliseconds,
  "agent.conversationMaxTokens": fc.nat(),
  "agent.instructions": fc.option(text),
  "log.level": fc.constantFrom("debug", "info", "warn", "error"),
  "tools.shell.defaultTimeoutMs": milliseconds,
  "tools.shell.maxOutputBytes": bytes,
  "http.enabled": fc.boolean(),
  "http.hostAllowlist": fc.option(fc.array(host)),
  "http.maxResponseBytes": bytes,
  "http.defaultTimeoutMs": milliseconds,
  "skills.disabled": fc.array(text),
  "sidecar.maxLineBytes": bytes,
  "sidecar.outputBufferBytes": bytes
}

type Json = { readonly [key: string]: unknown }

const isSection = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The settings that stand in a file, as paths. */
const leaves = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  isSection(value) ? Object.keys(value).flatMap((key) => leaves(value[key], [...path, key])) : [path]

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((inner, key) => (isSection(inner) ? inner[key] : undefined), value)

const put = (value: unknown, [key, ...rest]: ReadonlyArray<string>, leaf: unknown): unknown =>
  key === undefined
    ? leaf
    : { ...(isSection(value) ? value : {}), [key]: put(isSection(value) ? value[key] : {}, rest, leaf) }

/** Files that are good. */
const good: fc.Arbitrary<unknown> = fc
  .array(fc.oneof(...Object.entries(fields).map(([path, value]) => fc.tuple(fc.constant(path), value))), {
    maxLength: 8
  })
  .map((settings) => settings.reduce<unknown>((config, [path, value]) => put(config, path.split("."), value), {}))

/** Of these what is said differs from what is meant: an address is trimmed, a path made absolute, a level has an old name. */
const reworded =
  /^(localModels\.(url|script|model|managed\.(command|modelPath))|agent\.(approvalRequired|instructions))$/

describe("config.json", { timeout: patience }, () => {
  it("is obeyed to the letter where it is good, and what it does not name has its default", () => {
    const defaults = Result.getOrThrow(settingsOf("{}"))
    holds(good, (config) => {
      const settings = Result.getOrThrow(settingsOf(JSON.stringify(config)))
      for (const path of leaves(defaults)) {
        const name = path.join(".")
        if (
          reworded.test(name) ||
          (name === "agent.approvalLevel" && at(config, ["agent", "approvalRequired"]) !== undefined)
        )
          continue
        const expected = at(config, path) ?? at(defaults, path)
        assert.deepStrictEqual(at(settings, path), expected, name)
      }
    })
  })

  it("ignores keys that it does not know, wherever they stand", () =>
    holds(fc.tuple(good, json), ([config, value]) => {
      const more = leaves(config).reduce<unknown>(
        (found, path) => put(found, [...path.slice(0, -1), "x-unknown"], value),
        config
      )
      assert.deepStrictEqual(settingsOf(JSON.stringify(more)), settingsOf(JSON.stringify(config)))
    }))

  it("that has one bad value is refused with the file and that key", () =>
    holds(fc.tuple(good, fc.nat(), json), ([config, which, value]) => {
      const paths = leaves(config).filter((path) => path.length > 0)
      const path = paths[which % Math.max(1, paths.length)]
      if (path === undefined) return
      const resolved = settingsOf(JSON.stringify(put(config, path, value)))
      if (Result.isSuccess(resolved)) return
      const { key, message } = resolved.failure
      assert.isTrue(message.startsWith(`${file}: ${path.join(".")}`), message)
      assert.isTrue(key?.startsWith(path.join(".")), key)
      assert.match(message, /: expected [^]+/)
      assert.isAtMost(message.length, 500)
    }))

  it("is good or refused in few words, whatever it is", () =>
    holds(
      fc.oneof(
        text,
        json.map((value) => JSON.stringify(value)),
        fc.tuple(good, text).map(([config, more]) => JSON.stringify(config) + more)
      ),
      (configJson) => {
        const resolved = settingsOf(configJson)
        if (Result.isSuccess(resolved)) return
        assert.isTrue(resolved.failure.message.startsWith(`${file}: `), resolved.failure.message)
        assert.isAtMost(resolved.failure.message.length, 500)
      }
    ))

  it("that is no JSON is refused with the place, and without what stands there", () =>
    holds(fc.tuple(good, fc.nat()), ([config, at]) => {
      const whole = JSON.stringify({ ...(config as object), key: "5ecret" }, null, 2)
      const broken = `${whole.slice(0, at % whole.length)}5ecret${whole.slice(at % whole.length)}`
      const resolved = settingsOf(broken)
      if (Result.isSuccess(resolved)) return
      const { key, message } = resolved.failure
      if (key === undefined) assert.match(message, /: expected JSON, got something else at line \d+, column \d+$/)
      if (key === undefined) assert.notInclude(message, "5ecret")
    }))

  it("yields to variables, which are obeyed or refused by name", () => {
    const names = [
      "ATOMIC_AGENT_LLAMA_URL",
      "ATOMIC_AGENT_LLAMA_API_KEY",
      "ATOMIC_AGENT_LLAMA_MAX_TOKENS",
      "ATOMIC_AGENT_LLAMA_TOP_P",
      "ATOMIC_AGENT_LOG_LEVEL",
      "ATOMIC_AGENT_MAX_PARALLEL_TOOL_CALLS"
    ]
    const value = fc.oneof(text, fc.integer().map(String), url, fc.constantFrom("debug", "0.5", "8", "1e3", " 7 "))
    holds(fc.dictionary(fc.constantFrom(...names), value), (environment) => {
      const resolved = resolve({ environment, cwd: "/", home: "/home/u" })
      if (Result.isSuccess(resolved)) return
      const { message } = resolved.failure
      assert.match(message, /^environment variable ATOMIC_AGENT_[A-Z_]+: expected /)
      assert.isAtMost(message.length, 500)
      const secret = environment["ATOMIC_AGENT_LLAMA_API_KEY"]?.trim() ?? ""
      if (message.includes("_API_KEY")) assert.notInclude(message, secret.length > 8 ? secret : "\0")
    })
  })
})
