import * as Fs from "node:fs"
import * as Path from "node:path"
import { StateDir } from "../../../src/testing/StateDir.ts"

/** A state directory with a model that takes no time: a call in the first step, words in the second, in every turn. */
export const scriptedDir = (): StateDir => {
  const dir = new StateDir()
  const script = Path.join(dir.path, "script.json")
  const steps = [
    { toolCalls: [{ name: "fs.read", arguments: { path: "tsconfig.json", limit: 3 } }] },
    { text: "This is all that there is." }
  ]
  Fs.writeFileSync(script, JSON.stringify({ turns: [{ steps }], otherwise: "loop" }))
  Fs.writeFileSync(Path.join(dir.path, "config.json"), JSON.stringify({ localModels: { mode: "scripted", script } }))
  return dir
}

/** The records of each turn in the database: a message, a call, its result, a reply. */
export const recordsPerTurn = 4
