import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Settings } from "../../../src/config/Settings.ts"
import * as LlamaServer from "../../../src/testing/LlamaServer.ts"

/** `localModels.managed` for a stand-in llama-server, whose executable is written to this folder, on a free port. */
export const managedModel = async (folder: string): Promise<Settings["localModels"]["managed"]> => {
  const command = Path.join(folder, "llama-server")
  Fs.writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${import.meta.filename}' "$@"\n`, { mode: 0o755 })
  const server = await LlamaServer.start()
  await server.stop()
  const port = Number(new URL(server.url).port)
  return { command, modelPath: "/models/tiny.gguf", port, contextSize: 4096, args: [] }
}

// The executable runs this file.
if (import.meta.main) {
  await LlamaServer.start({ port: Number(process.argv[process.argv.indexOf("--port") + 1]) })
}
