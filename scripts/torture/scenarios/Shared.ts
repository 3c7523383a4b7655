import * as Assert from "node:assert/strict"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Figure, quantile } from "../Figure.ts"
import { Sidecar } from "../Sidecar.ts"
import { recordsPerTurn, scriptedDir } from "./ScriptedDir.ts"

/**
 * Sidecars side by side on one state directory, so many turns each: no lock reaches a host, and all turns are stored.
 */
export const shared = async (sidecars: number, turns: number): Promise<ReadonlyArray<Figure>> => {
  using dir = scriptedDir()
  const took: Array<number> = []
  const from = performance.now()
  const converse = async () => {
    using sidecar = new Sidecar(dir)
    const sessionId = await sidecar.session()
    for (let turn = 0; turn < turns; turn++) {
      const sentAt = performance.now()
      const { payload } = await sidecar.request("send_message", { sessionId, text: `turn ${turn}` })
      took.push(performance.now() - sentAt)
      Assert.partialDeepStrictEqual(payload, { reason: "reply", turnCount: turn + 1 })
    }
    const { payload } = await sidecar.request("get_session", { sessionId })
    Assert.equal((payload as { turns: ReadonlyArray<unknown> }).turns.length, turns * recordsPerTurn)
    const isTrouble = (type: string) => type === "error" || type === "log"
    Assert.deepEqual(
      sidecar.frames.filter((frame) => frame.kind === "event" && isTrouble(frame.type)),
      []
    )
    await sidecar.end()
  }
  await Promise.all(Array.from({ length: sidecars }, converse))
  const seconds = (performance.now() - from) / 1000
  const database = new DatabaseSync(Path.join(dir.path, "sidecar.sqlite"))
  const counts = database.prepare("SELECT turn_count FROM sessions").all()
  const records = database.prepare("SELECT count(*) AS count FROM entries").get()?.["count"]
  database.close()
  Assert.deepEqual(
    counts.map((row) => row["turn_count"]),
    Array.from({ length: sidecars }, () => turns)
  )
  Assert.equal(records, sidecars * turns * recordsPerTurn)
  return [
    { name: `turns of ${sidecars} sidecars on one directory`, value: sidecars * turns, unit: "all stored" },
    { name: "  turns a second, all together", value: (sidecars * turns) / seconds, unit: "/s" },
    { name: "  a turn, p50", value: quantile(took, 0.5), unit: "ms" },
    { name: "  a turn, p99", value: quantile(took, 0.99), unit: "ms" }
  ]
}
