import * as Fs from "node:fs"
import * as Path from "node:path"
import { readCache } from "../../src/boot/CodeCache.ts"
import { SidecarHost } from "../../src/host/SidecarHost.ts"
import * as LlamaServer from "../../src/testing/LlamaServer.ts"

/**
 * The code cache that the bin writes after a conversation of one turn in an empty home. It contains every function that
 * was called; a cache made without running the program contains only the outermost ones.
 */
export const trainedCache = async (bin: string, folder: string): Promise<Buffer> => {
  const home = Path.join(folder, "home")
  const stateDir = Path.join(folder, "state")
  const server = await LlamaServer.start()
  try {
    const host = SidecarHost.spawn({
      command: process.execPath,
      args: [bin],
      env: {
        HOME: home,
        XDG_CACHE_HOME: home,
        LOCALAPPDATA: home,
        SystemRoot: process.env["SystemRoot"],
        ATOMIC_AGENT_STATE_DIR: stateDir,
        ATOMIC_AGENT_LLAMA_URL: server.url
      }
    })
    await host.request("ping")
    const { sessionId } = await host.request("start_session", { workingDir: folder })
    const { reason } = await host.send(sessionId, "Hello?").result
    const { exitCode } = await host.shutdown()
    if (reason !== "reply" || exitCode !== 0) throw new Error(`the bin ended a turn with ${reason} and ${exitCode}`)
  } finally {
    await server.stop()
  }
  const caches = Path.join(home, "atomic-agent-sidecar")
  const [name = ""] = Fs.readdirSync(caches)
  const cache = readCache(Path.join(caches, name))
  if (cache === undefined) throw new Error("the bin wrote no code cache")
  return cache
}
