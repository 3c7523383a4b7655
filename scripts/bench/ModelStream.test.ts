import { assert, describe, it } from "@effect/vitest"
import { comparison } from "../../scripts/bench/Against.ts"
import type { Row } from "../../scripts/bench/Experiment.ts"
import { closing, opening, readWish, token } from "../../scripts/bench/ModelStream.ts"
import { takeRequest } from "../../scripts/bench/RawHttp.ts"
import { median, quantile, ratio } from "../../scripts/bench/Statistics.ts"
import { comparedTableOf, isMet, tableOf } from "../../scripts/bench/Table.ts"

/** The events of a chunked body, each chunk's length checked. */
const eventsOf = (body: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(body)
  const events: Array<string> = []
  for (let at = 0; at < bytes.length;) {
    const lineEnd = bytes.indexOf("\r\n", at)
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16)
    const end = lineEnd + 2 + size
    assert.strictEqual(bytes.toString("latin1", end, end + 2), "\r\n")
    const text = bytes.toString("utf8", lineEnd + 2, end)
    events.push(...text.split("\n\n").filter((event) => event !== ""))
    at = end + 2
  }
  return events
}

describe("the stand-in model of the benchmark", () => {
  it("frames a token as llama-server does, by its length in bytes", () => {
    assert.deepStrictEqual(eventsOf(token("你好\n")), [
      'data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":"你好\\n"}}],"created":1796007912,' +
        '"id":"chatcmpl-zJ76ZXdsqKa1VWIFcgEsqdMcGvu1l78E","model":"tiny","system_fingerprint":"b10587-3f545becc",' +
        '"object":"chat.completion.chunk"}'
    ])
  })

  const keysOf = (event: string | undefined) => Object.keys(JSON.parse(String(event).slice("data: ".length)))

  it("tells its progress, and its usage behind the finish, only where they are asked for", () => {
    assert.deepStrictEqual(eventsOf(opening(false)).length, 1)
    assert.include(keysOf(eventsOf(opening(true))[0]), "prompt_progress")
    const plain = eventsOf(closing(3, false))
    assert.deepStrictEqual([plain.length, plain[1], plain[2]], [2, "data: [DONE]", undefined])
    assert.include(keysOf(plain[0]), "timings")
    const [finish, usage, done] = eventsOf(closing(3, true))
    assert.notInclude(keysOf(finish), "timings")
    assert.includeMembers(keysOf(usage), ["usage", "timings"])
    assert.strictEqual(done, "data: [DONE]")
  })

  it("does what the last wish in the conversation asks", () => {
    assert.deepStrictEqual(readWish("[[tokens 5 every 0]] … [[tokens 200 every 2.5]]"), { tokens: 200, everyMs: 2.5 })
    assert.deepStrictEqual(readWish("hello"), { tokens: 1, everyMs: 0 })
  })
})

describe("the benchmark's reader of requests", () => {
  const byLength = "POST /v1/x?y HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n你好"
  const inChunks = "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n6\r\n你好\r\n0\r\n\r\n"

  it("takes one request, its body by length, and leaves what follows", () => {
    assert.deepStrictEqual(takeRequest(Buffer.from(byLength + inChunks)), {
      request: { path: "/v1/x?y", body: "你好" },
      length: Buffer.byteLength(byLength)
    })
  })

  it("puts a body together from chunks", () => {
    assert.deepStrictEqual(takeRequest(Buffer.from(inChunks)), {
      request: { path: "/c", body: "abc你好" },
      length: Buffer.byteLength(inChunks)
    })
  })

  it("takes a request without a body", () => {
    assert.deepStrictEqual(takeRequest(Buffer.from("GET /health HTTP/1.1\r\n\r\n")), {
      request: { path: "/health", body: "" },
      length: 24
    })
  })

  for (const [name, text] of Object.entries({ byLength, inChunks })) {
    it(`waits until a request is whole, wherever it is cut (${name})`, () => {
      const bytes = Buffer.from(text)
      for (let end = 0; end < bytes.length; end++) assert.isUndefined(takeRequest(bytes.subarray(0, end)))
    })
  }
})

describe("the benchmark's table", () => {
  const row = (value: number, beside: number): Row => ({
    name: "start",
    unit: "ms",
    value,
    beside: { name: "bare", value: beside },
    ratio: ratio(value, beside),
    aims: [
      { of: "ratio", most: 2 },
      { of: "value", least: 5 }
    ]
  })

  it("marks a row that meets all of its aims, and one that misses any", () => {
    assert.include(tableOf([row(8, 4)]), "2.00×  ≤ 2×, ≥ 5 ms  ✓")
    assert.include(tableOf([row(9, 4)]), "✗")
    assert.include(tableOf([row(4, 4)]), "✗")
  })

  it("holds a figure that could not be measured for missed", () => {
    assert.isFalse(isMet({ of: "value", most: 1 }, row(Number.NaN, 1)))
  })

  it("compares two builds by the ratios of their rounds, whatever the machine did between", () => {
    const rounds = comparison([10, 80, 30, 50], [10, 40, 20, 40])
    assert.deepStrictEqual(rounds, { current: 40, other: 30, ratio: 1.375, quarters: [1.1875, 1.625] })
    assert.include(
      comparedTableOf([{ name: "start", unit: "ms", limit: 5, ...rounds }]),
      "40.0 ms  30.0 ms      1.38×          1.19× to 1.63×    5.00 ms"
    )
  })

  it("leaves out rounds without a ratio: a difference may be below 0", () => {
    assert.strictEqual(comparison([1, -1, 2], [1, 1, 0]).ratio, 1)
    assert.isNaN(comparison([-1], [1]).ratio)
  })

  it("takes medians and quantiles between the values where it must", () => {
    assert.strictEqual(median([3, 1, 2]), 2)
    assert.strictEqual(median([4, 1, 3, 2]), 2.5)
    assert.strictEqual(quantile([0, 10], 0.99), 9.9)
    assert.isNaN(median([]))
  })
})
