import * as Fs from "node:fs"
import { fileURLToPath } from "node:url"

/** Where the bin lies beside this file: in `dist/`, in one of its folders, or in the sources. */
const places = ["./sidecar/main.js", "../sidecar/main.js", "../../dist/sidecar/main.js"]

/** The sidecar of this package; throws where it is not there, as in a host that is bundled into one file. */
export const ownBin = (base: string = import.meta.url): string => {
  const found = places.map((place) => fileURLToPath(new URL(place, base))).find((path) => Fs.existsSync(path))
  if (found !== undefined) return found
  throw new Error(`no sidecar beside ${base}: name it with \`command\` and \`args\``)
}

/**
 * What V8 starts with: young objects get 8 MiB at once, since all that the start makes is still in use when V8 would
 * clear up. The first turn comes about a tenth sooner. Electron has its own way to be told such things.
 */
export const nodeFlags = (versions: NodeJS.ProcessVersions = process.versions): ReadonlyArray<string> =>
  versions["electron"] === undefined ? ["--min-semi-space-size=8"] : []

/** The environment for a child of this executable that is to run as Node, which in Electron it must be told. */
export const nodeEnv = (env: NodeJS.ProcessEnv, versions: NodeJS.ProcessVersions = process.versions) =>
  versions["electron"] === undefined ? env : { ...env, ELECTRON_RUN_AS_NODE: "1" }
