import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"

/** Locations of the bin relative to this module, which is in `dist/`, in `dist/chunks/` or in the sources. */
const candidates = ["./sidecar/main.js", "../sidecar/main.js", "../../dist/sidecar/main.js"]

/** The path of this package's bin. Throws if it is not beside `base`, as in a host that is bundled into one file. */
export const resolveBin = (base: string = import.meta.url): string => {
  const path = candidates.map((each) => fileURLToPath(new URL(each, base))).find((each) => Fs.existsSync(each))
  if (path !== undefined) return path
  throw new Error(`no sidecar beside ${base}: name it with \`command\` and \`args\``)
}

/**
 * Flags for the Node that runs the bin: a young generation of 8 MiB from the start. Nearly everything that is allocated
 * while the sidecar starts stays in use, so collecting it would be wasted work; the first turn comes about a tenth
 * sooner. Electron takes no V8 flags on its command line.
 */
export const nodeFlags = (versions: NodeJS.ProcessVersions = process.versions): ReadonlyArray<string> =>
  versions["electron"] === undefined ? ["--min-semi-space-size=8"] : []

/** The environment for a child of this executable that is to run as Node; Electron needs a variable for that. */
export const nodeEnv = (env: NodeJS.ProcessEnv, versions: NodeJS.ProcessVersions = process.versions) =>
  versions["electron"] === undefined ? env : { ...env, ELECTRON_RUN_AS_NODE: "1" }
