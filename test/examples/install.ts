import * as Fs from "node:fs"
import * as Path from "node:path"
import { root, StateDir } from "../support/Bin.ts"

/** Installs the package, Effect and vitest into a folder, as a user of the package would have them there. */
export const installInto = (folder: string): void => {
  const modules = Path.join(folder, "node_modules")
  const installed = (name: string, target: string) => Fs.symlinkSync(target, Path.join(modules, name), "junction")
  Fs.mkdirSync(modules)
  installed("atomic-agent-sidecar", root)
  for (const name of ["effect", "@effect", "vitest", "@types"]) installed(name, Path.join(root, "node_modules", name))
}

/** The program of a user who has installed the package and Effect, in a folder of their own. */
export const install = (code: string, config: object = {}, file = "program.mts") => {
  const dir = new StateDir(config)
  installInto(dir.path)
  Fs.writeFileSync(Path.join(dir.path, file), code)
  return {
    command: process.execPath,
    args: [file],
    cwd: dir.path,
    env: { ...process.env, ATOMIC_AGENT_STATE_DIR: dir.path },
    [Symbol.dispose]: () => dir[Symbol.dispose]()
  }
}
