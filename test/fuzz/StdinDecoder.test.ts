import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { RequestType } from "../../src/protocol/Request.ts"
import { requestTable } from "../../src/protocol/RequestTable.ts"
import { decodeFramed } from "../../src/stdio/StdinDecoder.ts"
import { headBytes } from "../../src/stdio/LineFramer.ts"
import { holds, json, patience, text } from "./holds.ts"

const decode = (line: string) => decodeFramed({ _tag: "Line", text: line }, 1_000_000)

const types = Object.keys(requestTable) as ReadonlyArray<RequestType>
const words = text.filter((value) => value.trim() !== "")
const session = { sessionId: text }
const orNull = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary)
const optional = <T extends { readonly [key: string]: fc.Arbitrary<unknown> }>(
  keys: T,
  required: ReadonlyArray<keyof T & string>
) => fc.record(keys, { requiredKeys: required as never })

/** Payloads that fit. */
const payloads: { readonly [T in RequestType]: fc.Arbitrary<unknown> } = {
  ping: json,
  start_session: optional({ workingDir: text, metadata: orNull(fc.dictionary(words, json)) }, ["workingDir"]),
  send_message: optional({ ...session, text: words, maxSteps: orNull(fc.integer({ min: 1 })) }, ["sessionId", "text"]),
  steer_message: fc.record({ ...session, text }),
  cancel: fc.record(session),
  approval_response: optional({ approvalId: text, approved: fc.boolean(), reason: orNull(text) }, [
    "approvalId",
    "approved"
  ]),
  get_session: optional({ ...session, afterTurn: orNull(text) }, ["sessionId"]),
  skill_install: optional({ sourcePath: text, force: orNull(fc.boolean()) }, ["sourcePath"]),
  skill_uninstall: fc.record({ name: text }),
  skill_list: json,
  shutdown: json,
  hello: optional({ extensions: fc.array(text), client: orNull(fc.record({ name: text, version: text })) }, [
    "extensions"
  ]),
  list_queue: fc.record(session),
  unqueue: fc.record({ ...session, turnId: text }),
  list_sessions: orNull(optional({ limit: orNull(fc.integer({ min: 1 })), workingDir: orNull(text) }, [])),
  resume_session: fc.record(session),
  close_session: fc.record(session),
  tool_response: optional({ requestId: text, text, isError: orNull(fc.boolean()), truncated: orNull(fc.boolean()) }, [
    "requestId",
    "text"
  ]),
  list_models: json,
  list_grants: fc.record(session),
  revoke_grant: fc.record({
    ...session,
    grant: fc.oneof(
      fc.record({ kind: fc.constant("command"), argv: fc.array(text).map((words) => ["npm", ...words]) }),
      fc.record({ kind: fc.constantFrom("read", "write"), path: fc.constantFrom("/a", "/a/b.txt") })
    )
  }),
  set_options: fc.record({
    ...session,
    options: optional({ thinking: fc.constantFrom("on", null), maxSteps: orNull(fc.integer({ min: 1 })) }, [])
  }),
  delete_session: fc.record(session),
  update_session: optional({ ...session, title: orNull(text), metadata: orNull(fc.dictionary(words, json)) }, [
    "sessionId"
  ]),
  fork_session: optional({ ...session, turnId: orNull(text) }, ["sessionId"])
}

const request = fc
  .constantFrom(...types)
  .chain((type) =>
    fc.record({ kind: fc.constant("request"), id: text, type: fc.constant(type), payload: payloads[type] })
  )

/** What must not be in a frame that goes out: more than the head of what came in. */
const longest = headBytes + 100

describe("the decoder of requests, for any line", { timeout: patience }, () => {
  it("gives back what was encoded", () =>
    holds(request, (sent) => {
      const decoded = decode(JSON.stringify(sent))
      const payload = JSON.parse(JSON.stringify(sent.payload)) ?? null
      assert.deepStrictEqual(decoded, { _tag: "Request", request: { ...sent, payload } } as typeof decoded)
    }))

  it("ignores keys that it does not know, and takes null for what may be left out", () =>
    holds(
      fc.tuple(
        request,
        fc.dictionary(
          text.map((key) => `x-${key}`),
          json
        )
      ),
      ([sent, extra]) => {
        if (typeof sent.payload !== "object" || sent.payload === null || Array.isArray(sent.payload)) return
        const decoded = decode(JSON.stringify({ ...extra, ...sent, payload: { ...extra, ...sent.payload } }))
        assert.strictEqual(decoded._tag, "Request")
      }
    ))

  it("says in few words what is wrong with a line that is no request", () =>
    holds(
      fc.oneof(
        text,
        json.map((value) => JSON.stringify(value))
      ),
      (line) => {
        const decoded = decode(line)
        if (decoded._tag === "BadLine") {
          assert.isAtMost(Buffer.byteLength(decoded.stack), longest)
          assert.isAtMost(decoded.message.length, 500)
          assert.throws(() => JSON.parse(line))
        } else {
          assert.strictEqual(decoded._tag, "BadFrame")
          assert.include(JSON.stringify(decoded), "not a request frame: ")
        }
      }
    ))

  it("names the place of the first fault where a payload does not fit", () =>
    holds(fc.tuple(request, json, fc.nat()), ([sent, value, which]) => {
      const keys = typeof sent.payload === "object" ? Object.keys(sent.payload ?? {}) : []
      const key = keys[which % Math.max(1, keys.length)]
      const payload = key === undefined ? value : { ...(sent.payload as object), [key]: value }
      const decoded = decode(JSON.stringify({ ...sent, payload }))
      if (decoded._tag === "Request") return
      assert.strictEqual(decoded._tag, "BadPayload")
      if (decoded._tag !== "BadPayload") return
      assert.strictEqual(decoded.id, sent.id)
      assert.match(decoded.message, /^payload[^]*: expected [^]+, got [^]+$/)
      if (key !== undefined) assert.include(decoded.message, `payload.${key}`)
      assert.isAtMost(decoded.message.length, 500)
    }))

  it("survives any change of one character", () =>
    holds(fc.tuple(request, fc.nat(), text), ([sent, at, put]) => {
      const line = JSON.stringify(sent)
      const changed = line.slice(0, at % line.length) + put + line.slice((at % line.length) + 1)
      const decoded = decode(changed)
      if ("message" in decoded) assert.isAtMost(decoded.message.length, 500)
    }))
})
