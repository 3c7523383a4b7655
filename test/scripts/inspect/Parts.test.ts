import { assert, describe, it } from "@effect/vitest"
import { crossing, fromRecording, recordedLine } from "../../../scripts/inspect/Entry.ts"
import { refusal } from "../../../scripts/inspect/Guard.ts"
import { History } from "../../../scripts/inspect/History.ts"
import { readOptions } from "../../../scripts/inspect/Options.ts"
import { argumentsText, count, duration, place } from "../../../scripts/inspect/view/Format.ts"
import { countOf, extended, type Ranges } from "../../../scripts/inspect/view/Ranges.ts"

describe("who may ask the inspector", () => {
  const own = { port: 4000, token: "abc" }
  const page = { method: "GET", host: "127.0.0.1:4000", path: "/abc/" }
  const post = { ...page, method: "POST", path: "/abc/request", origin: "http://127.0.0.1:4000" }
  const json = { ...post, contentType: "application/json" }
  const asked: ReadonlyArray<[who: string, asked: object, status: number | undefined]> = [
    ["the page's address", page, undefined],
    ["its other name", { ...page, host: "localhost:4000" }, undefined],
    ["the page itself, with a request", { ...json, site: "same-origin" }, undefined],
    ["a name that was pointed here", { ...page, host: "evil.example:4000" }, 421],
    ["another port", { ...page, host: "127.0.0.1:80" }, 421],
    ["nobody", { ...page, host: undefined }, 421],
    ["one without the token", { ...page, path: "/" }, 404],
    ["one with another token", { ...page, path: "/abd/" }, 404],
    ["one with the token's beginning", { ...page, path: "/ab" }, 404],
    ["a page of another site", { ...page, site: "cross-site" }, 403],
    ["a page of another port", { ...page, site: "same-site" }, 403],
    ["a request from another origin", { ...json, origin: "http://evil.example" }, 403],
    ["a request from the other name", { ...json, origin: "http://localhost:4000" }, 403],
    ["a request from nowhere", { ...json, origin: undefined }, 403],
    ["a form", { ...post, contentType: "text/plain" }, 415],
    ["another method", { ...json, method: "PUT" }, 405]
  ]
  const nobody = { host: undefined, origin: undefined, site: undefined, contentType: undefined }
  for (const [who, each, status] of asked) {
    it(`${who}: ${status ?? "welcome"}`, () => {
      assert.strictEqual(refusal({ ...nobody, method: "GET", path: "/", ...each }, own), status)
    })
  }
})

describe("what the inspector keeps", () => {
  const entry = (frame: string) => ({ from: "sidecar", frame }) as const
  const numbers = (history: History, after: number, size = 1e6) =>
    history.after(after, size).texts.map((text) => JSON.parse(text).number)

  it("is everything, numbered, while there is room", () => {
    const history = new History()
    for (const frame of ["a", "b", "c"]) history.add(entry(frame))
    assert.deepStrictEqual(numbers(history, 0), [1, 2, 3])
    assert.deepStrictEqual(numbers(history, 2), [3])
    assert.deepStrictEqual(history.after(3, 10), { texts: [], last: 3 })
    assert.deepStrictEqual(history.after(0, 1e6).texts[0], `{"number":1,"from":"sidecar","frame":"a"}`)
  })

  it("is handed out in portions, of one at least", () => {
    const history = new History()
    for (const frame of ["a", "b", "c"]) history.add(entry(frame))
    assert.deepStrictEqual(history.after(0, 1).last, 1)
    assert.deepStrictEqual(numbers(history, 1, 50), [2, 3])
  })

  it("is the last so many, for as long as it goes on", () => {
    const history = new History({ entries: 3, size: 1e6 })
    for (let index = 0; index < 10_000; index++) history.add(entry("a"))
    assert.deepStrictEqual([history.first, history.last], [9998, 10_000])
    assert.deepStrictEqual(numbers(history, 5), [9998, 9999, 10_000])
  })

  it("is the last so many characters, but always the last frame", () => {
    const history = new History({ entries: 100, size: 1000 })
    for (let index = 0; index < 5; index++) history.add(entry("x".repeat(400)))
    assert.deepStrictEqual(numbers(history, 0), [4, 5])
    history.add(entry("x".repeat(5000)))
    assert.deepStrictEqual(numbers(history, 0), [6])
  })

  it("tells who listens, until they do not", () => {
    const history = new History()
    let heard = 0
    const deaf = history.onAdd(() => (heard += 1))
    history.add(entry("a"))
    deaf()
    history.add(entry("b"))
    assert.strictEqual(heard, 1)
  })
})

