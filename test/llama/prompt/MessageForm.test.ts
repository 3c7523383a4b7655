import { assert, describe, it } from "@effect/vitest"
import { fromKind } from "../../../src/llama/LlamaError.ts"
import * as MessageForm from "../../../src/llama/prompt/MessageForm.ts"

const next = (status: number, detail: string, form: MessageForm.MessageForm, isSame = false) =>
  MessageForm.nextAfter(fromKind("Rejected", { status, detail }).reason, form, () => isSame)

/** Refusals of real servers; most are those of a template, in the server's own wrapping. */
const ofTheHistory: ReadonlyArray<readonly [server: string, status: number, detail: string]> = [
  [
    "llama-server",
    400,
    'Unable to generate parser for this template. Automatic parser generation failed: \n------------\nWhile executing CallExpression at line 91, column 40 in source:\n...{{- raise_exception("Tool call IDs should be alphanumeric s...'
  ],
  ["llama-server, as an exception", 500, "Error: Jinja Exception: After the optional system message, conversation"],
  ["vLLM", 400, "After the optional system message, conversation roles must alternate user/assistant"],
  ["vLLM, with Gemma 2", 400, "System role not supported"],
  ["vLLM, with Llama 3", 400, "This model only supports single tool-calls at once!"],
  ["mistral-common", 400, "Unexpected role 'user' after role 'tool'"],
  ["mistral-common, for counts", 400, "Not the same number of function calls and responses"],
  ["LM Studio", 200, 'Error rendering prompt with jinja template: "Only user and assistant roles are supported!"'],
  ["TGI", 422, "Template error: template not found"],
  ["a gateway", 400, "messages[3]: text content must be non-empty"]
]

const ofTools: ReadonlyArray<readonly [server: string, status: number, detail: string]> = [
  ["Ollama", 400, "registry.ollama.ai/library/gemma2:2b does not support tools"],
  ["vLLM", 400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ["llama-server without jinja", 500, "tools param requires --jinja flag"]
]

const ofElse: ReadonlyArray<readonly [server: string, status: number, detail: string]> = [
  ["a grammar", 400, "failed to parse grammar"],
  ["a missing model", 404, "model 'x' not found, try pulling it first"],
  ["a key", 401, "Invalid API Key for these messages"],
  ["memory", 500, "out of memory"],
  [
    "an answer that cannot be read",
    500,
    "The model produced output that does not match the expected peg-native format"
  ],
  ["a busy server", 429, "too many messages"]
]

describe("a refusal of the history", () => {
  for (const [server, status, detail] of ofTheHistory) {
    it(`by ${server} is followed by more careful forms`, () => {
      assert.strictEqual(next(status, detail, "batched"), "single")
      assert.strictEqual(next(status, detail, "batched", true), "text", "where no step has several calls")
      assert.strictEqual(next(status, detail, "single"), "text")
      assert.isUndefined(next(status, detail, "text"))
    })
  }
  for (const [server, status, detail] of ofTools) {
    it(`that is one of tools, by ${server}, leads to a plain conversation`, () =>
      assert.strictEqual(next(status, detail, "batched"), "text"))
  }
  for (const [what, status, detail] of ofElse) {
    it(`is none that speaks of ${what}`, () => assert.isUndefined(next(status, detail, "batched")))
  }
})

describe("the form that is kept", () => {
  const { current, learnAnswer, learnProbe, unknown } = MessageForm

  it("is one call in a message where the server says so, and batched where it stops to", () => {
    const told = learnProbe(unknown, "a", true)
    assert.strictEqual(current(told), "single")
    assert.strictEqual(current(learnProbe(told, "a", false)), "batched")
  })

  it("is the one that was taken after a refusal, until another model answers", () => {
    const careful = learnAnswer(unknown, "a", "text", true)
    assert.strictEqual(current(careful), "text")
    assert.strictEqual(current(learnAnswer(careful, "a", "text", false)), "text")
    assert.strictEqual(current(learnAnswer(careful, undefined, "text", false)), "text")
    assert.strictEqual(current(learnAnswer(careful, "b", "text", false)), "batched")
  })

  it("is that of a new model whose first request was refused, whatever the next probe names", () => {
    const before = learnAnswer(learnProbe(unknown, "a", false), "a", "batched", false)
    const swapped = learnAnswer(before, "b", "text", true)
    assert.strictEqual(current(learnProbe(swapped, "b", false)), "text")
    assert.strictEqual(current(learnProbe(learnProbe(swapped, "b", false), "c", false)), "batched")
  })
})
