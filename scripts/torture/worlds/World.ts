import { randomUUID } from "node:crypto"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { eventsOf, exchangesOf, resultOf } from "../runs/HostRun.ts"
import * as LlamaServer from "../../../src/testing/LlamaServer.ts"
import { markVariable } from "../CleanUp.ts"
import { command, root, Sidecar } from "../Sidecar.ts"
import { type AnnouncedRecord, announcedBy, storedIn } from "../StoredRecords.ts"
import type { Breach } from "./Breach.ts"
import type { Counts } from "./Counts.ts"
import { damage } from "./Damages.ts"
import { Host } from "./Host.ts"
import { judge, storeFailedAt } from "./Judge.ts"
import { type Lived, live } from "./Life.ts"
import { managedModel } from "./ManagedModel.ts"
import { answerOf } from "./ModelAnswers.ts"
import { Place, type Scene } from "./Place.ts"
import type { LifePlan, WorldPlan } from "./Plan.ts"

/** A larger database is not looked through when it is opened, in bytes. */
const alwaysChecked = 2 * 1024 * 1024

/** One state directory, a model server, and the lives on them. */
export class World {
  readonly #place: Place
  readonly #server: LlamaServer.LlamaServer
  readonly #counts: Counts
  readonly scene: Scene
  /** What must be in the database. */
  #announced: ReadonlyArray<AnnouncedRecord> = []
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
    await this.#configure(plan)
    if (isProtected) this.#place.protect()
    try {
      this.serve(plan)
      const mark = `${markVariable}=${Path.join(Os.tmpdir(), randomUUID())}`
      using sidecar = this.#start(plan, mark)
      const { database } = this.#place
      const host = new Host(sidecar, plan, { scene: this.scene, server: this.#server, database, mark })
      const lived = await live(host, plan, this.#sessions, more)
      this.#counts.live(lived)
      await host.serverIsBack()
      this.#server.loading(false)
      return { lived, violations: [...judge(lived), ...this.#inDatabase(lived)] }
    } finally {
      if (isProtected) this.#place.unprotect()
    }
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

  #start(plan: LifePlan, mark: string): Sidecar {
    const { home, state } = this.scene
    const [name, value] = mark.split("=") as [string, string]
    const env = { HOME: home, XDG_CACHE_HOME: cache, [name]: value, ...plan.settings.env, ...plan.settings.invalid }
    return new Sidecar({ path: state }, { env, command: this.#place.commandFor(command), cwd: this.#place.root })
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
    this.#announced = []
    this.#sessions = []
  }

  async #configure({ settings }: LifePlan): Promise<void> {
    const { state } = this.scene
    const script = Path.join(this.#place.root, "script.json")
    const steps = [{ toolCalls: [{ name: "fs.read", arguments: { path: "a.txt" } }] }, { text: "This is all." }]
    Fs.writeFileSync(script, JSON.stringify({ turns: [{ steps }], otherwise: "loop" }))
    const localModels = {
      mode: settings.mode,
      url: this.scene.serverUrl,
      script,
      ...(settings.mode === "managed" ? { managed: await managedModel(this.#place.root) } : {})
    }
    Fs.mkdirSync(state, { recursive: true })
    this.#place.put("config.json", JSON.stringify({ ...settings.config, localModels }))
    this.#place.put(".env", settings.dotEnv ?? "")
  }

  /** What is wrong with the database after a life. */
  #inDatabase(lived: Lived): ReadonlyArray<string> {
    const { database } = this.#place
    const failedAt = storeFailedAt(lived)
    const exchanges = exchangesOf(lived)
    const own = eventsOf(lived.frames, "session_started").map(({ sessionId }) => sessionId as string)
    if (lived.isCorrupted) {
      this.#forget()
      this.#damage = "hidden"
    }
    if (this.#damage !== "none") {
      // Only a process that opens a database finds its damage.
      if (this.#damage === "hidden" || own.length === 0) return []
      this.#damage = "none"
    }
    this.#announced = [...this.#announced, ...lived.frames.slice(0, failedAt).flatMap(announcedBy)]
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
    this.#announced = this.#announced.filter(({ sessionId }) => !deleted.has(sessionId))
    this.#sessions = this.#sessions.filter((id) => !deleted.has(id))
    if (!Fs.existsSync(database)) return this.#announced.length === 0 ? [] : ["the database is gone"]
    const { integrity, records, statuses } = storedIn(this.#copied())
    this.#counts.add("databases looked through")
    this.#counts.most("records that must be there, at most", this.#announced.length)
    const lost = this.#announced.filter(({ record }) => !records.has(record))
    const hadTime = lived.code === 0 && (lived.tookMs ?? Infinity) < 2900 && failedAt === lived.frames.length
    const unfinished = hadTime ? own.filter((id) => /running|awaiting/.test(statuses.get(id) ?? "")) : []
    return [
      ...(integrity === "ok" ? [] : [`integrity_check: ${String(integrity)}`]),
      ...lost.map(({ record, sessionId }) => `announced, and not stored: ${record.slice(0, 200)} of ${sessionId}`),
      ...unfinished.map((id) => `session ${id} is stored as ${statuses.get(id)} by a process that has ended`)
    ]
  }

  /** Read where it cannot be changed: to open a database tidies it up, which is for the next life to do. */
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
