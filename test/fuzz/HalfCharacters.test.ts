import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { shown } from "../../src/config/ConfigInvalid.ts"
import { cutText, tailText } from "../../src/domain/CutText.ts"
import * as ChatChunk from "../../src/llama/answer/ChatChunk.ts"
import * as ChunkDecoder from "../../src/llama/answer/ChunkDecoder.ts"
import { excerpt } from "../../src/llama/ErrorResponse.ts"
import { ServerLog } from "../../src/llama/managed/ServerLog.ts"
import { parseComplaint } from "../../src/llama/ServerError.ts"
import { eventLine, failureLine, successLine } from "../../src/protocol/Frame.ts"
import { shownPreview, shownReason } from "../../src/session/QuestionText.ts"
import { programsIn } from "../../src/shell/Programs.ts"
import { parse as parseSkill } from "../../src/skills/Skill.ts"
import { decodeFramed } from "../../src/stdio/StdinDecoder.ts"
import { headAndTail } from "../../src/tools/ResultBudget.ts"
import { holds, json, patience } from "./holds.ts"

const pieces = fc.constantFrom("a", "é", "日", "😀", "\ud83d", "\ude00", " ", "\n", "\\", "\\ud83d", '"', "\u2028")

/** Texts with whole and half characters. */
const halves = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(""))

const whole = (text: string) => assert.isTrue(text.isWellFormed(), JSON.stringify(text.slice(0, 100)))

/** Every text in a value, keys too. */
const textsOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return [...Object.keys(value), ...Object.values(value).flatMap(textsOf)]
}

const cutters: ReadonlyArray<readonly [what: string, cut: (text: string) => string]> = [
  // A question keeps what it does not cut, for its frame.
  ["a preview", (text) => shownPreview(text.toWellFormed())],
  ["a reason", (text) => shownReason(text.toWellFormed())],
  ["the names of programs", (text) => programsIn(`'${text.replaceAll(/[\s']/g, "")}'`, place, "linux")],
  ["a tool's result", (text) => headAndTail(text, 32_000)],
  ["a value of the configuration", shown],
  ["an error of the server", (text) => parseComplaint({ error: { message: text } })?.message ?? ""],
  ["a page of the server", (text) => excerpt({ status: 200, statusText: "OK", headers: {} }, text)],
  [
    "a line of the managed server",
    (text) => {
      const log = new ServerLog()
      log.push(Buffer.from(text))
      log.end()
      return log.lastLines.join("\n")
    }
  ],
  ["a frame of another kind", (text) => quoted(decodeFramed(framed({ kind: text }), 1_000_000))],
  ["a skill's fault", (text) => quoted(parseSkill(`---\nname: ${JSON.stringify(text)}\n---\n`))]
]

const place = { home: "/home/a", cwd: "/home/a/b", env: {} } as const
/** The text that a message says it has got. */
const quoted = (fault: object): string => {
  const message = Object.values(fault).find((value) => typeof value === "string" && value.includes(", got "))
  return JSON.parse(/, got (".*")/s.exec(String(message))?.[1] ?? "")
}
const framed = (value: unknown) => ({ _tag: "Line", text: JSON.stringify(value) }) as const

describe("no half of a character", { timeout: patience }, () => {
  it("is left by a cut", () =>
    holds(fc.tuple(halves, fc.nat(14)), ([text, length]) => {
      for (const cut of [cutText(text, length), tailText(text, length)]) {
        whole(cut)
        assert.isAtMost(cut.length, length)
        assert.isAtLeast(cut.length, Math.min(text.length, length) - 1)
      }
      assert.isTrue(text.toWellFormed().startsWith(cutText(text.toWellFormed(), length)))
      assert.isTrue(text.toWellFormed().endsWith(tailText(text.toWellFormed(), length)))
    }))

  it.each(cutters)("is in %s that is cut", (_, cut) => {
    holds(fc.tuple(halves, fc.nat(3), halves), ([start, shift, end]) => {
      // Longer than all that is shown, and a whole character or none at each limit.
      whole(cut("x".repeat(shift) + start + "😀".repeat(20_000) + end))
    })
  })

  it("is in a frame", () =>
    holds(fc.tuple(halves, halves, json), ([key, text, any]) => {
      const payload = { [key]: text, text, any }
      const lines = [
        eventLine({ type: "assistant_delta", payload } as never),
        successLine(text, payload),
        failureLine(text, text, "handler_failed")
      ]
      for (const line of lines) {
        whole(line)
        for (const each of textsOf(JSON.parse(line))) whole(each)
      }
      assert.strictEqual(JSON.parse(lines[0] ?? "").payload.text, text.toWellFormed())
    }))

  it("comes from the host", () =>
    holds(fc.tuple(halves, fc.boolean()), ([text, isUpper]) => {
      const source = JSON.stringify({
        kind: "request",
        id: text,
        type: "steer_message",
        payload: { sessionId: "s", text }
      })
      // As other languages write it: every character escaped, whole ones too, in either case.
      const escaped = source.replaceAll(/[^\0-\x7f]/g, (unit) => {
        const digits = unit.charCodeAt(0).toString(16).padStart(4, "0")
        return `\\u${isUpper ? digits.toUpperCase() : digits}`
      })
      for (const line of [source, escaped]) {
        const decoded = decodeFramed({ _tag: "Line", text: line }, 1_000_000)
        if (decoded._tag !== "Request") throw new Error(JSON.stringify(decoded))
        assert.strictEqual(decoded.request.id, text.toWellFormed())
        assert.deepInclude(decoded.request.payload, { text: text.toWellFormed() })
      }
    }))

  it("comes from the model, and one that has come in two pieces is whole", () =>
    holds(fc.array(fc.tuple(fc.boolean(), halves), { maxLength: 8 }), (deltas) => {
      let state = ChunkDecoder.start([])
      const said = { Reasoning: "", Text: "" }
      const chunks = deltas.map(([isThought, text]) => ({ [isThought ? "reasoning" : "content"]: text }))
      const events = chunks.flatMap((delta) => {
        const decoded = ChunkDecoder.decode(state, ChatChunk.narrow({ choices: [{ delta }] })!)
        state = decoded.state
        return decoded.events
      })
      const ended = ChunkDecoder.decode(state, ChatChunk.narrow({ choices: [{ delta: {}, finish_reason: "stop" }] })!)
      for (const event of [...events, ...(ChunkDecoder.finish(ended.state) ?? [])]) {
        if (event._tag !== "Text" && event._tag !== "Reasoning") continue
        whole(event.text)
        said[event._tag] += event.text
      }
      const all = (isWanted: boolean) =>
        deltas
          .map(([isThought, text]) => (isThought === isWanted ? text : ""))
          .join("")
          .toWellFormed()
      assert.strictEqual(said.Reasoning, all(true))
      assert.strictEqual(said.Text, all(false).trim() === "" ? "" : all(false).replace(/^\s*\n/, ""))
    }))
})
