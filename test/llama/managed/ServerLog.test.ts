import { assert, describe, it } from "@effect/vitest"
import { ServerLog } from "../../../src/llama/managed/ServerLog.ts"

const logOf = (text: string, log = new ServerLog()): ServerLog => {
  for (const byte of Buffer.from(text)) log.push(Uint8Array.of(byte))
  return log
}

describe("what a server writes", () => {
  const rows: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["is cut at its line ends, in any spelling", "a\nb\r\nc\rd\n", ["a", "b", "c", "d"]],
    ["has no blank lines", "a\n\n  \n\r\nb\n", ["a", "b"]],
    ["keeps what a line begins with", "  a  \n", ["  a"]],
    ["may come one byte at a time", "é 🚀 日本\n", ["é 🚀 日本"]],
    ["need not be UTF-8", "\u{0}\n", ["\u{0}"]],
    ["is not told before its line has ended", "a\nb", ["a"]]
  ]
  for (const [what, text, lines] of rows) it(what, () => assert.deepStrictEqual(logOf(text).take(), lines))

  it("is told once", () => {
    const log = logOf("a\n")
    assert.deepStrictEqual(log.take(), ["a"])
    assert.deepStrictEqual(log.take(), [])
    assert.deepStrictEqual(logOf("b\n", log).take(), ["b"])
  })

  it("ends with a line, though it has no end", () => {
    const log = logOf("a\nb")
    log.end()
    assert.deepStrictEqual(log.take(), ["a", "b"])
  })

  it("has lines of a thousand characters at most, and no half ones", () => {
    const [line, next] = logOf(`${"x".repeat(999)}🚀${"y".repeat(5000)}\nshort\n`).take()
    assert.strictEqual(line, `${"x".repeat(999)}…`)
    assert.strictEqual(next, "short")
  })

  it("waits in bounded numbers, and what is left out is counted", () => {
    const log = logOf(Array.from({ length: 700 }, (_, index) => `${index}\n`).join(""))
    const lines = log.take()
    assert.lengthOf(lines, 501)
    assert.strictEqual(lines.at(-1), "(200 lines are left out here)")
    assert.deepStrictEqual(logOf("next\n", log).take(), ["next"])
  })

  it("is kept in its last twenty lines, of one server", () => {
    const log = logOf(Array.from({ length: 50 }, (_, index) => `${index}\n`).join(""))
    assert.deepStrictEqual(
      log.lastLines,
      Array.from({ length: 20 }, (_, index) => `${index + 30}`)
    )
    log.begin()
    assert.deepStrictEqual(log.lastLines, [])
  })

  it("shows no secret", () => {
    const log = new ServerLog((words) => words.replaceAll("sk-1", "<api key>"))
    assert.deepStrictEqual(logOf("key sk-1 sk-1\n", log).take(), ["key <api key> <api key>"])
  })
})
