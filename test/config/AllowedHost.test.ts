import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { resolve } from "../../src/config/Resolve.ts"
import { mayConnect } from "../../src/http/HttpAllowlist.ts"

const settingsOf = (entry: unknown) =>
  resolve({
    environment: {},
    cwd: "/",
    home: "/home/me",
    configJson: JSON.stringify({ http: { hostAllowlist: ["localhost", entry] } })
  })

/** An entry, a URL that it allows, and a private address that the URL's host has. */
const allowed: ReadonlyArray<readonly [entry: string, url: string, address: string]> = [
  ["localhost", "http://localhost:3000/", "127.0.0.1"],
  ["LocalHost", "http://localhost/", "127.0.0.1"],
  ["nas", "http://nas/", "192.168.1.2"],
  ["my_box.local", "http://my_box.local/", "192.168.1.2"],
  ["localhost:80", "http://localhost/", "127.0.0.1"],
  ["localhost:8080", "http://localhost:8080/", "127.0.0.1"],
  ["*.corp.example", "https://wiki.corp.example/", "10.0.0.1"],
  ["*.corp.example:443", "https://wiki.corp.example/", "10.0.0.1"],
  ["xn--bcher-kva.example", "http://bücher.example/", "10.0.0.1"],
  ["127.0.0.1", "http://localhost/", "127.0.0.1"],
  ["127.0.0.1:8080", "http://127.0.0.1:8080/", "127.0.0.1"],
  ["::1", "http://localhost/", "::1"],
  ["[::1]", "http://[::1]/", "::1"],
  ["[::1]:8080", "http://[::1]:8080/", "::1"],
  ["10.0.0.0/8", "http://nas/", "10.1.2.3"],
  ["fd00::/8", "http://nas/", "fd00::1"]
]

/** What no request could match, and nobody would learn of. */
const refused = [
  "*",
  "*:80",
  "*.",
  "*.*.example",
  "www.*.example",
  "http://nas.local",
  "https://nas.local/",
  "//nas.local",
  "nas.local/",
  "nas.local/path",
  "user@nas.local",
  "nas.local?x",
  "nas local",
  " nas.local",
  "nas.local ",
  "",
  " ",
  "nas.local:",
  "nas.local:0",
  "nas.local:65536",
  "nas.local:http",
  ":8080",
  "bücher.example",
  "127.1",
  "0x7f.0.0.1",
  "256.0.0.1",
  "*.127.0.0.1",
  "10.0.0.0/33",
  "10.0.0/8",
  "10.0.0.0/",
  "10.0.0.0/8:80",
  "nas.local/8",
  "fd00::/129",
  "[fd00::",
  "::1:8080x",
  "[0:0:0:0:0:0:0:1]:80"
]

describe("entries of http.hostAllowlist", () => {
  for (const [entry, url, address] of allowed) {
    it(`${entry} allows ${url} at ${address}`, () => {
      const settings = Result.getOrThrow(settingsOf(entry))
      assert.isTrue(mayConnect(new URL(url), address, settings.http.hostAllowlist.slice(1)))
    })
  }

  for (const entry of refused) {
    it(`${JSON.stringify(entry)} is config_invalid: it would match nothing`, () => {
      const settings = settingsOf(entry)
      assert.isTrue(Result.isFailure(settings))
      if (Result.isFailure(settings)) {
        assert.include(settings.failure.message, "http.hostAllowlist[1]: expected a host name, *.NAME, an address")
      }
    })
  }
})
