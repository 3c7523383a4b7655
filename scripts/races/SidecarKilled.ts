import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert } from "@effect/vitest"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { Bin, StateDir } from "../../test/support/Bin.ts"
import type { Figure } from "./Figure.ts"
import { commandOf, descendants, isAlive, markedWith, until } from "./Processes.ts"

/** What the sidecar has running when it is killed: the command line, and how many processes that makes. */
const works = {
  "a command": ["sleep 600 & sleep 601 | cat; echo never", 4],
  "what a command left behind": ["sleep 600 & sleep 601 & echo left", 2],
  "programs that are deaf to TERM": ["trap '' TERM; sleep 600 & sleep 601; sleep 602", 3]
} as const

export type Work = keyof typeof works | "a script of a skill"

export interface Circumstances {
  /** Before the sidecar, its guard is killed, and another one is there. */
  readonly guardFirst?: boolean
}

/** The guard among the processes below the sidecar. */
export const guardOf = (bin: Bin): number | undefined =>
  descendants(bin.pid).find((pid) => commandOf(pid).includes("sidecar-guard"))

/** A sidecar that does the work, once all its processes run: those processes, the guard's not among them. */
export const atWork = async <A>(
  work: Work,
  use: (bin: Bin, below: ReadonlyArray<number>) => Promise<A>
): Promise<A> => {
  const [command, count] = work === "a script of a skill" ? works["a command"] : works[work]
  const isScript = work === "a script of a skill"
  const call = isScript
    ? { name: "skill_run_script", arguments: { skill: "busy", script: "run.sh" } }
    : { name: "shell_run", arguments: { command } }
  let index = 0
  const server = await LlamaServer.start({
    answer: () => (index++ === 0 ? LlamaAnswers.say({ toolCalls: [call] }) : { pieces: [], ending: "hang" })
  })
  using dir = new StateDir({ localModels: { url: server.url }, agent: { approvalLevel: 5 } })
  const folder = Path.join(dir.path, "skills/busy")
  Fs.mkdirSync(Path.join(folder, "scripts"), { recursive: true })
  Fs.writeFileSync(
    Path.join(folder, "SKILL.md"),
    "---\nname: busy\ndescription: works\nrequires_scripts: [run.sh]\n---\n"
  )
  Fs.writeFileSync(Path.join(folder, "scripts/run.sh"), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
  // What has lost its parent is known by what it inherits; the guard inherits nothing.
  using bin = new Bin(dir, { env: { RACES_MARK: dir.path } })
  let below: ReadonlyArray<number> = []
  try {
    const sessionId = await bin.session()
    bin.post("send_message", { sessionId, text: "go" })
    const workers = () => markedWith(`RACES_MARK=${dir.path}`).filter((pid) => pid !== bin.pid)
    if (work === "what a command left behind") await server.received(2)
    await until(() => (below = workers()).length >= count, 10_000)
    assert.lengthOf(below, count, `${below.map(commandOf).join()}, ${bin.stderr}`)
    return await use(bin, below)
  } finally {
    for (const pid of below.filter(isAlive)) process.kill(pid, "SIGKILL")
    await server.stop()
  }
}

/** Kills a sidecar whose tools are at work: all that they started is gone within three seconds, and the guard too. */
export const sidecarKilled = (work: Work, { guardFirst = false }: Circumstances = {}): Promise<ReadonlyArray<Figure>> =>
  atWork(work, async (bin, below) => {
    const first = guardOf(bin)
    assert.isDefined(first, "nobody watches over the group")
    if (guardFirst) {
      process.kill(first, "SIGKILL")
      await until(() => ![undefined, first].includes(guardOf(bin)), 10_000)
    }
    const guard = guardOf(bin)
    assert.isDefined(guard, "there is no other guard")
    bin.child.kill("SIGKILL")
    await bin.exited
    const all = [...below, guard]
    const gone = await until(() => !all.some(isAlive), 10_000)
    assert.isDefined(gone, `still there: ${all.filter(isAlive).map(commandOf).join()}`)
    assert.isBelow(gone, 3000)
    return [
      { name: `sidecar killed${guardFirst ? ", its guard before," : ""} during ${work}`, value: gone, unit: "ms" }
    ]
  })