describe("a line of a recording", () => {
  const request = { kind: "request", id: "1", type: "ping" }
  const event = { kind: "event", id: "1", type: "log", payload: {} }
  const lines: ReadonlyArray<[line: string, read: unknown]> = [
    [JSON.stringify({ at: 5, from: "host", frame: request }), { at: 5, from: "host", frame: request }],
    [JSON.stringify({ at: "noon", from: "sidecar", frame: event }), { from: "sidecar", frame: event }],
    [JSON.stringify(request), { from: "host", frame: request }],
    [JSON.stringify(event), { from: "sidecar", frame: event }],
    ["npm warn", { from: "sidecar", frame: "npm warn" }],
    ["null", { from: "sidecar", frame: null }],
    ["  ", undefined]
  ]
  for (const [line, read] of lines) {
    it(line, () => assert.deepStrictEqual(fromRecording(line), read))
  }

  it("comes back as it was written, whatever it was", () => {
    for (const line of [JSON.stringify(request), "no JSON \u2028", "{"]) {
      const crossed = crossing("sidecar", line, 7)
      assert.deepStrictEqual(fromRecording(recordedLine(crossed)), crossed)
    }
  })
})

describe("the command line of the inspector", () => {
  const live = { mode: "live", workingDir: ".", script: undefined, url: undefined, record: undefined, port: 0 }
  const lines: ReadonlyArray<[line: string, means: unknown]> = [
    ["", live],
    [
      "../app --script s.json --record out.ndjson",
      { ...live, workingDir: "../app", script: "s.json", record: "out.ndjson" }
    ],
    ["--url http://127.0.0.1:9 --port 4000", { ...live, url: "http://127.0.0.1:9", port: 4000 }],
    ["--replay out.ndjson", { mode: "recorded", file: "out.ndjson", port: 0 }],
    ["--replay a --record b", "--replay stands alone"],
    ["--replay a folder", "--replay stands alone"],
    ["--script a --url http://b", "either --script or --url"],
    ["--url here", "--url here: expected an address"],
    ["--port 70000", "--port 70000: expected a number up to 65535"],
    ["--port x", "--port x: expected a number up to 65535"],
    ["one two", "one folder, not 2"]
  ]
  for (const [line, means] of lines) {
    it(line || "nothing", () => assert.deepStrictEqual(readOptions(line.split(" ").filter(Boolean)), means as never))
  }
  it("an option that there is not", () => {
    assert.match(String(readOptions(["--colour"])), /colour/)
  })
})

describe("how the inspector writes", () => {
  const durations: ReadonlyArray<[ms: number | undefined, text: string]> = [
    [undefined, ""],
    [-3, "0 ms"],
    [999.4, "999 ms"],
    [1000, "1.0 s"],
    [59_949, "59.9 s"],
    [59_951, "1 min 00 s"],
    [185_000, "3 min 05 s"],
    [3_725_000, "1 h 02 min"]
  ]
  for (const [ms, text] of durations) it(`${ms} ms`, () => assert.strictEqual(duration(ms), text))

  it("large numbers", () => {
    assert.deepStrictEqual([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"])
  })

  it("arguments of any shape", () => {
    const shapes = [{ a: "b", c: [1] }, "raw", [1, 2], null, undefined, 7]
    assert.deepStrictEqual(shapes.map(argumentsText), [`a: "b", c: [1]`, "raw", "[1,2]", "null", "", "7"])
    assert.lengthOf(argumentsText({ text: "x".repeat(9999) }), 4000)
  })

  it("where a part lies in a whole", () => {
    const whole = { at: 100, endedAt: 300 }
    assert.deepStrictEqual(place(whole, { at: 150, endedAt: 250 }, undefined), { left: 25, width: 50 })
    // What still runs grows with the whole that runs, and a part never sticks out.
    assert.deepStrictEqual(place({ at: 100 }, { at: 150 }, 200), { left: 50, width: 50 })
    assert.deepStrictEqual(place(whole, { at: 250 }, 900), { left: 75, width: 25 })
    assert.deepStrictEqual(place(whole, { at: 50, endedAt: 400 }, undefined), { left: 0, width: 100 })
    assert.isUndefined(place({}, { at: 1, endedAt: 2 }, 3))
    assert.isUndefined(place({ at: 1, endedAt: 1 }, { at: 1, endedAt: 1 }, undefined))
  })

  it("numbers of frames as runs, of which there are not too many", () => {
    const all = (numbers: ReadonlyArray<number>) => numbers.reduce<Ranges>(extended, [])
    assert.deepStrictEqual(all([1, 2, 3, 7, 7, 9]), [
      [1, 3],
      [7, 7],
      [9, 9]
    ])
    assert.strictEqual(countOf(all([1, 2, 3, 7])), 4)
    const odd = all(Array.from({ length: 1000 }, (_, index) => 2 * index + 1))
    assert.lengthOf(odd, 200)
    assert.deepStrictEqual(odd.at(-1), [399, 1999])
  })
})
