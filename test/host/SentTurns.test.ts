import { assert, describe, it } from "@effect/vitest"
import type { TurnReason } from "../../src/protocol/SessionState.ts"
import { RequestFailed, SidecarGone, type SidecarHost, type TurnPiece } from "../../src/host/SidecarHost.ts"
import { drain, event, failure, Peer, rejection, response, sessionId } from "./Peer.ts"

const delta = (text: string, turnId = "t-1") => event("assistant_delta", { turnId, text })
const reply = (text: string, more = {}) => event("assistant_reply", { turnId: "t-1", text, ...more })
const began = (text: string, turnId = "t-1") => event("user_message", { turnId, text })
const step = (stepIndex: number) => event("step_started", { turnId: "t-1", stepIndex })
const done = (reason: TurnReason, turnCount = 1) => ({ reason, turnCount, stepCount: turnCount })

const textOf = (pieces: ReadonlyArray<TurnPiece>) => pieces.map(({ text }) => text).join("")

/** Plays the frames of a turn in one chunk, its response behind them. */
const play = async (peer: Peer, host: SidecarHost, ...frames: ReadonlyArray<object>) => {
  const turn = host.send(sessionId, "hello")
  const { id } = await peer.take("send_message")
  peer.write(began("hello"), step(0), ...frames, response(id, done("reply")))
  return { ...(await drain(turn)), result: await turn.result }
}

