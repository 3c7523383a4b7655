import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { chooseModel, type Model } from "../chat/Model.ts"
import type { Crossing } from "./Entry.ts"
import { History } from "./History.ts"
import { startSidecar } from "./LiveSidecar.ts"
import type { LiveOptions, RecordedOptions } from "./Options.ts"
import { pageFiles } from "./PageFiles.ts"
import { readRecording, startRecording } from "./Recording.ts"
import { startServer } from "./Server.ts"

export interface Inspector {
  readonly url: string
  /** What is shown, in a line. */
  readonly about: string
  readonly close: () => Promise<void>
}

/** Everything that an inspector can show more than a plain host would. */
const extensions = ["llm_progress", "llm_state", "approval_resolved", "queue", "sessions"]

/** Shows a conversation that a sidecar is holding, or one that was recorded. */
export const startInspector = (
  options: LiveOptions | RecordedOptions,
  bin: string,
  env: NodeJS.ProcessEnv
): Promise<Inspector> => (options.mode === "live" ? inspectLive(options, bin, env) : inspectRecording(options))

const inspectRecording = async ({ file, port }: RecordedOptions): Promise<Inspector> => {
  const history = new History()
  await readRecording(file, (crossing) => history.add(crossing))
  const files = await pageFiles()
  const server = await startServer({ history, files, port, live: () => false, post: () => false })
  return { url: server.url, about: `${file}, ${history.last} frames`, close: server.close }
}

const inspectLive = async (options: LiveOptions, bin: string, env: NodeJS.ProcessEnv): Promise<Inspector> => {
  const workingDir = Path.resolve(options.workingDir)
  if (!Fs.statSync(workingDir, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${workingDir}: no folder`)
  const files = await pageFiles()
  const model = await modelFor(options, env)
  const recorder = options.record === undefined ? undefined : await startRecording(options.record)
  const history = new History()
  const onLine = (crossing: Crossing) => {
    history.add(crossing)
    return recorder?.write(crossing)
  }
  const sidecar = startSidecar({ bin, env: model.env, onLine })
  const { port } = options
  const server = await startServer({ history, files, port, live: sidecar.running, post: sidecar.post })
  void sidecar.ended.then(server.tellEnd)
  sidecar.post("hello", { extensions, client: { name: "inspector", version: "1" } })
  sidecar.post("start_session", { workingDir })
  const leave = async () => {
    await sidecar.close()
    await recorder?.close()
    await server.close()
    model.dispose()
  }
  let leaving: Promise<void> | undefined
  return { url: server.url, about: `${workingDir}. ${model.line}`, close: () => (leaving ??= leave()) }
}

const modelFor = async ({ script, url }: LiveOptions, env: NodeJS.ProcessEnv): Promise<Model> => {
  if (url !== undefined) {
    return { line: `Model: ${url}.`, env: { ...env, ATOMIC_AGENT_LLAMA_URL: url }, dispose: () => {} }
  }
  if (script === undefined) return chooseModel(env)
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "atomic-agent-inspect-"))
  const config = { localModels: { mode: "scripted", script: Path.resolve(script) } }
  Fs.writeFileSync(Path.join(folder, "config.json"), JSON.stringify(config))
  return {
    line: `Model: the script ${script}.`,
    env: { ...env, ATOMIC_AGENT_STATE_DIR: folder },
    dispose: () => Fs.rmSync(folder, { recursive: true, force: true })
  }
}
