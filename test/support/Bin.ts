import * as Path from "node:path"
import { ProcessHost } from "../../src/testing/ProcessHost.ts"
import type { StateDir } from "../../src/testing/StateDir.ts"
import { faultsOf } from "./Schema.ts"

export { StateDir } from "../../src/testing/StateDir.ts"

export const root = Path.resolve(import.meta.dirname, "../..")
export const binPath = Path.join(root, "dist/sidecar/main.js")

/** The executable to test in place of the bin (`npm run test:binary`). */
const executable = process.env["SIDECAR_EXECUTABLE"]

/** Starts the sidecar. */
export const command: readonly [string, ...ReadonlyArray<string>] =
  executable === undefined ? [process.execPath, binPath] : [executable]

/** The command for a shell. */
export const shellCommand = command.map((word) => `'${word}'`).join(" ")

export interface BinOptions {
  readonly env?: NodeJS.ProcessEnv
  /** Options of Node; an executable takes none, so it is the bin that is started then. */
  readonly nodeOptions?: ReadonlyArray<string>
  readonly command?: typeof command
  readonly cwd?: string
}

/** The sidecar as it is built, at the other end of a real pipe. */
export class Bin extends ProcessHost {
  constructor(dir: Pick<StateDir, "path">, options: BinOptions = {}) {
    const withOptions = options.nodeOptions && ([process.execPath, ...options.nodeOptions, binPath] as const)
    super({
      command: options.command ?? withOptions ?? command,
      cwd: options.cwd ?? root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ATOMIC_AGENT_STATE_DIR: dir.path, ...options.env }
    })
  }

  protected override faults(): ReadonlyArray<string> {
    return [...super.faults(), ...faultsOf(this.frames, this.requests)]
  }
}
