import { assert, describe, it } from "@effect/vitest"
import { refusal } from "./Guard.ts"

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
