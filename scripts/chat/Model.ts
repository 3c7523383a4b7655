import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { parseEnv } from "node:util"

/** What the conversation is held with. */
export interface Model {
  /** Says which one, and how to get a real one. */
  readonly line: string
  /** For the sidecar. */
  readonly env: NodeJS.ProcessEnv
  readonly dispose: () => void
}

const probeMs = 1000

/** The server that is configured if it answers, else the scripted model in a state directory of its own. */
export const chooseModel = async (env: NodeJS.ProcessEnv): Promise<Model> => {
  const { mode, url } = configured(env)
  const plain = { env, dispose: () => {} }
  if (mode === "managed" || mode === "scripted") return { ...plain, line: `Model: ${mode}, as config.json says.` }
  const name = await probe(url)
  if (name !== undefined) return { ...plain, line: `Model: ${name} at ${url}.` }
  return scripted(
    env,
    `Model: scripted, since no llama-server answers at ${url}. This starts a real one:  ${commandFor(url)}`
  )
}

/** What the sidecar will use: environment over `.env` over `config.json`. What cannot be read is its to report. */
const configured = (env: NodeJS.ProcessEnv): { readonly mode: unknown; readonly url: string } => {
  const folder = (env["ATOMIC_AGENT_STATE_DIR"] || "~/.atomic-agent").replace(/^~(?=$|[\\/])/, Os.homedir())
  const config = attempt(() => JSON.parse(Fs.readFileSync(Path.join(folder, "config.json"), "utf8")))?.localModels
  const dotEnv = attempt(() => parseEnv(Fs.readFileSync(Path.join(folder, ".env"), "utf8"))) ?? {}
  const configured = env["ATOMIC_AGENT_LLAMA_URL"] || dotEnv["ATOMIC_AGENT_LLAMA_URL"] || config?.url
  const url = typeof configured === "string" && URL.canParse(configured) ? configured : "http://127.0.0.1:8080"
  return { mode: config?.mode, url: url.replace(/\/$/, "").replace(/\/v1$/, "") }
}

/** The name of the model that a server has, or what the server is doing; undefined where there is none. */
const probe = async (url: string): Promise<string | undefined> => {
  const get = async (path: string) => {
    const response = await fetch(url + path, { signal: AbortSignal.timeout(probeMs) })
    return { status: response.status, body: (await response.json()) as { data?: ReadonlyArray<{ id?: unknown }> } }
  }
  try {
    const { status, body } = await get("/v1/models")
    if (status === 503) return "a llama-server that is still loading its model"
    return status === 401 || Array.isArray(body.data) ? String(body.data?.[0]?.id ?? "the server") : undefined
  } catch {
    return undefined
  }
}

const scripted = (env: NodeJS.ProcessEnv, line: string): Model => {
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "atomic-agent-chat-"))
  Fs.writeFileSync(Path.join(folder, "config.json"), JSON.stringify({ localModels: { mode: "scripted" } }))
  return {
    line,
    env: { ...env, ATOMIC_AGENT_STATE_DIR: folder },
    dispose: () => Fs.rmSync(folder, { recursive: true, force: true })
  }
}

const commandFor = (url: string) => {
  const { hostname, port, protocol } = new URL(url)
  const host = ["127.0.0.1", "localhost"].includes(hostname) ? "" : ` --host ${hostname}`
  return `llama-server -hf Qwen/Qwen3-4B-GGUF${host} --port ${port || (protocol === "https:" ? 443 : 80)}`
}

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
