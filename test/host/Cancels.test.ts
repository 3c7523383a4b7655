import { getEventListeners } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import type { SidecarHost } from "../../src/host/SidecarHost.ts"
import { drain, event, Peer, rejection, response, sessionId } from "./Peer.ts"

const began = (text: string, turnId = "t-1") => event("user_message", { turnId, text })
const ended = (id: string, reason = "cancelled") => response(id, { reason, turnCount: 1, stepCount: 1 })

const grantQueue = async (peer: Peer, host: SidecarHost) => {
  const hello = host.hello(["queue"], { name: "test", version: "1" })
  const asked = await peer.take("hello")
  assert.deepStrictEqual(asked.payload, { extensions: ["queue"], client: { name: "test", version: "1" } })
  peer.respond(asked, { extensions: ["queue"] })
  await hello
  assert.deepStrictEqual([...host.extensions], ["queue"])
}

describe("a turn's signal", () => {
  it("cancels the turn while it runs; its result says so, and its text stays", async () => {
    const peer = new Peer()
    const host = peer.host()
    const controller = new AbortController()
    const turn = host.send(sessionId, "hello", { signal: controller.signal })
    const { id } = await peer.take("send_message")
    peer.write(began("hello"), event("assistant_delta", { text: "Once" }))
    await peer.settle(host)
    controller.abort()
    const cancel = await peer.take("cancel")
    assert.deepStrictEqual(cancel.payload, { sessionId })
    peer.write(ended(id), response(cancel.id, { cancelled: true, turns: 1 }))
    assert.strictEqual((await turn.result).reason, "cancelled")
    assert.deepStrictEqual((await drain(turn)).items, [{ text: "Once" }])
  })

  it("cancels a turn that has not begun, if none is before it", async () => {
    const peer = new Peer()
    const controller = new AbortController()
    const turn = peer.host().send(sessionId, "hello", { signal: controller.signal })
    controller.abort()
    const { id } = await peer.take("send_message")
    await peer.take("cancel")
    peer.write(ended(id))
    assert.strictEqual((await turn.result).reason, "cancelled")
  })

  it("takes a waiting turn out of the queue, and leaves the running one alone", async () => {
    const peer = new Peer()
    const host = peer.host()
    await grantQueue(peer, host)
    const controller = new AbortController()
    const running = host.send(sessionId, "one")
    const waiting = host.send(sessionId, "two", { signal: controller.signal })
    const ids = [await peer.take(), await peer.take()].map(({ id }) => id)
    peer.write(event("turn_queued", { turnId: "t-1", position: 0 }), began("one"))
    await peer.settle(host)
    controller.abort()
    // Its name is not known yet.
    await peer.settle(host)
    peer.write(event("turn_queued", { turnId: "t-2", position: 1 }))
    const unqueue = await peer.take("unqueue")
    assert.deepStrictEqual(unqueue.payload, { sessionId, turnId: "t-2" })
    peer.write(ended(ids[1]!), response(unqueue.id, { removed: true }), ended(ids[0]!, "reply"))
    assert.strictEqual((await waiting.result).reason, "cancelled")
    assert.strictEqual((await running.result).reason, "reply")
    await peer.settle(host)
    assert.notInclude(
      peer.requests.map(({ type }) => type),
      "cancel"
    )
  })

  it("cancels a turn that began before it could be taken out of the queue", async () => {
    const peer = new Peer()
    const host = peer.host()
    await grantQueue(peer, host)
    const controller = new AbortController()
    void host.send(sessionId, "one")
    const waiting = host.send(sessionId, "two", { signal: controller.signal })
    const ids = [await peer.take(), await peer.take()].map(({ id }) => id)
    peer.write(began("one"), event("turn_queued", { turnId: "t-1", position: 0 }))
    peer.write(event("turn_queued", { turnId: "t-2", position: 1 }))
    await peer.settle(host)
    controller.abort()
    const unqueue = await peer.take("unqueue")
    peer.write(ended(ids[0]!, "reply"), began("two", "t-2"), response(unqueue.id, { removed: false }))
    await peer.take("cancel")
    peer.write(ended(ids[1]!))
    assert.strictEqual((await waiting.result).reason, "cancelled")
  })

  it("waits for a turn's time where there is no way to reach into the queue", async () => {
    const peer = new Peer()
    const host = peer.host()
    const controller = new AbortController()
    const running = host.send(sessionId, "one")
    const waiting = host.send(sessionId, "two", { signal: controller.signal })
    const ids = [await peer.take(), await peer.take()].map(({ id }) => id)
    peer.write(began("one"))
    controller.abort()
    await peer.settle(host)
    peer.write(ended(ids[0]!, "reply"))
    await peer.take("cancel")
    peer.write(ended(ids[1]!))
    assert.strictEqual((await running.result).reason, "reply")
    assert.strictEqual((await waiting.result).reason, "cancelled")
  })

  it("that is aborted already sends nothing", async () => {
    const peer = new Peer()
    const host = peer.host()
    const why = new Error("changed my mind")
    const turn = host.send(sessionId, "hello", { signal: AbortSignal.abort(why) })
    assert.strictEqual(await rejection(turn.result), why)
    assert.deepStrictEqual(await drain(host.send(sessionId, "hello", { signal: AbortSignal.abort(why) })), {
      items: [],
      error: why
    })
    await peer.settle(host)
    assert.lengthOf(peer.requests, 1)
  })

  it("is let go when the turn has ended, and does nothing any more", async () => {
    const peer = new Peer()
    const host = peer.host()
    const controller = new AbortController()
    const turn = host.send(sessionId, "hello", { signal: controller.signal })
    peer.write(ended((await peer.take("send_message")).id, "reply"))
    await turn.result
    assert.deepStrictEqual(getEventListeners(controller.signal, "abort"), [])
    controller.abort()
    await peer.settle(host)
  })

  it("asks for one cancel where several turns are stopped, and spares what is sent after it", async () => {
    const peer = new Peer()
    const host = peer.host()
    const controller = new AbortController()
    const turns = ["one", "two"].map((text) => host.send(sessionId, text, { signal: controller.signal }))
    const ids = [await peer.take(), await peer.take()].map(({ id }) => id)
    peer.write(began("one"))
    await peer.settle(host)
    controller.abort()
    const cancel = await peer.take("cancel")
    const later = host.send(sessionId, "three")
    const { id } = await peer.take("send_message")
    peer.write(ended(ids[0]!), ended(ids[1]!), response(cancel.id, { cancelled: true, turns: 2 }), ended(id, "reply"))
    for (const turn of turns) assert.strictEqual((await turn.result).reason, "cancelled")
    assert.strictEqual((await later.result).reason, "reply")
    await peer.settle(host)
    assert.lengthOf(
      peer.requests.filter(({ type }) => type === "cancel"),
      1
    )
  })
})
