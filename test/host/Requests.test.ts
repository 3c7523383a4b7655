import { assert, describe, it } from "@effect/vitest"
import { RequestFailed, SidecarGone } from "../../src/host/SidecarHost.ts"
import { event, failure, lineOf, Peer, rejection, response, sessionId } from "./Peer.ts"

describe("a host's requests", () => {
  it("go out as one line each, every one with an id of its own", async () => {
    const peer = new Peer()
    const host = peer.host()
    void host.request("ping")
    void host.request("start_session", { workingDir: "/w", metadata: { note: "\u2028 é" } })
    const [ping, start] = [await peer.take("ping"), await peer.take("start_session")]
    assert.notStrictEqual(ping.id, start.id)
    assert.deepStrictEqual(peer.lines, [
      `{"kind":"request","id":"${ping.id}","type":"ping","payload":{}}`,
      `{"kind":"request","id":"${start.id}","type":"start_session","payload":{"workingDir":"/w","metadata":{"note":"\u2028 é"}}}`
    ])
  })

  it("get their own answers, in whatever order these come", async () => {
    const peer = new Peer()
    const host = peer.host()
    const asked = [host.request("get_session", { sessionId }), host.request("cancel", { sessionId })]
    const [first, second] = [await peer.take("get_session"), await peer.take("cancel")]
    peer.write(response(second.id, { cancelled: true, turns: 0 }), response("unknown", {}), response(first.id, null))
    assert.deepStrictEqual(await Promise.all(asked), [null, { cancelled: true, turns: 0 }])
  })

  it("fail with the sidecar's code and words", async () => {
    const peer = new Peer()
    const asked = rejection(peer.host().request("start_session", { workingDir: "/nowhere" }))
    peer.write(failure((await peer.take("start_session")).id, "handler_failed", "no such directory: /nowhere"))
    const error = await asked
    assert.instanceOf(error, RequestFailed)
    assert.deepInclude({ ...error, message: error.message }, { _tag: "RequestFailed", code: "handler_failed" })
    assert.strictEqual(error.message, "no such directory: /nowhere")
  })

  it("fail where the payload cannot be sent", async () => {
    const peer = new Peer()
    const host = peer.host()
    const metadata: Record<string, unknown> = {}
    metadata["self"] = metadata
    const error = await rejection(host.request("start_session", { workingDir: ".", metadata }))
    assert.strictEqual(error.code, "not_sent")
    await peer.settle(host)
    assert.lengthOf(peer.requests, 1)
  })

  it("survive answers that are none", async () => {
    const peer = new Peer()
    const host = peer.host()
    const asked = host.request("ping")
    const { id } = await peer.take("ping")
    peer.write(
      { kind: "response", correlationId: id },
      { kind: "response", correlationId: id, ok: false },
      { kind: "response", ok: true },
      { kind: "event", type: "log" },
      { kind: "event", type: "toString", payload: {} },
      "null\n[]\n7\n",
      response(id, { ok: true })
    )
    assert.deepStrictEqual(await asked, { ok: true } as never)
  })

  it("are never sent twice: what a dead sidecar owes is the caller's to ask again", async () => {
    const peer = new Peer()
    const host = peer.host()
    const asked = rejection(host.request("send_message", { sessionId, text: "pay the bill" }))
    await peer.take("send_message")
    peer.end()
    assert.instanceOf(await asked, SidecarGone)
    const next = new Peer()
    await next.settle(next.host())
    assert.deepStrictEqual(
      [peer, next].map(({ requests }) => requests.map(({ type }) => type)),
      [["send_message"], ["ping"]]
    )
  })

  it("reject at once after the end, and hurt nobody who does not ask for the outcome", async () => {
    const peer = new Peer()
    const host = peer.host()
    const unheard: Array<unknown> = []
    const onUnhandled = (error: unknown) => unheard.push(error)
    process.on("unhandledRejection", onUnhandled)
    void host.request("ping")
    void host.send(sessionId, "hello").result
    peer.end()
    await host.exited
    void host.request("ping")
    void host.send(sessionId, "hello")
    const error = await rejection(host.request("ping"))
    assert.instanceOf(error, SidecarGone)
    assert.deepInclude(error, { exitCode: null, signal: null, detail: "" })
    assert.strictEqual(error.message, "the sidecar is gone")
    // Node tells of rejections that nobody handles when the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve))
    process.off("unhandledRejection", onUnhandled)
    assert.deepStrictEqual(unheard, [])
  })

  it("wait for a sidecar that does not read, and are refused when too much waits", async () => {
    const peer = new Peer()
    peer.fromHost.pause()
    const host = peer.host()
    await host.ready()
    const text = "x".repeat(8 * 1024 * 1024)
    const asked = Array.from({ length: 12 }, () => host.request("steer_message", { sessionId, text }))
    const refused = await rejection(asked.at(-1)!)
    assert.instanceOf(refused, RequestFailed)
    assert.strictEqual(refused.code, "not_sent")
    assert.match(refused.message, /^the sidecar does not read: \d+ bytes wait$/)

    let drained = false
    const ready = host.ready().then(() => (drained = true))
    await Promise.resolve()
    assert.isFalse(drained)
    peer.fromHost.resume()
    await ready
    const pong = host.request("ping")
    let accepted = 0
    for (let request = await peer.take(); request.type !== "ping"; request = await peer.take()) {
      accepted += 1
      peer.respond(request, { steered: true })
    }
    peer.respond(peer.requests.at(-1)!, { ok: true })
    await pong
    const answered = (await Promise.allSettled(asked)).filter(({ status }) => status === "fulfilled")
    assert.strictEqual(answered.length, accepted)
    assert.isAtLeast(accepted, 8)
  })

  it("do not leave anybody waiting for room that cannot come", async () => {
    const peer = new Peer()
    peer.fromHost.pause()
    const host = peer.host()
    void host.request("steer_message", { sessionId, text: "x".repeat(1024 * 1024) })
    const ready = host.ready()
    peer.fromHost.destroy()
    await ready
    assert.instanceOf(await rejection(host.request("ping")), SidecarGone)
  })
})

