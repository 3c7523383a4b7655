import { assert, describe, it } from "@effect/vitest"
import { endpoint, shown } from "../../src/llama/ModelUrl.ts"

describe("the URL of a model server", () => {
  it.each([
    ["http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080"],
    ["http://user:secret@host:1", "http://host:1"],
    ["http://user:se@cret@host", "http://host"],
    ["http://host/a@b/v1", "http://host/a@b"]
  ])("%s is shown as %s", (url, expected) => {
    assert.strictEqual(shown(url), expected)
  })

  it.each(["http://h/x", "http://h/x/", "http://h/x/v1", "http://h/x/v1/chat/completions/"])(
    "%s has one endpoint",
    (url) => {
      assert.strictEqual(endpoint(url, "/v1/models"), "http://h/x/v1/models")
    }
  )
})
