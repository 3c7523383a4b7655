import { assert, describe, it } from "@effect/vitest"
import type { Approval, OnApproval } from "../../src/host/SidecarHost.ts"
import { event, failure, Peer, sessionId } from "./Peer.ts"

const asks = (approvalId = "a-1", callId = "c-1") =>
  event("approval_request", { approvalId, callId, tool: "fs.write", category: "fs_write_home", reason: "writes" })

/** A handler whose answers the test gives. */
const dialog = () => {
  const questions: Array<{ id: string; signal: AbortSignal; answer: (approval: Approval) => void }> = []
  const onApproval: OnApproval = (request, signal) => {
    const { promise, resolve } = Promise.withResolvers<Approval>()
    questions.push({ id: request.approvalId, signal, answer: resolve })
    return promise
  }
  return { questions, onApproval }
}

describe("the approval handler", () => {
  it("is asked with the whole request, and its answer is sent", async () => {
    const peer = new Peer()
    const requests: Array<unknown> = []
    peer.host({
      onApproval: (request) => {
        requests.push(request)
        return { approved: true }
      }
    })
    peer.write(asks())
    assert.deepStrictEqual((await peer.take("approval_response")).payload, { approvalId: "a-1", approved: true })
    assert.deepStrictEqual(requests, [asks().payload])
  })

  it("is asked after the listeners have been called", async () => {
    const peer = new Peer()
    const order: Array<string> = []
    const host = peer.host({
      onApproval: () => {
        order.push("asked")
        return { approved: true }
      }
    })
    host.onEvent(({ type }) => order.push(type))
    peer.write(asks())
    await peer.take("approval_response")
    assert.deepStrictEqual(order, ["approval_request", "asked"])
  })

  it("may take its time, answer several questions in any order, and say why not", async () => {
    const peer = new Peer()
    const { onApproval, questions } = dialog()
    const host = peer.host({ onApproval })
    peer.write(asks("a-1", "c-1"), asks("a-2", "c-2"))
    await peer.settle(host)
    questions[1]!.answer({ approved: false, reason: "not there" })
    assert.deepStrictEqual((await peer.take("approval_response")).payload, {
      approvalId: "a-2",
      approved: false,
      reason: "not there"
    })
    questions[0]!.answer({ approved: true })
    assert.deepStrictEqual((await peer.take("approval_response")).payload, { approvalId: "a-1", approved: true })
  })

  it.each<[what: string, reason: unknown, sent: object]>([
    ["a number", 5, { approved: true, reason: "5" }],
    ["what JSON has no word for", 1n, { approved: true, reason: "1" }],
    ["an error", new Error("not now"), { approved: true, reason: "Error: not now" }],
    ["null", null, { approved: true }],
    ["what has no words at all", Object.create(null), { approved: false }]
  ])("may give %s as its reason: the turn does not hang", async (_, reason, sent) => {
    const peer = new Peer()
    peer.host({ onApproval: () => ({ approved: true, reason: reason as string }) })
    peer.write(asks())
    assert.deepInclude((await peer.take("approval_response")).payload, sent)
  })

  it("may give a grant with its yes; one that is refused is left out, so that the turn does not hang", async () => {
    const peer = new Peer()
    const grant = { kind: "write", path: "/srv/out" } as const
    peer.host({ onApproval: ({ approvalId }) => ({ approved: approvalId !== "a-2", grant }) })
    peer.write(asks("a-1", "c-1"))
    const first = await peer.take("approval_response")
    assert.deepStrictEqual(first.payload, { approvalId: "a-1", approved: true, grant })
    peer.write(
      failure(first.id, "handler_failed", "payload.grant: expected one of the grants that the question offers")
    )
    assert.deepStrictEqual((await peer.take("approval_response")).payload, { approvalId: "a-1", approved: true })
    peer.write(asks("a-2", "c-2"))
    assert.deepStrictEqual((await peer.take("approval_response")).payload, { approvalId: "a-2", approved: false })
  })

  it("may throw what has no words", async () => {
    const peer = new Peer()
    peer.host({ onApproval: () => Promise.reject(Object.create(null)) })
    peer.write(asks())
    assert.deepInclude((await peer.take("approval_response")).payload, { approved: false })
  })

  it("is not lost with a reason that the sidecar refuses: the answer is sent once more without", async () => {
    const peer = new Peer()
    peer.host({ onApproval: () => ({ approved: false, reason: "long" }) })
    peer.write(asks())
    const refused = failure((await peer.take("approval_response")).id, "handler_failed", "too long")
    peer.write(refused)
    const again = await peer.take("approval_response")
    assert.deepStrictEqual(again.payload, { approvalId: "a-1", approved: false })
    // And that is the end of it.
    peer.write({ ...refused, correlationId: again.id })
    peer.write(asks("a-2", "c-2"))
    assert.deepInclude((await peer.take("approval_response")).payload, { approvalId: "a-2" })
  })

  const withdrawals: ReadonlyArray<[why: string, frame: object]> = [
    ["the turn has ended", event("turn_finished", { reason: "cancelled" })],
    ["the call has its result already", event("tool_call_result", { callId: "c-1", status: "error" })],
    ["the sidecar says that it is resolved", event("approval_resolved", { approvalId: "a-1", outcome: "withdrawn" })]
  ]
  for (const [why, frame] of withdrawals) {
    it(`is aborted when ${why}; a late answer is not sent`, async () => {
      const peer = new Peer()
      const { onApproval, questions } = dialog()
      const host = peer.host({ onApproval })
      peer.write(asks())
      await peer.settle(host)
      assert.isFalse(questions[0]!.signal.aborted)
      peer.write(frame)
      await peer.settle(host)
      assert.isTrue(questions[0]!.signal.aborted)
      questions[0]!.answer({ approved: true })
      await peer.settle(host)
      assert.notInclude(
        peer.requests.map(({ type }) => type),
        "approval_response"
      )
    })
  }

  it("is not disturbed by another call, another approval or another session", async () => {
    const peer = new Peer()
    const { onApproval, questions } = dialog()
    const host = peer.host({ onApproval })
    peer.write(
      asks(),
      event("tool_call_result", { callId: "c-2", status: "ok" }),
      event("approval_resolved", { approvalId: "a-2", outcome: "denied" }),
      { ...event("turn_finished", {}), payload: { sessionId: "s-0" } }
    )
    await peer.settle(host)
    assert.isFalse(questions[0]!.signal.aborted)
  })

  it("is not withdrawn by the result of some other call of a sidecar that does not name its calls", async () => {
    const peer = new Peer()
    const { onApproval, questions } = dialog()
    const host = peer.host({ onApproval })
    peer.write(event("approval_request", { approvalId: "a-1", tool: "fs.write", reason: "writes" }))
    peer.write(event("tool_call_result", { tool: "fs.read", status: "ok" }))
    await peer.settle(host)
    assert.isFalse(questions[0]!.signal.aborted)
  })

  it("is aborted when the sidecar is gone", async () => {
    const peer = new Peer()
    const { onApproval, questions } = dialog()
    const host = peer.host({ onApproval })
    peer.write(asks())
    await peer.settle(host)
    peer.end()
    await host.exited
    assert.isTrue(questions[0]!.signal.aborted)
  })

  const denials: ReadonlyArray<[what: string, onApproval: OnApproval, reason: string | undefined]> = [
    [
      "throws",
      () => {
        throw new Error("no window")
      },
      "the host could not ask: no window"
    ],
    ["rejects", () => Promise.reject(new Error("no window")), "the host could not ask: no window"],
    ["says neither yes nor no", () => ({}) as Approval, undefined],
    ["says yes in a way of its own", () => ({ approved: "yes" }) as unknown as Approval, undefined]
  ]
  for (const [what, onApproval, reason] of denials) {
    it(`has approved nothing when it ${what}`, async () => {
      const peer = new Peer()
      peer.host({ onApproval })
      peer.write(asks())
      const { payload } = await peer.take("approval_response")
      assert.deepStrictEqual(payload, {
        approvalId: "a-1",
        approved: false,
        ...(reason === undefined ? {} : { reason })
      })
    })
  }
})

describe("a host without an approval handler", () => {
  type Host = ReturnType<Peer["host"]>
  const hosts: ReadonlyArray<[what: string, listen: (peer: Peer) => Host | void]> = [
    ["nothing listens", (peer) => peer.host()],
    ["every frame is logged", (peer) => peer.host({ onFrame: () => {} })],
    ["approval requests are shown", (peer) => void peer.host().on("approval_request", () => {})],
    ["every event is listened to", (peer) => void peer.host().onEvent(() => {})],
    ["the session's events are iterated over", (peer) => void peer.host().events({ sessionId })]
  ]
  it.each(hosts)("denies every request, so that the turn goes on, where %s", async (_, listen) => {
    const peer = new Peer()
    listen(peer)
    peer.write(asks())
    assert.deepStrictEqual((await peer.take("approval_response")).payload, {
      approvalId: "a-1",
      approved: false,
      reason: "this host has nobody to ask"
    })
  })
})
