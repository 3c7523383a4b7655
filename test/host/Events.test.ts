import { assert, describe, it } from "@effect/vitest"
import type { SidecarEvent } from "../../src/protocol/Event.ts"
import { EventsLost, SidecarGone } from "../../src/host/SidecarHost.ts"
import { drain, event, Peer, response, sessionId } from "./Peer.ts"

const note = (message: string) => ({ ...event("log", {}), payload: { level: "info" as const, message } })
const other = (text: string) => ({ ...event("user_message", { text }), payload: { sessionId: "s-0", text } })

/** Answers a `start_session` in one chunk with the events around it. */
const begin = async (peer: Peer, host: ReturnType<Peer["host"]>, ...after: ReadonlyArray<object>) => {
  const started = host.request("start_session", { workingDir: "/w" })
  const { id } = await peer.take("start_session")
  peer.write(event("session_started", { workingDir: "/w" }), response(id, { sessionId }), ...after)
  return (await started).sessionId
}

describe("a host's listeners", () => {
  it("are called with the payload and the event of their own type, until they are removed", async () => {
    const peer = new Peer()
    const host = peer.host()
    const messages: Array<string> = []
    const stop = host.on("log", ({ message }, frame) => messages.push(`${frame.type}: ${message}`))
    peer.write(note("one"), event("assistant_delta", { text: "no" }), note("two"))
    await peer.settle(host)
    stop()
    peer.write(note("three"))
    await peer.settle(host)
    assert.deepStrictEqual(messages, ["log: one", "log: two"])
  })

  it("are called before the response that follows the event is delivered", async () => {
    const peer = new Peer()
    const host = peer.host()
    const order: Array<string> = []
    host.onEvent(({ type }) => order.push(type))
    await begin(peer, host).then(() => order.push("answer"))
    assert.deepStrictEqual(order, ["session_started", "answer"])
  })

  it("are all called, though one of them throws; its error is an uncaught exception of the host", async () => {
    const peer = new Peer()
    const host = peer.host()
    const messages: Array<string> = []
    const thrown: Array<unknown> = []
    const others = process.listeners("uncaughtException")
    process.removeAllListeners("uncaughtException").on("uncaughtException", (error) => thrown.push(error.message))
    host.on("log", () => {
      throw new Error("a bug in the host")
    })
    host.on("log", ({ message }) => messages.push(message))
    peer.write(note("one"), note("two"))
    await peer.settle(host)
    process.removeAllListeners("uncaughtException")
    for (const listener of others) process.on("uncaughtException", listener)
    assert.deepStrictEqual(
      { messages, thrown },
      { messages: ["one", "two"], thrown: ["a bug in the host", "a bug in the host"] }
    )
  })
})

describe("a host's iterators of events", () => {
  it("give a session's events from the first on, though its id was not known when they came", async () => {
    const peer = new Peer()
    const host = peer.host()
    const id = await begin(peer, host, note("no session's"), event("metric", { name: "warm", value: 1 }))
    await peer.settle(host)
    const events = host.events({ sessionId: id })
    peer.write(other("not this one"), event("user_message", { text: "hello" }))
    peer.end()
    const { items } = await drain(events)
    assert.deepStrictEqual(
      items.map(({ type }) => type),
      ["session_started", "metric", "user_message"]
    )
  })

  it("begin with what comes next, once the session has had a turn", async () => {
    const peer = new Peer()
    const host = peer.host()
    const id = await begin(peer, host)
    peer.write(event("user_message", { text: "hello" }), event("turn_started", { turnIndex: 0 }))
    await peer.settle(host)
    const events = host.events({ sessionId: id })
    peer.write(event("step_started", { stepIndex: 0 }))
    peer.end()
    assert.deepStrictEqual((await drain(events)).items, [
      event("step_started", { stepIndex: 0 })
    ] as Array<SidecarEvent>)
  })

  it("keep the beginning of the newest session only, and not without limit", async () => {
    const peer = new Peer()
    const host = peer.host()
    await begin(peer, host)
    peer.write({ ...event("session_started", {}), payload: { sessionId: "s-2", workingDir: "/" } })
    peer.write(...Array.from({ length: 300 }, () => ({ ...event("metric", {}), payload: { sessionId: "s-2" } })))
    await peer.settle(host)
    const [old, crowded] = [host.events({ sessionId }), host.events({ sessionId: "s-2" })]
    peer.end()
    assert.deepStrictEqual((await drain(old)).items, [])
    assert.deepStrictEqual((await drain(crowded)).items, [])
  })

  it("join neighbouring deltas of one turn that nobody has read, and nothing else", async () => {
    const peer = new Peer()
    const host = peer.host()
    const events = host.events()
    peer.write(
      event("assistant_delta", { turnId: "t-1", text: "a" }),
      event("assistant_delta", { turnId: "t-1", text: "b" }),
      event("assistant_delta", { turnId: "t-2", text: "c" }),
      event("reasoning_delta", { turnId: "t-2", stepIndex: 0, text: "d" }),
      event("reasoning_delta", { turnId: "t-2", stepIndex: 0, text: "e" }),
      event("reasoning_delta", { turnId: "t-2", stepIndex: 1, text: "f" }),
      note("g"),
      note("h")
    )
    peer.end()
    const { items } = await drain(events)
    assert.deepStrictEqual(
      items.map(({ payload }) => ("text" in payload ? payload.text : "message" in payload ? payload.message : "")),
      ["ab", "c", "de", "f", "g", "h"]
    )
  })

  it("give up, typed, when ten thousand events wait for nobody; the host goes on", async () => {
    const peer = new Peer()
    const host = peer.host()
    const events = host.events()
    peer.write(...Array.from({ length: 10_001 }, (_, index) => note(String(index))))
    await peer.settle(host)
    const { error, items } = await drain(events)
    assert.lengthOf(items, 10_000)
    assert.instanceOf(error, EventsLost)
    peer.end()
    await host.exited
  })

  it("end with a typed error when the sidecar goes by itself, those opened later too", async () => {
    const peer = new Peer()
    const host = peer.host()
    const [waiting, kept] = [drain(host.events()), host.events()]
    peer.write(note("last words"))
    peer.end()
    for (const { error, items } of [await waiting, await drain(kept)]) {
      assert.deepStrictEqual(items, [note("last words")] as Array<SidecarEvent>)
      assert.instanceOf(error, SidecarGone)
    }
    assert.instanceOf((await drain(host.events())).error, SidecarGone)
  })

  it("simply end when the host has ended the sidecar", async () => {
    const peer = new Peer()
    const host = peer.host()
    const events = drain(host.events())
    const exit = host.shutdown()
    peer.respond(await peer.take("shutdown"), { ok: true })
    peer.end()
    await exit
    assert.deepStrictEqual(await events, { items: [] })
  })
})
