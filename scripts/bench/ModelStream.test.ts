import { assert, describe, it } from "@effect/vitest"
import { closing, opening, readWish, token } from "./ModelStream.ts"

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
