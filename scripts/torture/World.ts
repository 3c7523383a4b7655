import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"
import { FakeServer } from "../../test/llama/support/FakeServer.ts"
import { Bin, command, root } from "../../test/support/Bin.ts"
import { exchangesOf, resultOf } from "../races/Exchanges.ts"
import { type Told, keptIn, toldBy } from "../races/Kept.ts"
import type { Counts } from "./Counts.ts"
import { damage } from "./Damages.ts"
import { Host } from "./Host.ts"
import { judge, storeFailedAt } from "./Judge.ts"
import { markVariable } from "./Leftovers.ts"
import { type Lived, live } from "./Life.ts"
import { answerOf } from "./ModelAnswers.ts"
import type { LifePlan, WorldPlan } from "./Plan.ts"
import { Place } from "./Place.ts"
import type { Scene } from "./Scene.ts"

/** A life that broke the contract. */
export interface Breach {
  readonly world: WorldPlan
  readonly lived: Lived
  readonly violations: ReadonlyArray<string>
}

/** A database larger than this is not looked through when it is opened, in bytes. */
const alwaysChecked = 2 * 1024 * 1024

/** One state directory, a model server, and the lives on them. */
export class World {
  readonly #place: Place
  readonly #server: LlamaServer.LlamaServer
  readonly #counts: Counts
  readonly scene: Scene
  /** What hosts were told of, and what therefore must be in the database. */
  #told: ReadonlyArray<Told> = []
  #sessions: ReadonlyArray<string> = []
  /** Nobody has opened the database since it was damaged, or it is too large to be looked through. */
  #damage: "none" | "new" | "hidden" = "none"

  private constructor(place: Place, server: LlamaServer.LlamaServer, counts: Counts) {
    this.#place = place
    this.#server = server
    this.#counts = counts
    this.scene = { ...place.scene, serverUrl: server.url }
  }

  /** A world that is there as long as it is used. */
  static async within<A>(
    plan: WorldPlan,
    canMount: boolean,
    counts: Counts,
    use: (world: World) => Promise<A>
  ): Promise<A> {
    using place = new Place(plan.disk, canMount)
    const server = await LlamaServer.start()
    counts.add("worlds")
    counts.add(`disk: ${typeof place.disk === "string" ? place.disk : Object.keys(place.disk)[0]}`)
    try {
      return await use(new World(place, server, counts))
    } finally {
      await server.stop()
    }
  }

  /** Plays all lives of a plan; those that broke the contract. */
  static play(plan: WorldPlan, canMount: boolean, counts: Counts): Promise<ReadonlyArray<Breach>> {
    return World.within(plan, canMount, counts, async (world) => {
      const breaches: Array<Breach> = []
      for (const life of plan.lives) {
        const { lived, violations } = await world.live(life)
        if (violations.length > 0) breaches.push({ world: plan, lived, violations })
      }
      return breaches
    })
  }