describe("a turn", () => {
  it("yields its text once and then ends, though last delta, reply and response come in one chunk", async () => {
    const peer = new Peer()
    const { items, result } = await play(peer, peer.host(), delta("Hel"), delta("lo"), reply("Hello"))
    assert.strictEqual(textOf(items), "Hello")
    assert.deepStrictEqual(items.at(-1)?.ends, "reply")
    assert.deepStrictEqual(result, { reason: "reply", turnCount: 1, stepCount: 1 })
  })

  it("yields deltas as they come", async () => {
    const peer = new Peer()
    const host = peer.host()
    const turn = host.send(sessionId, "hello")
    const pieces = turn[Symbol.asyncIterator]()
    const { id } = await peer.take("send_message")
    for (const text of ["one", "two"]) {
      const next = pieces.next()
      peer.write(text === "one" ? began("hello") : "", delta(text))
      assert.deepStrictEqual(await next, { done: false, value: { text } })
    }
    peer.write(reply("onetwo"), response(id, done("reply")))
    assert.deepStrictEqual(await pieces.next(), { done: false, value: { text: "", ends: "reply" } })
    assert.deepStrictEqual(await pieces.next(), { done: true, value: undefined })
  })

  const rows: ReadonlyArray<[name: string, frames: ReadonlyArray<object>, pieces: ReadonlyArray<TurnPiece>]> = [
    ["a reply that was never streamed", [reply("Hello")], [{ text: "Hello", ends: "reply" }]],
    ["a reply that was streamed in part", [delta("Hel"), reply("Hello")], [{ text: "Hello", ends: "reply" }]],
    [
      "notes on the way, marked as such",
      [
        delta("Let me "),
        delta("look."),
        reply("Let me look.", { progressNote: true }),
        step(1),
        delta("Done."),
        reply("Done.")
      ],
      [
        { text: "Let me look.", ends: "note" },
        { text: "Done.", ends: "reply" }
      ]
    ],
    [
      "a note that was never streamed, and a closing summary",
      [reply("Looking.", { progressNote: true }), reply("All done.")],
      [
        { text: "Looking.", ends: "note" },
        { text: "All done.", ends: "reply" }
      ]
    ],
    [
      "blank text that came with calls, and was no note",
      [delta("\n"), step(1), delta("Done."), reply("Done.")],
      [{ text: "\nDone.", ends: "reply" }]
    ],
    [
      "what a sidecar says on the way without telling it as a note",
      [delta("Looking."), step(1), delta("Done."), reply("Done.")],
      [{ text: "Looking.Done.", ends: "reply" }]
    ],
    [
      "a closing reply in the very words of a note",
      [delta("Done."), reply("Done.", { progressNote: true }), reply("Done.")],
      [
        { text: "Done.", ends: "note" },
        { text: "Done.", ends: "reply" }
      ]
    ],
    ["text that streamed until a cancel", [delta("Once upon")], [{ text: "Once upon" }]],
    [
      "files that the reply hands over",
      [reply("Here.", { attachments: ["/w/a.md"] })],
      [{ text: "Here.", ends: "reply", attachments: ["/w/a.md"] }]
    ],
    ["nothing at all", [], []]
  ]
  for (const [name, frames, pieces] of rows) {
    it(`yields ${name}`, async () => {
      const peer = new Peer()
      assert.deepStrictEqual((await play(peer, peer.host(), ...frames)).items, pieces)
    })
  }

  it("keeps the text of a whole turn for a reader who comes late, in one piece", async () => {
    const peer = new Peer()
    const deltas = Array.from({ length: 50_000 }, (_, index) => delta(`${index} `))
    const { items } = await play(peer, peer.host(), ...deltas)
    assert.lengthOf(items, 1)
    assert.strictEqual(items[0]?.text.length, 288_890)
  })

  it("yields a reply of ten megabytes once, streamed or not", async () => {
    const peer = new Peer()
    const host = peer.host()
    const big = "你好! ".repeat(1_250_000)
    const half = big.length / 2
    const whole = await play(peer, host, reply(big))
    const streamed = await play(peer, host, delta(big.slice(0, half)), delta(big.slice(half)), reply(big))
    assert.strictEqual(Buffer.byteLength(big), 10_000_000)
    assert.deepStrictEqual([textOf(whole.items) === big, textOf(streamed.items) === big], [true, true])
  })

  it("says why it failed; that is a result and no error", async () => {
    const peer = new Peer()
    const host = peer.host()
    const turn = host.send(sessionId, "hello")
    const { id } = await peer.take("send_message")
    const failed = event("session_failed", { error: "cut", category: "transport" })
    peer.write(began("hello"), step(0), delta("Hel"), failed, response(id, done("failed")))
    assert.deepStrictEqual(await turn.result, { ...done("failed"), failure: { error: "cut", category: "transport" } })
    assert.deepStrictEqual(await drain(turn), { items: [{ text: "Hel" }] })
  })

  it("rejects, to the reader too, where the message is not accepted", async () => {
    const peer = new Peer()
    const turn = peer.host().send("s-0", "hello", { maxSteps: 3 })
    const { id, payload } = await peer.take("send_message")
    assert.deepStrictEqual(payload, { sessionId: "s-0", text: "hello", maxSteps: 3 })
    peer.write(failure(id, "handler_failed", "no active session with id s-0"))
    const { error } = await drain(turn)
    assert.instanceOf(error, RequestFailed)
    assert.strictEqual(await rejection(turn.result), error)
  })

  it("rejects, after the pieces before it, when the sidecar dies", async () => {
    const peer = new Peer()
    const turn = peer.host().send(sessionId, "hello")
    await peer.take("send_message")
    peer.write(began("hello"), delta("Hel"))
    peer.end()
    const { error, items } = await drain(turn)
    assert.strictEqual(textOf(items), "Hel")
    assert.instanceOf(error, SidecarGone)
    assert.instanceOf(await rejection(turn.result), SidecarGone)
  })

  it("goes on when its reader leaves the loop", async () => {
    const peer = new Peer()
    const host = peer.host()
    const turn = host.send(sessionId, "hello")
    const { id } = await peer.take("send_message")
    peer.write(began("hello"), delta("a"))
    for await (const piece of turn) {
      assert.strictEqual(piece.text, "a")
      break
    }
    peer.write(delta("b"), reply("ab"), response(id, done("reply")))
    assert.deepStrictEqual(await turn.result, done("reply"))
    assert.deepStrictEqual(
      peer.requests.map(({ type }) => type),
      ["send_message"]
    )
  })
})

