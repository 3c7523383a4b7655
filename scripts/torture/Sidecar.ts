import * as Path from "node:path"
import { ProcessHost } from "../../src/testing/ProcessHost.ts"
import type { StateDir } from "../../src/testing/StateDir.ts"
import { schemaFaults } from "./Schema.ts"

export const root = Path.resolve(import.meta.dirname, "../..")

/** Starts the sidecar as it was built. */
export const command = [process.execPath, Path.join(root, "dist/sidecar/main.js")] as const

/** The environment of a sidecar on this state directory. */
export const envOf = (dir: Pick<StateDir, "path">, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  ATOMIC_AGENT_STATE_DIR: dir.path,
  ...more
})

/** A sidecar whose frames are checked against the schema too when it ends. */
export class Sidecar extends ProcessHost {
  constructor(
    dir: Pick<StateDir, "path">,
    options: {
      readonly env?: NodeJS.ProcessEnv
      readonly command?: typeof command | readonly [string, ...string[]]
      readonly cwd?: string
    } = {}
  ) {
    super({ command: options.command ?? command, cwd: options.cwd ?? root, env: envOf(dir, options.env) })
  }

  protected override faults(): ReadonlyArray<string> {
    return [...super.faults(), ...schemaFaults(this.frames, this.requests)]
  }
}
