import * as Fs from "node:fs"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import { BinNotFound } from "./HostError.ts"

/** Locations of the bin relative to this module, which is in `dist/`, in `dist/chunks/` or in the sources. */
const candidates = ["./sidecar/main.js", "../sidecar/main.js", "../../dist/sidecar/main.js"]

/**
 * The path of the sidecar's bin: the given one, otherwise that of this package, which is beside the module `base`.
 * Throws `BinNotFound` if there is no such file. Without a path that is the rule in a bundle: there `import.meta.url`
 * names the bundle, or is empty because the bundle is a CommonJS module.
 */
export const resolveBin = (bin: string | undefined, base: string | undefined = import.meta.url): string => {
  if (bin !== undefined) {
    // Absolute, since the sidecar may run in another directory.
    const path = Path.resolve(bin)
    if (Fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true) return path
    throw new BinNotFound(`there is no file ${path}`)
  }
  // Bundlers leave `undefined`, an empty string or a URL of another scheme.
  if (base?.startsWith("file:") !== true) throw new BinNotFound("this module does not know its own path")
  const path = candidates.map((each) => fileURLToPath(new URL(each, base))).find((each) => Fs.existsSync(each))
  if (path !== undefined) return path
  throw new BinNotFound(`there is no sidecar/main.js beside ${fileURLToPath(base)}`)
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
