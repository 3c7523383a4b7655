import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { ForkSessionResult, GetSessionResult, ListSessionsResult } from "../../src/protocol/Request.ts"
import { Bin, StateDir } from "../support/Bin.ts"

describe("the bin: sessions", () => {
  it("names and forks a session, which the next process finds and goes on with, though this one was killed", async () => {
    using dir = new StateDir()
    const script = Path.join(dir.path, "script.json")
    const turn = (text: string) => ({ steps: [{ text }] })
    Fs.writeFileSync(script, JSON.stringify({ turns: [turn("one"), turn("two"), turn("three")] }))
    Fs.writeFileSync(Path.join(dir.path, "config.json"), JSON.stringify({ localModels: { mode: "scripted", script } }))
    const stateOf = async (bin: Bin, sessionId: string, afterTurn?: string) =>
      (await bin.request("get_session", { sessionId, ...(afterTurn === undefined ? {} : { afterTurn }) }))
        .payload as NonNullable<GetSessionResult>

    using first = new Bin(dir)
    await first.request("hello", { extensions: ["sessions"] })
    const source = await first.session(dir.path)
    for (const text of ["a", "b"]) await first.request("send_message", { sessionId: source, text })
    await first.request("update_session", { sessionId: source, title: "Ours", metadata: { pinned: true } })
    const { turns } = await stateOf(first, source)
    const turnId = turns[0]?.turnId ?? ""
    const later = await stateOf(first, source, turnId)
    assert.deepStrictEqual(later.turns, turns.slice(2))
    const { sessionId: copy } = (await first.request("fork_session", { sessionId: source, turnId }))
      .payload as ForkSessionResult
    first.child.kill("SIGKILL")
    await first.exited

    using second = new Bin(dir)
    await second.request("hello", { extensions: ["sessions"] })
    const { sessions } = (await second.request("list_sessions")).payload as ListSessionsResult
    assert.deepStrictEqual(
      sessions.map(({ id, title, turnCount }) => [id, title, turnCount]),
      [
        [copy, "Ours", 1],
        [source, "Ours", 2]
      ]
    )
    await second.request("resume_session", { sessionId: copy })
    await second.request("send_message", { sessionId: copy, text: "c" })
    const state = await stateOf(second, copy)
    assert.deepInclude(state, { title: "Ours", metadata: { pinned: true }, turnCount: 2, stepCount: 2 })
    assert.deepStrictEqual(state.turns.slice(0, 2), turns.slice(0, 2))
    assert.lengthOf((await stateOf(second, source)).turns, 4)
    await second.end()
  })
})
