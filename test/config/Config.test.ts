import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Config } from "../../src/config/Config.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "sidecar-config-"))),
  (dir) => Effect.sync(() => fs.rmSync(dir, { recursive: true, force: true }))
)

/** Sets a variable of this process until the test ends. */
const setVariable = (name: string, value: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.env[name]
      process.env[name] = value
      return before
    }),
    (before) =>
      Effect.sync(() => {
        if (before === undefined) delete process.env[name]
        else process.env[name] = before
      })
  )

/** A state directory, with what is to lie in it, that this process is told of. */
const stateDir = Effect.fnUntraced(function* (files: { readonly [name: string]: string | Uint8Array } = {}) {
  const dir = path.join(yield* temporaryDirectory, "deep", "state")
  yield* setVariable("ATOMIC_AGENT_STATE_DIR", dir)
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(dir, { recursive: true })
    fs.writeFileSync(path.join(dir, name), content)
  }
  return dir
})

const settings = Effect.provide(Config, Config.layer)
const refusal = Effect.map(Effect.flip(settings), (error) => error.message)

describe("Config.layer", () => {
  it.effect("makes the state directory, private, and nothing in it", () =>
    Effect.gen(function* () {
      const dir = yield* stateDir()
      assert.strictEqual((yield* settings).stateDir, dir)
      assert.strictEqual(fs.statSync(dir).mode & 0o777, 0o700)
      assert.deepStrictEqual(fs.readdirSync(dir), [])
    })
  )

  it.effect("reads config.json and .env there, and leaves them as they are", () =>
    Effect.gen(function* () {
      const files = {
        "config.json": `{"agent":{"maxSteps":3},"log":{"level":"warn"}}`,
        ".env": "ATOMIC_AGENT_LLAMA_API_KEY=sk-1\r\nATOMIC_AGENT_LOG_LEVEL=error\r\n"
      }
      const dir = yield* stateDir(files)
      const { agent, llama, log } = yield* settings
      assert.deepStrictEqual([agent.maxSteps, log.level], [3, "error"])
      assert.strictEqual(llama.apiKey && Redacted.value(llama.apiKey), "sk-1")
      for (const [name, text] of Object.entries(files)) {
        assert.strictEqual(fs.readFileSync(path.join(dir, name), "utf8"), text)
      }
      assert.isUndefined(process.env["ATOMIC_AGENT_LLAMA_API_KEY"])
    })
  )

  it.effect("fails with the file's name where a file cannot be used", () =>
    Effect.gen(function* () {
      const dir = yield* stateDir({ "config.json": Uint8Array.of(0x7b, 0xff, 0x7d) })
      const file = path.join(dir, "config.json")
      assert.strictEqual(yield* refusal, `${file}: expected UTF-8, got other bytes`)
      fs.writeFileSync(file, `{"agent":{"maxSteps":"many"}}`)
      assert.strictEqual(yield* refusal, `${file}: agent.maxSteps: expected an integer ≥ 1, got "many"`)
      fs.writeFileSync(file, Buffer.alloc(1024 * 1024 + 1, " "))
      assert.strictEqual(yield* refusal, `${file}: expected at most 1048576 bytes, got 1048577`)
      fs.rmSync(file)
      fs.mkdirSync(file)
      assert.strictEqual(yield* refusal, `${file}: expected a file, got something else`)
    })
  )

  it.effect("fails where a file stands in the place of the state directory", () =>
    Effect.gen(function* () {
      const dir = yield* stateDir({ file: "" })
      const reason = "environment variable ATOMIC_AGENT_STATE_DIR: expected a directory, got"
      for (const inTheWay of [path.join(dir, "file"), path.join(dir, "file", "state")]) {
        yield* setVariable("ATOMIC_AGENT_STATE_DIR", inTheWay)
        assert.strictEqual(yield* refusal, `${reason} ${inTheWay}, where a file is in the way`)
      }
    })
  )

  it("needs no SQLite, no HTTP and no child processes", () => {
    const script = `
      await import(${JSON.stringify(import.meta.resolve("../../src/config/Config.ts"))})
      process.stdout.write(JSON.stringify(process.moduleLoadList))`
    const run = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" })
    const loaded: ReadonlyArray<string> = JSON.parse(run.stdout)
    assert.include(loaded, "NativeModule fs")
    for (const heavy of ["sqlite", "http", "https", "child_process", "crypto"]) {
      assert.notInclude(loaded, `NativeModule ${heavy}`)
    }
  })
})

describe("Config.layerOf", () => {
  it.effect("changes what is given and nothing else", () =>
    Effect.gen(function* () {
      yield* setVariable("ATOMIC_AGENT_LOG_LEVEL", "not looked at")
      const defaults = yield* Effect.provide(Config, Config.layerOf({}))
      const changed = yield* Effect.provide(
        Config,
        Config.layerOf({
          stateDir: "/tmp/state",
          localModels: { managed: { args: ["-c", "1"] }, model: undefined },
          agent: { task: { maxSteps: 2 } },
          llama: { apiKey: Redacted.make("sk-1") }
        })
      )
      assert.deepStrictEqual(changed, {
        ...defaults,
        stateDir: "/tmp/state",
        localModels: { ...defaults.localModels, managed: { ...defaults.localModels.managed, args: ["-c", "1"] } },
        agent: { ...defaults.agent, task: { ...defaults.agent.task, maxSteps: 2 } },
        llama: { ...defaults.llama, apiKey: Redacted.make("sk-1") }
      })
      assert.isFalse(fs.existsSync("/tmp/state"))
    })
  )
})
