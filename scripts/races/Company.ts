import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert } from "@effect/vitest"
import { Bin } from "../../test/support/Bin.ts"
import { type Figure, quantile } from "./Figure.ts"
import { recordsOfATurn, scripted } from "./Scripts.ts"

/** Sidecars side by side on one state directory, so many turns each: no lock reaches a host, and all turns are stored. */
export const company = async (sidecars: number, turns: number): Promise<ReadonlyArray<Figure>> => {
  using dir = scripted()
  const took: Array<number> = []
  const from = performance.now()
  const converse = async () => {
    using bin = new Bin(dir)
    const sessionId = await bin.session()
    for (let turn = 0; turn < turns; turn++) {
      const sentAt = performance.now()
      const { payload } = await bin.request("send_message", { sessionId, text: `turn ${turn}` })
      took.push(performance.now() - sentAt)
      assert.deepInclude(payload, { reason: "reply", turnCount: turn + 1 })
    }
    const state = (await bin.request("get_session", { sessionId })).payload as { turns: ReadonlyArray<unknown> }
    assert.lengthOf(state.turns, turns * recordsOfATurn)
    assert.deepStrictEqual(
      bin.frames.filter((frame) => frame.kind === "event" && (frame.type === "error" || frame.type === "log")),
      []
    )
    await bin.end()
  }
  await Promise.all(Array.from({ length: sidecars }, converse))
  const seconds = (performance.now() - from) / 1000
  const database = new DatabaseSync(Path.join(dir.path, "sidecar.sqlite"))
  const stored = database
    .prepare("SELECT turn_count FROM sessions")
    .all()
    .map((row) => row["turn_count"])
  const entries = database.prepare("SELECT count(*) AS count FROM entries").get()?.["count"]
  database.close()
  assert.deepStrictEqual(
    stored,
    Array.from({ length: sidecars }, () => turns)
  )
  assert.strictEqual(entries, sidecars * turns * recordsOfATurn)
  return [
    { name: `turns of ${sidecars} sidecars on one directory`, value: sidecars * turns, unit: "all stored" },
    { name: "  turns a second, all together", value: (sidecars * turns) / seconds, unit: "/s" },
    { name: "  a turn, p50", value: quantile(took, 0.5), unit: "ms" },
    { name: "  a turn, p99", value: quantile(took, 0.99), unit: "ms" }
  ]
}