  /** Plays one life; `more` comes before its end. */
  async live(
    plan: LifePlan,
    more: (host: Host) => Promise<void> = async () => {}
  ): Promise<{ readonly lived: Lived; readonly violations: ReadonlyArray<string> }> {
    if (plan.damage !== undefined) this.#harm(plan.damage)
    const isProtected = this.#place.disk === "read-only" && plan.index > 0
    using fake = plan.settings.mode === "managed" ? await FakeServer.make() : undefined
    this.#configure(plan, fake)
    if (isProtected) this.#place.protect()
    try {
      this.serve(plan)
      const mark = Path.join(Os.tmpdir(), randomUUID())
      using bin = this.start(plan, mark)
      const host = new Host(bin, plan, { scene: this.scene, server: this.#server, database: this.#place.database })
      const lived = await live(host, mark, plan, this.#sessions, more)
      this.#counts.live(lived)
      await host.serverIsBack()
      this.#server.loading(false)
      return { lived, violations: [...judge(lived), ...this.#inDatabase(lived)] }
    } finally {
      if (isProtected) this.#place.unprotect()
    }
  }

  start(plan: LifePlan, mark: string): Bin {
    const { home, state } = this.scene
    const env = { HOME: home, XDG_CACHE_HOME: cache, [markVariable]: mark, ...plan.settings.env }
    return new Bin({ path: state }, { env, command: this.#place.commandFor(command), cwd: this.#place.root })
  }

  #harm(how: LifePlan["damage"] & {}): void {
    const { database } = this.#place
    const size = Fs.statSync(database, { throwIfNoEntry: false })?.size ?? 0
    if (!damage(database, how)) return
    this.#counts.add(`damage between lives: ${how}`)
    this.#forget()
    this.#damage = size > alwaysChecked ? "hidden" : "new"
  }

  #forget(): void {
    this.#told = []
    this.#sessions = []
  }

  #configure({ settings }: LifePlan, fake: FakeServer | undefined): void {
    const { state } = this.scene
    const script = Path.join(this.#place.root, "script.json")
    const steps = [{ toolCalls: [{ name: "fs.read", arguments: { path: "a.txt" } }] }, { text: "This is all." }]
    Fs.writeFileSync(script, JSON.stringify({ turns: [{ steps }], otherwise: "loop" }))
    const localModels = {
      mode: settings.mode,
      url: this.scene.serverUrl,
      script,
      ...(fake === undefined ? {} : { managed: fake.managed })
    }
    Fs.mkdirSync(state, { recursive: true })
    this.#place.put("config.json", JSON.stringify({ ...settings.config, localModels }))
    this.#place.put(".env", settings.dotEnv ?? "")
  }

  /** What the model answers from now on, over and over. */
  serve({ answers }: LifePlan): void {
    let next = 0
    this.#server.answer(() => {
      const answer = answers[next++ % answers.length]!
      this.#counts.add(`model: ${answer.name}`)
      return answerOf(answer, this.scene)
    })
  }

  /** What is wrong with the database after a life. */
  #inDatabase(lived: Lived): ReadonlyArray<string> {
    const { database } = this.#place
    const failedAt = storeFailedAt(lived)
    const exchanges = exchangesOf({ ...lived, hasTimePassed: false, hasStoreFailed: false, stuck: [] })
    const hasStarted = lived.frames.some((frame) => frame.kind === "event" && frame.type === "session_started")
    if (lived.isCorrupted) {
      this.#forget()
      this.#damage = "hidden"
    }
    if (this.#damage !== "none") {
      // Only who opens a database finds out.
      if (this.#damage === "hidden" || !hasStarted) return []
      this.#damage = "none"
    }
    this.#told = [...this.#told, ...lived.frames.slice(0, failedAt).flatMap(toldBy)]
    if (failedAt === lived.frames.length) {
      const started = exchanges.filter(({ response, type }) => type === "start_session" && response.ok)
      this.#sessions = [...this.#sessions, ...started.map((each) => String(resultOf(each)["sessionId"]))]
    }
    const deleted = new Set(
      lived.posted.flatMap(({ id, payload, type }) => {
        const answer = exchanges.find((each) => each.id === id)
        const mayBe = answer === undefined || resultOf(answer)["deleted"] === true
        return type === "delete_session" && mayBe ? [payload["sessionId"]] : []
      })
    )
    this.#told = this.#told.filter(({ sessionId }) => !deleted.has(sessionId))
    this.#sessions = this.#sessions.filter((id) => !deleted.has(id))
    if (!Fs.existsSync(database)) return this.#told.length === 0 ? [] : ["the database is gone"]
    const { integrity, records } = keptIn(this.#copied())
    this.#counts.add("databases looked through")
    const lost = this.#told.filter(({ record }) => !records.has(record))
    this.#counts.most("records that must be there, at most", this.#told.length)
    return [
      ...(integrity === "ok" ? [] : [`integrity_check: ${String(integrity)}`]),
      ...lost.map(({ record, sessionId }) => `told, and not in the database: ${record.slice(0, 200)} of ${sessionId}`)
    ]
  }

  /** Looked at as it lies there: to open it would tidy it up for the next life. */
  #copied(): string {
    const copy = Path.join(this.#place.root, "copy.sqlite")
    for (const part of ["", "-wal", "-shm"]) Fs.rmSync(copy + part, { force: true })
    for (const part of ["", "-wal"]) {
      if (Fs.existsSync(this.#place.database + part)) Fs.copyFileSync(this.#place.database + part, copy + part)
    }
    return copy
  }
}

/** Shared by all: a start without a code cache is slow. */
const cache = Path.join(root, "node_modules/.cache")
