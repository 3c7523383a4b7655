import { assert, describe, it } from "@effect/vitest"
import { toMessage, restart, type ExitReport } from "../../../src/llama/managed/ExitReport.ts"

const exited = (code: number | null, signal: string | null, ...lastLines: ReadonlyArray<string>): ExitReport => ({
  _tag: "Exited",
  code,
  signal,
  lastLines
})
const notFound: ExitReport = { _tag: "NotFound", command: "llama-server", path: "/usr/bin" }

describe("a managed server that ended", () => {
  const rows: ReadonlyArray<readonly [string, number, ExitReport, number, object | null]> = [
    ["for the first time", 0, exited(1, null), 0, { failed: 1, pauseMs: 250 }],
    ["for the second time", 1, exited(1, null), 0, { failed: 2, pauseMs: 500 }],
    ["for the third time", 2, exited(null, "SIGSEGV"), 0, { failed: 3, pauseMs: 1000 }],
    ["for the fourth time", 3, exited(1, null), 0, null],
    ["after it had been ready for a moment", 3, exited(1, null), 59_999, null],
    ["after it had been ready for a minute", 3, exited(1, null), 60_000, { failed: 1, pauseMs: 250 }],
    ["of its own accord", 0, exited(0, null), 0, { failed: 1, pauseMs: 250 }],
    ["because its port was another's", 0, { _tag: "PortTaken", port: 1 }, 0, { failed: 1, pauseMs: 250 }],
    ["before it began: there is no program", 0, notFound, 0, null],
    ["before it began: it may not be run", 0, { _tag: "NotRunnable", command: "x", why: "EACCES" }, 0, null]
  ]
  for (const [when, failed, end, readyMs, next] of rows) {
    it(`${when} is ${next === null ? "given up" : "started again"}`, () => {
      assert.deepStrictEqual(restart(failed, end, readyMs), next)
    })
  }
})

describe("the end of a managed server", () => {
  const rows: ReadonlyArray<readonly [ExitReport, string]> = [
    [exited(1, null, "loading", "error: x"), "llama-server ended with exit code 1; its last words:\nloading\nerror: x"],
    [exited(null, "SIGKILL"), "llama-server was ended by SIGKILL without a word"],
    [notFound, "there is no program llama-server on the PATH (/usr/bin)"],
    [{ ...notFound, command: "/opt/llama" }, "there is no program /opt/llama"],
    [{ _tag: "NotRunnable", command: "/opt/llama", why: "spawn EACCES" }, "/opt/llama cannot be run: spawn EACCES"],
    [{ _tag: "PortTaken", port: 19091 }, "port 19091 of 127.0.0.1 is in use by another program"],
    [
      { _tag: "PortTaken", port: 19091, model: "m.gguf" },
      "port 19091 of 127.0.0.1 is in use by another model server (m.gguf)"
    ]
  ]
  for (const [end, words] of rows)
    it(`is told: ${words.split("\n", 1)[0]}`, () => assert.strictEqual(toMessage(end), words))
})
