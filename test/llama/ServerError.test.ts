import { assert, describe, it } from "@effect/vitest"
import { parseComplaint, toReason } from "../../src/llama/ServerError.ts"

const overflows: ReadonlyArray<readonly [body: unknown, used: number | undefined, window: number | undefined]> = [
  [
    {
      error: {
        code: 400,
        message: "request (9009 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9009,
        n_ctx: 4096
      }
    },
    9009,
    4096
  ],
  [{ error: { message: "request (9009 tokens) exceeds the available context size (4096 tokens)" } }, 9009, 4096],
  [{ error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } }, undefined, undefined],
  [
    {
      error: { code: 400, message: "the request exceeds the available context size. try increasing the context size" }
    },
    undefined,
    undefined
  ],
  [
    {
      object: "error",
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
      code: 400
    },
    8000,
    8192
  ],
  [
    {
      error: {
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 8192 tokens and your request has 150 input tokens (16384 > 8192 - 150)."
      }
    },
    150,
    8192
  ],
  [
    {
      error: {
        message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9100 tokens.",
        code: "context_length_exceeded"
      }
    },
    9100,
    8192
  ],
  [
    {
      error:
        "Trying to keep the first 5038 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."
    },
    5038,
    4096
  ],
  [
    { error: "The number of tokens to keep from the initial prompt is greater than the context length." },
    undefined,
    undefined
  ],
  [{ error: { message: "the input length exceeds the context length" } }, undefined, undefined],
  [{ error: { message: "prompt is too long: 5000 tokens > 4096 maximum" } }, 5000, undefined],
  [{ error: { message: "input is too large to process", type: "exceed_context_size_error" } }, undefined, undefined],
  [{ error: { message: "Prompt length (5000) exceeds max_model_len (4096)" } }, undefined, 4096],
  [{ error: { message: "exceeds the context size", n_prompt_tokens: 1e300, n_ctx: 2 ** 60 } }, undefined, undefined],
  [{ error: { message: `exceeds the context size of ${"9".repeat(30)} tokens` } }, undefined, undefined]
]

describe("an error of a server", () => {
  for (const [body, used, window] of overflows) {
    const complaint = parseComplaint(body)
    it(`is an overflow: ${complaint?.message}`, () => {
      assert.isNotNull(complaint)
      const reason = complaint === null ? undefined : toReason(complaint, 400)
      assert.strictEqual(reason?._tag, "Overflow")
      assert.deepStrictEqual(reason?._tag === "Overflow" ? [reason.usedTokens, reason.windowTokens] : [], [
        used,
        window
      ])
    })
  }

  const others: ReadonlyArray<readonly [body: unknown, words: string | null]> = [
    [{ error: { message: "Failed to parse grammar" } }, "Failed to parse grammar"],
    [{ error: { message: "Invalid API Key", type: "authentication_error" } }, "Invalid API Key"],
    [{ error: { message: "", type: "server_error" } }, "server_error"],
    [{ error: "model not found" }, "model not found"],
    [{ error: ["a", "b"] }, '["a","b"]'],
    [{ detail: "Not Found" }, "Not Found"],
    [{ detail: [{ loc: ["body"], msg: "field required" }] }, '[{"loc":["body"],"msg":"field required"}]'],
    [
      { detail: { msg: "Server is busy; please try again later.", type: "busy" } },
      "Server is busy; please try again later."
    ],
    [{ code: 7, message: "nope" }, "nope"],
    ["busy", "busy"],
    [{ error: { message: "this context is nice" } }, "this context is nice"],
    [{ error: { message: "rate limit exceeded" } }, "rate limit exceeded"],
    [{ choices: [] }, null],
    [{ error: null }, null],
    [{}, null],
    [null, null],
    ["", null],
    [7, null]
  ]
  for (const [body, words] of others) {
    it(`is ${words === null ? "none" : "no overflow"}: ${JSON.stringify(body)}`, () => {
      const complaint = parseComplaint(body)
      assert.strictEqual(complaint?.message ?? null, words)
      if (complaint !== null) assert.strictEqual(toReason(complaint, 500)._tag, "Rejected")
    })
  }

  it("is told in no more than 2000 characters, the first ones", () => {
    const long = "M".repeat(1_000_000)
    const cut = `${"M".repeat(2000)}… (1000000 characters)`
    for (const body of [{ error: { message: long } }, { error: long }, { detail: long }, long]) {
      assert.strictEqual(parseComplaint(body)?.message, cut)
    }
  })
})
