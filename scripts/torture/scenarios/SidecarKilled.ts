import * as Assert from "node:assert/strict"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as LlamaAnswers from "../../../src/testing/LlamaAnswers.ts"
import * as LlamaServer from "../../../src/testing/LlamaServer.ts"
import { commandOf, descendants, isAlive, kill, markedWith, until } from "../../../src/testing/Processes.ts"
import { StateDir } from "../../../src/testing/StateDir.ts"
import type { Figure } from "../Figure.ts"
import { markVariable } from "../CleanUp.ts"
import { Sidecar } from "../Sidecar.ts"

/** What a sidecar runs when it is killed, and how many processes that makes. */
export const works = {
  "a command": { command: "sleep 600 & sleep 601 | cat; echo never", count: 4 },
  "what a command left behind": { command: "sleep 600 & sleep 601 & echo left", count: 2 },
  "programs that are deaf to TERM": { command: "trap '' TERM; sleep 600 & sleep 601; sleep 602", count: 3 },
  "a script of a skill": { command: "sleep 600 & sleep 601 | cat; echo never", count: 4 }
} as const

export type Work = keyof typeof works

/**
 * Kills a sidecar whose tools are at work: all that they started is gone within three seconds, and the reaper of orphans
 * too. `isReaperFirst`: before the sidecar its reaper is killed, and another one has taken its place.
 */
export const sidecarKilled = async (work: Work, isReaperFirst = false): Promise<ReadonlyArray<Figure>> => {
  const { command, count } = works[work]
  const call =
    work === "a script of a skill"
      ? { name: "skill_run_script", arguments: { skill: "busy", script: "run.sh" } }
      : { name: "shell_run", arguments: { command } }
  const server = await LlamaServer.start({
    answer: (_, index) => (index === 0 ? LlamaAnswers.say({ toolCalls: [call] }) : { pieces: [], ending: "hang" })
  })
  using dir = new StateDir({ localModels: { url: server.url }, agent: { approvalLevel: 5 } })
  putSkill(Path.join(dir.path, "skills/busy"), command)
  // What has lost its parent is known by what it inherits; the reaper inherits nothing.
  using sidecar = new Sidecar(dir, { env: { [markVariable]: dir.path } })
  const started = () => markedWith(`${markVariable}=${dir.path}`).filter((pid) => pid !== sidecar.pid)
  const reaper = () => descendants(sidecar.pid).find((pid) => commandOf(pid).includes("sidecar-guard"))
  let below: ReadonlyArray<number> = []
  try {
    sidecar.post("send_message", { sessionId: await sidecar.session(), text: "go" })
    if (work === "what a command left behind") await server.received(2)
    await until(() => (below = started()).length >= count, 10_000)
    Assert.equal(below.length, count, `${below.map(commandOf).join()}, ${sidecar.stderr}`)
    const first = reaper()
    Assert.ok(first !== undefined, "nobody watches over the group")
    if (isReaperFirst) {
      process.kill(first, "SIGKILL")
      await until(() => ![undefined, first].includes(reaper()), 10_000)
    }
    const last = reaper()
    Assert.ok(last !== undefined, "there is no other reaper")
    sidecar.child.kill("SIGKILL")
    await sidecar.exited
    const all = [...below, last]
    const tookMs = await until(() => !all.some(isAlive), 10_000)
    const rest = all.filter(isAlive).map(commandOf).join()
    Assert.ok(tookMs !== undefined && tookMs < 3000, `after ${tookMs} ms there is ${rest}`)
    const before = isReaperFirst ? ", its reaper before," : ""
    return [{ name: `sidecar killed${before} during ${work}`, value: tookMs, unit: "ms" }]
  } finally {
    below.filter(isAlive).forEach(kill)
    await server.stop()
  }
}

const putSkill = (folder: string, command: string): void => {
  Fs.mkdirSync(Path.join(folder, "scripts"), { recursive: true })
  const front = "---\nname: busy\ndescription: works\nrequires_scripts: [run.sh]\n---\n"
  Fs.writeFileSync(Path.join(folder, "SKILL.md"), front)
  Fs.writeFileSync(Path.join(folder, "scripts/run.sh"), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
}
