import { spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import { connect, createServer } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Settings } from "../../../src/config/Settings.ts"

/** How the fake behaves; it reads this at each start. */
export interface Play {
  /** How many of the first starts exit with code 1. */
  readonly failures?: number
  /** Written to stderr at each start. */
  readonly writes?: string
  /** It loads until {@link FakeServer.load} is called. */
  readonly isGated?: boolean
  /** It never listens. */
  readonly isMute?: boolean
  /** It notes TERM and does not exit. */
  readonly isDeaf?: boolean
}

/** An event that the fake writes to its file of notes. */
export type Noted =
  | {
      readonly _tag: "Started"
      readonly pid: number
      readonly args: ReadonlyArray<string>
      readonly stdin: string
      readonly stdout: string
      /** The sidecar's own environment variables that it received. */
      readonly secrets: ReadonlyArray<string>
    }
  | { readonly _tag: "Signalled"; readonly signal: string }
  | { readonly _tag: "Requested"; readonly text: string }
  /** The client closed a connection. */
  | { readonly _tag: "Disconnected" }

/** The longest wait, in milliseconds, so that a hang becomes a failure with a message. */
const patience = 20_000

/** A fake `llama-server` on a free port; its processes are killed at the end of the test. */
export class FakeServer {
  readonly dir = Fs.mkdtempSync(Path.join(Os.tmpdir(), "fake-llama-"))
  readonly command = Path.join(this.dir, "llama-server")
  readonly port: number

  private constructor(port: number, play: Play) {
    this.port = port
    this.play(play)
    const script = Path.join(import.meta.dirname, "fakeLlamaServer.ts")
    Fs.writeFileSync(this.command, `#!/bin/sh\nexec '${process.execPath}' '${script}' '${this.dir}' "$@"\n`, {
      mode: 0o755
    })
  }

  static async make(play: Play = {}): Promise<FakeServer> {
    return new FakeServer(await freePort(), play)
  }

  play(play: Play): void {
    Fs.writeFileSync(Path.join(this.dir, "play.json"), JSON.stringify(play))
  }

  /** Lets the fake finish loading its model. */
  load(): void {
    Fs.writeFileSync(Path.join(this.dir, "loaded"), "")
  }

  /** The settings `localModels.managed` that start it. */
  get managed(): Settings["localModels"]["managed"] {
    return {
      command: this.command,
      modelPath: "/models/tiny.gguf",
      port: this.port,
      contextSize: 4096,
      args: ["-ngl", "9"]
    }
  }

  get notes(): ReadonlyArray<Noted> {
    const file = Path.join(this.dir, "notes")
    if (!Fs.existsSync(file)) return []
    const lines = Fs.readFileSync(file, "utf8").split("\n")
    return lines.slice(0, -1).map((line) => JSON.parse(line))
  }

  noted<T extends Noted["_tag"]>(tag: T): ReadonlyArray<Noted & { readonly _tag: T }> {
    return this.notes.filter((note): note is Noted & { readonly _tag: T } => note._tag === tag)
  }

  /** Waits for the note of that kind with this number, from 1. */
  async until<T extends Noted["_tag"]>(tag: T, count = 1): Promise<Noted & { readonly _tag: T }> {
    await wait(`${count} × ${tag}`, async () => this.noted(tag).length >= count)
    return this.noted(tag)[count - 1]!
  }

  /** Waits until its port is closed. */
  gone(): Promise<void> {
    return wait("the end of the server", async () => !(await accepts(this.port)))
  }

  accepts(): Promise<boolean> {
    return accepts(this.port)
  }

  /** Kills the last started process, as in a crash. */
  kill(): void {
    const last = this.noted("Started").at(-1)
    if (last !== undefined) process.kill(last.pid, "SIGKILL")
  }

  [Symbol.dispose](): void {
    for (const { pid } of this.noted("Started")) if (this.#isOurs(pid)) process.kill(pid, "SIGKILL")
    Fs.rmSync(this.dir, { recursive: true, force: true })
  }

  /** False if the process id belongs to another process by now. */
  #isOurs(pid: number): boolean {
    return spawnSync("ps", ["-o", "command=", "-p", `${pid}`], { encoding: "utf8" }).stdout.includes(this.dir)
  }
}

const wait = async (what: string, is: () => Promise<boolean>): Promise<void> => {
  const limit = AbortSignal.timeout(patience)
  while (!(await is())) {
    if (limit.aborted) throw new Error(`${what} did not come`)
    await setTimeout(5)
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const finish = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once("connect", () => finish(true))
    socket.on("error", () => finish(false))
  })

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