describe("a host's reading", () => {
  const frames = [
    event("assistant_delta", { text: "é 你 👩‍💻 \u2028" }),
    event("log", { level: "info", message: "two" }),
    event("assistant_delta", { text: "three" })
  ]
  const bytes = Buffer.from(frames.map(lineOf).join(""))

  it("puts frames together wherever they are cut, a byte at a time too", async () => {
    for (let at = 0; at < bytes.length; at++) {
      const peer = new Peer()
      const host = peer.host()
      const events: Array<unknown> = []
      host.onEvent((each) => events.push(each))
      peer.toHost.write(bytes.subarray(0, at))
      peer.toHost.write(bytes.subarray(at))
      await peer.settle(host)
      assert.deepStrictEqual(events, frames, `cut at ${at}`)
    }
    const peer = new Peer()
    const host = peer.host()
    const events: Array<unknown> = []
    host.onEvent((each) => events.push(each))
    for (const byte of bytes) peer.toHost.write(Buffer.of(byte))
    await peer.settle(host)
    assert.deepStrictEqual(events, frames)
  })

  it("takes a last frame without its line end", async () => {
    const peer = new Peer()
    const asked = peer.host().request("ping")
    const { id } = await peer.take("ping")
    peer.toHost.end(JSON.stringify(response(id, { ok: true })))
    assert.deepStrictEqual(await asked, { ok: true } as never)
  })

  it("takes an answer of ten megabytes", async () => {
    const peer = new Peer()
    const asked = peer.host().request("get_session", { sessionId })
    const { id } = await peer.take("get_session")
    const big = "你".repeat(5 * 1024 * 1024)
    const line = Buffer.from(lineOf(response(id, { turns: big })))
    for (let at = 0; at < line.length; at += 65_521) peer.toHost.write(line.subarray(at, at + 65_521))
    assert.isTrue(((await asked) as unknown as { turns: string }).turns === big)
  })

  it("shows what it does not know on the raw hook, and nowhere else", async () => {
    const peer = new Peer()
    const raw: Array<any> = []
    const noise: Array<string> = []
    const known: Array<unknown> = []
    const host = peer.host({ onFrame: (frame) => raw.push(frame), onNoise: (line) => noise.push(line) })
    host.onEvent((each) => known.push(each))
    const iterated = host.events()
    const future = { kind: "event", id: "e", type: "holographic_delta", payload: { sessionId, text: "?" } }
    peer.write("npm warn\n\n  \r\n", future, { kind: "telegram" }, event("log", { level: "info", message: "hi" }))
    await peer.settle(host)
    assert.deepStrictEqual(
      raw.map((frame) => frame.type ?? frame.kind),
      ["holographic_delta", "telegram", "log", "response"]
    )
    assert.deepStrictEqual(noise, ["npm warn"])
    assert.deepStrictEqual(known, [event("log", { level: "info", message: "hi" })])
    assert.deepInclude((await iterated.next()).value, { type: "log" })
  })
})
