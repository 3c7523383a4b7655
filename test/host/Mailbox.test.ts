import { assert, describe, it } from "@effect/vitest"
import { EventsLost } from "../../src/host/HostError.ts"
import { Mailbox } from "../../src/host/Mailbox.ts"
import { drain } from "./Peer.ts"

const box = (limit = 10) => {
  const returned: Array<true> = []
  const mailbox = new Mailbox<string>({
    limit,
    merge: (last, next) => (last.startsWith("+") && next.startsWith("+") ? last + next.slice(1) : undefined),
    onReturn: () => returned.push(true)
  })
  return { mailbox, returned }
}

describe("a mailbox", () => {
  it("hands over at once to who waits, in the order of asking", async () => {
    const { mailbox } = box()
    const asked = Promise.all([mailbox.next(), mailbox.next()])
    mailbox.push("a")
    mailbox.push("b")
    assert.deepStrictEqual(await asked, [
      { done: false, value: "a" },
      { done: false, value: "b" }
    ])
  })

  it("keeps what nobody has asked for, joined where it can be, and gives it before the end", async () => {
    const { mailbox } = box()
    for (const item of ["+a", "+b", "c", "+d", "+e"]) mailbox.push(item)
    mailbox.end()
    mailbox.push("late")
    assert.deepStrictEqual(await drain(mailbox), { items: ["+ab", "c", "+de"] })
  })

  it("tells an error once, after what waits; then it is over", async () => {
    const { mailbox } = box()
    mailbox.push("a")
    const error = new Error("gone")
    mailbox.end(error)
    assert.deepStrictEqual(await drain(mailbox), { items: ["a"], error })
    assert.deepStrictEqual(await drain(mailbox), { items: [] })
  })

  it("tells an error to one who waits already, and the end to all others", async () => {
    const { mailbox } = box()
    const asked = Promise.allSettled([mailbox.next(), mailbox.next()])
    mailbox.end(new Error("gone"))
    const over = { status: "fulfilled", value: { done: true, value: undefined } }
    assert.deepStrictEqual(await asked, [
      { status: "rejected", reason: new Error("gone") },
      over
    ] as typeof asked extends Promise<infer A> ? A : never)
  })

  it("gives up when too much waits, after what it could keep", async () => {
    const { mailbox, returned } = box(2)
    for (const item of ["a", "b", "c"]) mailbox.push(item)
    const { error, items } = await drain(mailbox)
    assert.deepStrictEqual(items, ["a", "b"])
    assert.instanceOf(error, EventsLost)
    assert.strictEqual(error.message, "more than 2 events waited for an iterator that nobody read")
    assert.lengthOf(returned, 1)
  })

  it("takes leave of who breaks out of a loop", async () => {
    const { mailbox, returned } = box()
    mailbox.push("a")
    mailbox.push("b")
    for await (const item of mailbox) {
      assert.strictEqual(item, "a")
      break
    }
    assert.lengthOf(returned, 1)
    assert.deepStrictEqual(await drain(mailbox), { items: [] })
  })

  it("has no error for a reader that has returned", async () => {
    const { mailbox } = box()
    mailbox.end(new Error("gone"))
    await mailbox.return()
    assert.deepStrictEqual(await drain(mailbox), { items: [] })
  })
})
