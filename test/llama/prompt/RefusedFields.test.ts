import { assert, describe, it } from "@effect/vitest"
import { fromKind } from "../../../src/llama/LlamaError.ts"
import * as RefusedFields from "../../../src/llama/prompt/RefusedFields.ts"

const body =
  '{"messages":[],"stream":true,"stream_options":{},"return_progress":true,"cache_prompt":true,"chat_template_kwargs":{}}'

const next = (status: number, detail: string, before = RefusedFields.none): ReadonlyArray<string> | undefined => {
  const fields = RefusedFields.nextAfter(fromKind("Rejected", { status, detail }).reason, body, before)
  return fields === undefined ? undefined : [...fields].toSorted()
}

const refusals: ReadonlyArray<
  readonly [server: string, status: number, detail: string, fields: ReadonlyArray<string>]
> = [
  [
    "pydantic",
    422,
    '[{"type":"extra_forbidden","loc":["body","return_progress"],"msg":"Extra inputs are not permitted","input":true},{"type":"extra_forbidden","loc":["body","cache_prompt"],"msg":"Extra inputs are not permitted","input":true}]',
    ["cache_prompt", "return_progress"]
  ],
  ["an old vLLM", 400, "[{'type': 'extra_forbidden', 'loc': ('body', 'cache_prompt')}]", ["cache_prompt"]],
  ["OpenAI", 400, "Unrecognized request argument supplied: return_progress", ["return_progress"]],
  ["a newer OpenAI", 400, "Unknown parameter: 'chat_template_kwargs'.", ["chat_template_kwargs"]],
  ["Go", 400, 'json: unknown field "cache_prompt"', ["cache_prompt"]],
  ["Rust", 422, "unknown field `return_progress`, expected one of `messages`, `stream_options`", ["return_progress"]],
  ["a server without usage", 400, "stream_options is not supported", ["stream_options"]]
]

const others: ReadonlyArray<readonly [what: string, status: number, detail: string]> = [
  ["another status", 500, "unknown field return_progress"],
  ["a field that is not sent", 400, "unknown field top_k"],
  ["a field that no answer can do without", 400, "unknown field messages"],
  ["a part of a name", 400, "unknown field cache_prompt_tokens"],
  ["something else, with the request in it", 400, 'model is missing: {"return_progress":true}']
]

describe("a refusal of fields", () => {
  for (const [server, status, detail, fields] of refusals) {
    it(`by ${server} leaves out those that it names`, () => assert.deepStrictEqual(next(status, detail), fields))
  }
  for (const [what, status, detail] of others) {
    it(`is none that speaks of ${what}`, () => assert.isUndefined(next(status, detail)))
  }

  it("is none of an error that is no refusal", () =>
    assert.isUndefined(
      RefusedFields.nextAfter(
        fromKind("Cut", { detail: "unknown field cache_prompt" }).reason,
        body,
        RefusedFields.none
      )
    ))

  it("that names the next one leaves out all that llama-server alone knows", () => {
    assert.deepStrictEqual(next(400, "unknown field cache_prompt", new Set(["return_progress"])), [
      "cache_prompt",
      "chat_template_kwargs",
      "id_slot",
      "return_progress",
      "top_k"
    ])
    assert.isUndefined(next(400, "unknown field cache_prompt", new Set(["cache_prompt"])))
  })
})
