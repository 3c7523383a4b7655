import { assert, describe, it } from "@effect/vitest"
import type { Refusal } from "../../src/llama/ErrorResponse.ts"
import { toRefusal } from "../../src/llama/ErrorResponse.ts"
import { Loading, Rejected, Unreachable } from "../../src/llama/LlamaError.ts"
import * as RetryPolicy from "../../src/llama/RetryPolicy.ts"

const limits = { firstTokenTimeoutMs: 60_000, requestTimeoutMs: 10_000, completionRetries: 3, retryBackoffMs: 100 }

/** The pauses until a request that is refused in the same way each time is given up. */
const pauses = (refused: Refusal, jitter = 0.5): ReadonlyArray<number> => {
  const all: Array<number> = []
  let tried = RetryPolicy.start
  for (;;) {
    const again = RetryPolicy.next(tried, refused, limits, jitter)
    if (again === null) return all
    all.push(again.pauseMs)
    tried = again.state
  }
}

const refused = Unreachable.make({ detail: "refused" })

describe("a request that is refused", () => {
  it("is sent three times in all, the pauses doubling, with jitter", () => {
    assert.deepStrictEqual(pauses({ reason: refused, retry: "soon" }), [100, 200])
    assert.deepStrictEqual(pauses({ reason: refused, retry: "soon" }, 0), [80, 160])
    assert.deepStrictEqual(
      pauses({ reason: refused, retry: "soon" }, 1).map((ms) => Math.round(ms)),
      [120, 240]
    )
  })

  it("is sent when the server wishes, but not later than the request timeout", () => {
    assert.deepStrictEqual(pauses({ reason: refused, retry: "soon", afterMs: 3000 }), [3000, 3000])
    assert.deepStrictEqual(pauses({ reason: refused, retry: "soon", afterMs: 20_000 }), [])
  })

  it("is not sent again where it is final", () => {
    assert.deepStrictEqual(pauses({ reason: Rejected.make({ status: 400, detail: "no" }), retry: "never" }), [])
  })

  it("waits for a loading server up to the request timeout, and then anew for one that is gone", () => {
    const loading = { reason: Loading.make({ detail: "loading" }), retry: "when loaded" } as const
    const all = pauses(loading)
    assert.closeTo(
      all.reduce((sum, ms) => sum + ms, 0),
      limits.requestTimeoutMs,
      1
    )
    assert.isTrue(all.every((ms) => ms <= 1000))
    const failed = { failed: 2, loadingMs: 0 }
    assert.strictEqual(RetryPolicy.next(failed, loading, limits, 0)?.state.failed, 0)
  })
})

describe("an answer with an error status", () => {
  const answer = (status: number, headers: { readonly [name: string]: string } = {}) => ({
    status,
    statusText: "Some Status",
    headers
  })
  const rows: ReadonlyArray<readonly [status: number, body: string, tag: string, again: string, words: string]> = [
    [503, '{"error":{"message":"Loading model","code":503}}', "Loading", "when loaded", "Loading model"],
    [503, '{"status":"loading model"}', "Loading", "when loaded", "the model is loading"],
    [503, "Server is starting", "Loading", "when loaded", "the model is loading"],
    [503, '{"error":{"message":"no slot available"}}', "Rejected", "never", "no slot available"],
    [503, "", "Rejected", "never", "HTTP 503 Some Status"],
    [502, "<html><title>502 Bad Gateway</title></html>", "Rejected", "soon", "HTTP 502 Some Status: 502 Bad Gateway"],
    [504, "", "Rejected", "soon", "HTTP 504 Some Status"],
    [429, '{"error":"slow down"}', "Rejected", "soon", "slow down"],
    [
      500,
      '{"error":{"message":"Failed to parse tool call arguments as JSON"}}',
      "Rejected",
      "never",
      "Failed to parse tool call arguments as JSON"
    ],
    [
      500,
      '{"error":{"message":"context size has been exceeded"}}',
      "Overflow",
      "never",
      "context size has been exceeded"
    ],
    [404, "404 page not found", "Rejected", "never", "HTTP 404 Some Status: 404 page not found"],
    [404, "<html><body><h1>Not\n Found</h1></body></html>", "Rejected", "never", "HTTP 404 Some Status: Not Found"],
    [307, "", "Rejected", "never", "HTTP 307 Some Status"],
    [400, "x".repeat(1000), "Rejected", "never", `HTTP 400 Some Status: ${"x".repeat(300)}…`]
  ]
  for (const [status, body, tag, again, words] of rows) {
    it(`${status} ${body.slice(0, 50)}`, () => {
      const result = toRefusal(answer(status), body, 0)
      assert.deepStrictEqual([result.reason._tag, result.retry, result.reason.message], [tag, again, words])
    })
  }

  it("says where it sends elsewhere", () => {
    const result = toRefusal(answer(307, { location: "https://box/v1/" }), "<html>moved</html>", 0)
    assert.strictEqual(result.reason.message, "HTTP 307 Some Status, to https://box/v1/: moved")
  })

  it("says when to come again, in seconds or by a date", () => {
    const now = Date.parse("Wed, 21 Oct 2026 07:28:00 GMT")
    const after = (header: string) => toRefusal(answer(429, { "retry-after": header }), "", now).afterMs
    assert.strictEqual(after("2"), 2000)
    assert.strictEqual(after("0"), 0)
    assert.strictEqual(after("Wed, 21 Oct 2026 07:28:05 GMT"), 5000)
    assert.strictEqual(after("Wed, 21 Oct 2026 07:27:00 GMT"), 0)
    assert.isUndefined(after("soon"))
    assert.isUndefined(toRefusal(answer(429), "", now).afterMs)
  })
})
