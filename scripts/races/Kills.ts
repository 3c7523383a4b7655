import * as Path from "node:path"
import { assert } from "@effect/vitest"
import type { SessionState } from "../../src/protocol/SessionState.ts"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../../test/support/Bin.ts"
import { type Figure, quantile, randomFrom } from "./Figure.ts"
import { keptIn, toldBy } from "./Kept.ts"

/** The latest moment of a kill in milliseconds, after the start for one in six, else after the session was there. */
const latest = { start: 150, work: 200 }

/** Never at rest: words and calls, turn after turn. */
const answers = (index: number) =>
  index % 3 === 2
    ? LlamaAnswers.say({ text: `reply ${index}` })
    : LlamaAnswers.say({
        text: `note ${index}`,
        toolCalls: [
          { name: "fs_list", arguments: { path: "scripts", limit: index % 50 } },
          { name: "fs_read", arguments: { path: "package.json", limit: 1 + (index % 60) } }
        ]
      })

/**
 * Kills a working sidecar at random moments, start included. Each time the database is whole and has all that the host
 * was told, and the next process takes the session up again.
 */
export const kills = async (count: number, seed: number): Promise<ReadonlyArray<Figure>> => {
  const random = randomFrom(seed)
  const server = await LlamaServer.start({ answer: (_, index) => answers(index) })
  using dir = new StateDir({ localModels: { url: server.url } })
  const filename = Path.join(dir.path, "sidecar.sqlite")
  const told: Array<string> = []
  let sessionId: string | undefined
  let inTurn = 0
  let early = 0
  const moments: Array<number> = []
  try {
    for (let round = 0; round < count; round++) {
      using bin = new Bin(dir)
      const isEarly = random() < 1 / 6
      const moment = random() * (isEarly ? latest.start : latest.work)
      moments.push(moment)
      let killed: Promise<unknown> | undefined
      const kill = () => {
        killed ??= new Promise((resolve) => setTimeout(resolve, moment)).then(() => bin.child.kill("SIGKILL"))
      }
      if (isEarly) kill()
      try {
        sessionId = await takeUp(bin, sessionId)
        kill()
        while (true) {
          const { payload } = await bin.request("send_message", { sessionId, text: `round ${round}` })
          assert.deepInclude(payload, { reason: "reply" })
        }
      } catch (error) {
        if (!(error instanceof Error) || !error.message.includes("did not come")) throw error
      }
      await killed
      const { signal } = await bin.exited
      const { noise, stderr } = bin
      // It must not have ended in any other way before.
      assert.deepStrictEqual({ signal, noise, stderr }, { signal: "SIGKILL", noise: [], stderr: "" })
      told.push(...bin.frames.flatMap(toldBy).map(({ record }) => record))
      if (isEarly) early++
      const turns = (type: string) => bin.frames.filter((frame) => frame.kind === "event" && frame.type === type).length
      if (turns("turn_started") > turns("turn_finished")) inTurn++
      const kept = keptIn(filename)
      const lost = told.filter((record) => !kept.records.has(record))
      const found = { integrity: kept.integrity, lost }
      assert.deepStrictEqual(found, { integrity: "ok", lost: [] }, `round ${round}, killed after ${moment} ms`)
    }
    using bin = new Bin(dir)
    await takeUp(bin, sessionId)
    await bin.end()
    return [
      { name: "kill -9, database whole, nothing lost", value: count, unit: `seed ${seed}` },
      { name: "  in the middle of a turn", value: inTurn, unit: "" },
      { name: "  in the start of the process", value: early, unit: "" },
      { name: "  moment of the kill, p50", value: quantile(moments, 0.5), unit: "ms" },
      { name: "  records that hosts had been told of", value: told.length, unit: "" }
    ]
  } finally {
    await server.stop()
  }
}

/** Resumes the session of the process before, which must know how it ended; or starts one. */
const takeUp = async (bin: Bin, sessionId: string | undefined): Promise<string> => {
  if (sessionId === undefined) return bin.session()
  await bin.request("hello", { extensions: ["sessions"] })
  const resumed = await bin.request("resume_session", { sessionId })
  assert.isTrue(resumed.ok, JSON.stringify(resumed))
  const state = (await bin.request("get_session", { sessionId })).payload as SessionState
  const wanted = state.status === "cancelled" ? /interrupted/ : /^null$/
  assert.match(String(state.lastError), wanted, JSON.stringify({ ...state, turns: state.turns.slice(-8) }))
  assert.include(["cancelled", "pending"], state.status)
  return sessionId
}
