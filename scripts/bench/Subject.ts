import * as Fs from "node:fs"
import * as Path from "node:path"
import { framesOf, Wire } from "./Wire.ts"

export interface Bench {
  /** Of the model server. */
  readonly port: number
  /** A folder for state directories and working directories. */
  readonly folder: string
}

/** Starts a program that answers each request on a line of its own: a sidecar, or bare Node. */
export type Spawn = (bench: Bench) => Wire

/** A sidecar with an empty state directory; `command` is its bin, or an executable. */
export const sidecar =
  (command: ReadonlyArray<string>): Spawn =>
  ({ port, folder }) => {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ATOMIC_AGENT_"))
    return new Wire(command, {
      ...Object.fromEntries(inherited),
      ATOMIC_AGENT_STATE_DIR: Fs.mkdtempSync(Path.join(folder, "state-")),
      ATOMIC_AGENT_LLAMA_URL: `http://127.0.0.1:${port}`
    })
  }

/** Node answering each line: the least that a start takes. */
export const bareNode: Spawn = () =>
  new Wire([
    process.execPath,
    "-e",
    `process.stdin.on("data", (line) => {
       const response = { kind: "response", correlationId: JSON.parse(line).id, ok: true, payload: {} }
       process.stdout.write(JSON.stringify(response) + "\\n")
     })`
  ])

/** Node doing the work of a turn and nothing else. */
export const bareClient: Spawn = ({ port }) =>
  new Wire([process.execPath, Path.join(import.meta.dirname, "BareClient.ts"), String(port)])

/** Starts a session in an empty working directory; its id, which bare Node does without. */
export const startSession = async (wire: Wire, { folder }: Bench): Promise<string> => {
  const workingDir = Fs.mkdtempSync(Path.join(folder, "work-"))
  await wire.call("start", "start_session", { workingDir })
  return takeResponse(wire).sessionId ?? ""
}

/** Sends a message and waits for its response: the time between them, in milliseconds. */
export const turn = async (wire: Wire, id: string, sessionId: string, text: string): Promise<number> => {
  const from = performance.now()
  const at = await wire.call(id, "send_message", { sessionId, text })
  return at - from
}

/** The payload of the response among what was read. Throws where it failed: failures are fast, and no figures. */
export const takeResponse = (wire: Wire) => {
  const frames = framesOf(wire.take())
  const response = frames.find(({ kind }) => kind === "response")
  if (response?.ok !== true || response.payload.reason === "failed") {
    const reason = frames.find(({ type }) => type === "error")?.payload ?? response?.error
    throw new Error(`the sidecar failed: ${JSON.stringify(reason)}`)
  }
  return response.payload
}
