import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { framesOf, Wire } from "./Wire.ts"

/** What a benchmark is given. */
export interface Bench {
  /** The sidecar's bin. */
  readonly bin: string
  /** The sidecar as a single executable, where it has been built. */
  readonly executable?: string
  /** Of the model server. */
  readonly port: number
  /** A folder for state directories and the working directory. */
  readonly folder: string
  /** So many times the usual number of rounds. */
  readonly effort: number
}

/** One line of the table: medians, each beside its limit. */
export interface Row {
  readonly name: string
  readonly unit: string
  readonly value: number
  /** The same work done by something that does nothing else. */
  readonly beside?: { readonly name: string; readonly value: number }
  readonly aims: ReadonlyArray<Aim>
}

export interface Aim {
  readonly of: "value" | "ratio"
  readonly most?: number
  readonly least?: number
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? Number.NaN
  return low + (high - low) * (at - Math.floor(at))
}

/** Rounds of several kinds, taken in turn, so that a busy moment of the machine meets all of them. */
export const interleave = async <K extends string>(
  rounds: number,
  kinds: Readonly<Record<K, () => Promise<number>>>
): Promise<Record<K, number>> => {
  const names = Object.keys(kinds) as Array<K>
  const found = new Map<K, Array<number>>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const name of names) found.get(name)?.push(await kinds[name]())
  }
  return Object.fromEntries(names.map((name) => [name, median(found.get(name) ?? [])])) as Record<K, number>
}

export const rounds = (bench: Bench, usual: number): number => Math.max(1, Math.round(usual * bench.effort))

/** A sidecar with an empty state directory. */
export const spawnSidecar = ({ bin, port, folder }: Bench, executable?: string): Wire => {
  const stateDir = Fs.mkdtempSync(Path.join(folder, "state-"))
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ATOMIC_AGENT_"))
  const env = {
    ...Object.fromEntries(inherited),
    ATOMIC_AGENT_STATE_DIR: stateDir,
    ATOMIC_AGENT_LLAMA_URL: `http://127.0.0.1:${port}`
  }
  return executable === undefined ? new Wire([bin], env) : new Wire([], env, executable)
}

export const spawnBare = ({ port }: Bench): Wire =>
  new Wire([Path.join(import.meta.dirname, "BareClient.ts"), String(port)])

/** A session in a working directory with nothing in it; answers its id. */
export const startSession = async (wire: Wire, { folder }: Bench): Promise<string> => {
  const workingDir = Fs.mkdtempSync(Path.join(folder, "work-"))
  await wire.call("start", "start_session", { workingDir })
  return answerOf(wire).sessionId ?? ""
}

/** Sends a message and waits for its response; answers how long it took, in milliseconds. */
export const turn = async (wire: Wire, id: string, sessionId: string, text: string): Promise<number> => {
  const from = performance.now()
  const at = await wire.call(id, "send_message", { sessionId, text })
  return at - from
}

/** The response among what was read; a benchmark of failures would be worth nothing. */
export const answerOf = (wire: Wire) => {
  const frames = framesOf(wire.take())
  const response = frames.find(({ kind }) => kind === "response")
  const fault = frames.find(({ type }) => type === "error")?.payload ?? response?.error
  if (response?.ok !== true || response.payload.reason === "failed") {
    throw new Error(`the sidecar failed: ${JSON.stringify(fault)}`)
  }
  return response.payload
}

/** Where the folder of a benchmark is made. */
export const makeFolder = (): string => Fs.mkdtempSync(Path.join(Os.tmpdir(), "atomic-agent-bench-"))