describe("turns that wait for each other", () => {
  it("get their own words and results", async () => {
    const peer = new Peer()
    const host = peer.host()
    const turns = ["one", "one", "two"].map((text) => host.send(sessionId, text))
    const ids = [await peer.take(), await peer.take(), await peer.take()].map(({ id }) => id)
    peer.write(
      ...ids.flatMap((id, index) => [
        began(["one", "one", "two"][index]!, `t-${index}`),
        delta(`answer ${index}`, `t-${index}`),
        response(id, done("reply", index + 1))
      ])
    )
    for (const [index, turn] of turns.entries()) {
      assert.strictEqual(textOf((await drain(turn)).items), `answer ${index}`)
      assert.strictEqual((await turn.result).turnCount, index + 1)
      assert.strictEqual(turn.turnId, `t-${index}`)
    }
  })

  it("are kept apart though one in the middle is taken out before its answer comes", async () => {
    const peer = new Peer()
    const host = peer.host()
    const [first, second, third] = ["one", "two", "three"].map((text) => host.send(sessionId, text))
    const ids = [await peer.take(), await peer.take(), await peer.take()].map(({ id }) => id)
    peer.write(
      began("one"),
      response(ids[0]!, done("reply")),
      began("three", "t-3"),
      response(ids[1]!, done("cancelled")),
      delta("third", "t-3"),
      response(ids[2]!, done("reply", 2))
    )
    assert.deepStrictEqual((await drain(second!)).items, [])
    assert.strictEqual(textOf((await drain(third!)).items), "third")
    assert.deepStrictEqual((await drain(first!)).items, [])
  })

  it("are kept apart by id where the queue reports ids", async () => {
    const peer = new Peer()
    const host = peer.host()
    const turns = ["same", "same"].map((text) => host.send(sessionId, text))
    const ids = [await peer.take(), await peer.take()].map(({ id }) => id)
    peer.write(
      event("turn_queued", { turnId: "t-1", position: 0 }),
      event("turn_queued", { turnId: "t-2", position: 1 }),
      began("same", "t-2"),
      delta("second", "t-2"),
      response(ids[0]!, done("cancelled")),
      response(ids[1]!, done("reply"))
    )
    assert.deepStrictEqual((await drain(turns[0]!)).items, [])
    assert.strictEqual(textOf((await drain(turns[1]!)).items), "second")
  })

  it("stand in line with those that were sent as plain requests", async () => {
    const peer = new Peer()
    const host = peer.host()
    const plain = host.request("send_message", { sessionId, text: "same" })
    const turn = host.send(sessionId, "same")
    const ids = [await peer.take(), await peer.take()].map(({ id }) => id)
    peer.write(began("same", "t-1"), delta("first"), response(ids[0]!, done("reply")))
    peer.write(began("same", "t-2"), delta("second", "t-2"), response(ids[1]!, done("reply", 2)))
    assert.deepStrictEqual(await plain, done("reply"))
    assert.strictEqual(textOf((await drain(turn)).items), "second")
  })

  it("are not mixed up by an answer that comes twice", async () => {
    const peer = new Peer()
    const host = peer.host()
    const turns = ["one", "two"].map((text) => host.send(sessionId, text))
    const ids = [await peer.take(), await peer.take()].map(({ id }) => id)
    const answer = response(ids[0]!, done("reply"))
    peer.write(began("one"), answer, answer, began("two", "t-2"), delta("second"), response(ids[1]!, done("finish")))
    assert.strictEqual(textOf((await drain(turns[1]!)).items), "second")
    assert.strictEqual((await turns[1]!.result).reason, "finish")
  })

  it("get no pieces of another session", async () => {
    const peer = new Peer()
    const host = peer.host()
    const turn = host.send(sessionId, "hello")
    const { id } = await peer.take("send_message")
    const stray = { ...delta("not yours"), payload: { sessionId: "s-0", text: "not yours" } }
    peer.write(delta("before its beginning"), began("hello"), stray, delta("yours"), response(id, done("reply")))
    assert.strictEqual(textOf((await drain(turn)).items), "yours")
  })
})
