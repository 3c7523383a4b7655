import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { setTimeout } from "node:timers/promises"
import * as RealLlamaServer from "../../src/testing/RealLlamaServer.ts"
import { StateDir } from "../../src/testing/StateDir.ts"
import { type History, histories } from "./Histories.ts"
import { Player } from "./Player.ts"
import * as Relay from "./Relay.ts"

/** What became of one history with one template. */
export interface Verdict {
  readonly history: string
  /** Why the session could not go on; undefined if it did. */
  readonly failure?: string
  /** Requests that the server refused before it took another form of them. */
  readonly recovered: number
}

/** Plays every history against a server with this template. */
export const judge = async (
  server: RealLlamaServer.Installation,
  template: string
): Promise<ReadonlyArray<Verdict>> => {
  const llama = await RealLlamaServer.start(server, template)
  const relay = await Relay.start(llama.url)
  using place = new Place()
  using stateDir = new StateDir({ localModels: { url: relay.url }, agent: { conversationMaxTokens } })
  const { skill, workingDir } = place
  const launch = () => new Player({ relay, skill, stateDir, workingDir })
  let player = launch()
  try {
    const verdicts: Array<Verdict> = []
    for (const history of histories) {
      const verdict = await play(history, player)
      verdicts.push(verdict)
      if (verdict.failure === undefined) continue
      // What the history still waits for is not to disturb the next one.
      player[Symbol.dispose]()
      player = launch()
    }
    return verdicts
  } finally {
    player[Symbol.dispose]()
    await relay.stop()
    llama.stop()
  }
}

/** The model without training has a token for almost every byte, and a window of 32,768. */
const conversationMaxTokens = 8000

const play = async (history: History, player: Player): Promise<Verdict> => {
  let failure: string | undefined
  try {
    await player.session()
    await Promise.race([history.play(player), player.refused, stuck()])
    failure = (await player.relay.wholly())?.message
  } catch (error) {
    failure = player.relay.refusals.at(-1)?.message ?? String(error)
  }
  const recovered = player.relay.refusals.length
  return { history: history.name, recovered, ...(failure === undefined ? {} : { failure }) }
}

/** Fails after a minute: what a history waits for may never come. */
const stuck = async (): Promise<never> => {
  await setTimeout(60_000, undefined, { ref: false })
  throw new Error("the history came to no end within a minute")
}

/** A folder to work in, and a skill to install. */
class Place {
  readonly #root = Fs.mkdtempSync(Path.join(Os.tmpdir(), "templates-"))
  readonly workingDir = Path.join(this.#root, "work")
  readonly skill = Path.join(this.#root, "a-skill")

  constructor() {
    Fs.mkdirSync(this.workingDir)
    Fs.mkdirSync(this.skill)
    const files = { "a.txt": "a\n", "b.txt": "b\n", "empty.txt": "", "long.txt": "A long line of words.\n".repeat(400) }
    for (const [name, content] of Object.entries(files)) Fs.writeFileSync(Path.join(this.workingDir, name), content)
    Fs.writeFileSync(Path.join(this.skill, "SKILL.md"), "---\nname: a-skill\ndescription: Does a thing.\n---\nDo it.\n")
  }

  [Symbol.dispose](): void {
    Fs.rmSync(this.#root, { recursive: true, force: true })
  }
}
