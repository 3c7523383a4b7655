import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { parse } from "../../src/config/DotEnv.ts"
import { resolve } from "../../src/config/Resolve.ts"
import { holds, patience, text } from "./holds.ts"

const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/)
/** What can stand between one kind of quotes: no end of a line, and not those quotes. */
const value = text.map((characters) => characters.replaceAll(/[\r\n\u2028\u2029'"]/g, " "))

describe(".env", { timeout: patience }, () => {
  it("gives back the pairs that were written down, with the line of each", () =>
    holds(
      fc.tuple(fc.array(fc.tuple(key, value, fc.constantFrom('"', "'"))), fc.constantFrom("\n", "\r\n")),
      ([pairs, end]) => {
        const lines = pairs.flatMap(([key, value, quote]) => [
          "# a comment",
          "",
          `export ${key} = ${quote}${value}${quote} # so`
        ])
        const expected = new Map(pairs.map(([key, value], at) => [key, { value, line: 3 * at + 3 }]))
        assert.deepStrictEqual(parse(lines.join(end)), Result.succeed(expected))
      }
    ))

  it("is pairs or the number of a bad line, whatever stands in it", () =>
    holds(
      fc.array(
        fc.oneof(
          text,
          fc.tuple(key, text).map(([key, value]) => `${key}=${value}`)
        )
      ),
      (lines) => {
        const file = lines.join("\n")
        const parsed = parse(file)
        const count = file.split("\n").length
        if (Result.isFailure(parsed)) {
          assert.isAtLeast(parsed.failure, 1)
          assert.isAtMost(parsed.failure, count)
          return
        }
        for (const [key, { line, value }] of parsed.success) {
          assert.include(file, value)
          assert.include(file.split("\n")[line - 1], key)
        }
      }
    ))

  it("tells no value, not of a bad line and not of a setting that cannot be used", () => {
    const secret = "sk-5ecret"
    const setting = fc.constantFrom(
      "ATOMIC_AGENT_LLAMA_API_KEY",
      "ATOMIC_AGENT_LLAMA_URL",
      "ATOMIC_AGENT_LLAMA_MAX_TOKENS",
      "ATOMIC_AGENT_LOG_LEVEL",
      "ATOMIC_AGENT_LLAMA_TEMPERATURE"
    )
    const line = fc.oneof(
      fc.tuple(setting, text).map(([key, rest]) => `${key}=${secret}${rest.replaceAll(/[\r\n]/g, " ")}`),
      text.map((rest) => `${secret} ${rest}`)
    )
    holds(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
      const resolved = resolve({ environment: {}, cwd: "/", home: "/home/u", dotEnv: lines.join("\n") })
      if (Result.isSuccess(resolved)) return
      assert.notInclude(resolved.failure.message, secret)
      assert.match(resolved.failure.message, /^\/home\/u\/\.atomic-agent\/\.env line \d+: /)
      assert.isAtMost(resolved.failure.message.length, 500)
    })
  })
})
