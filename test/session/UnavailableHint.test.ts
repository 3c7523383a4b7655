import { assert, describe, it } from "@effect/vitest"
import { unavailableHint } from "../../src/session/UnavailableHint.ts"

describe("the hint for a server that cannot be reached", () => {
  const rows = [
    ["http://127.0.0.1:8081", "connect ECONNREFUSED 127.0.0.1:8081", /^Start a server there .*--port 8081/],
    ["http://box", "no answer within 3000 ms", /^Start a server there .*--port 8080/],
    ["https://box:8443", "self-signed certificate; try …", /NODE_EXTRA_CA_CERTS/],
    ["https://box", "unable to verify the first certificate", /NODE_EXTRA_CA_CERTS/],
    ["https://box", "Hostname/IP does not match certificate's altnames", /NODE_EXTRA_CA_CERTS/],
    ["https://box", "connect ECONNREFUSED 10.0.0.1:443", /^Start a server there/]
  ] as const
  for (const [url, detail, hint] of rows) {
    it(`${url}: ${detail}`, () => {
      const given = unavailableHint({ state: "unreachable", url, detail }, "/state")
      assert.match(given, hint)
      assert.include(given, "localModels.url in /state/config.json")
      assert.include(given, "ATOMIC_AGENT_LLAMA_URL")
    })
  }
})
