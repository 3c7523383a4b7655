import { assert, describe, it } from "@effect/vitest"
import { readOptions } from "./Options.ts"

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
