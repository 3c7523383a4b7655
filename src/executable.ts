/**
 * What a single executable begins with. The program and its code cache are assets of it; an executable that was built
 * on another kind of machine has no code cache of its own, and keeps one in the user's cache folder as the bin does.
 */
import { compile, compileCached, type Program } from "./CodeCache.ts"
import { hearEarlySignals } from "./EarlySignals.ts"
import { runScript } from "./process/OwnNode.ts"
import { sidecarVersion } from "./Version.ts"

/** Put in by the build. */
declare const PROGRAM_HASH: string
/** Lines before the program in `main.js`, so that the source map of `main.js` fits here too. */
declare const PROGRAM_LINE: number

const sea = process.getBuiltinModule("node:sea")

const program = (): Program => ({
  source: Buffer.from(sea.getRawAsset("program")).toString("latin1"),
  hash: PROGRAM_HASH,
  filename: "main.js",
  lineOffset: PROGRAM_LINE
})

const ownCache = (): Buffer | undefined =>
  sea.getAssetKeys().includes("cache") ? Buffer.from(sea.getRawAsset("cache")) : undefined

const launch = (): void => {
  hearEarlySignals()
  const cache = ownCache()
  const script = cache === undefined ? compileCached(program()) : compile(program(), cache)
  script.runInThisContext()()
}

/** For the scripts of skills: there may be no other Node on the machine. */
const playNode = (file: string): void => {
  const path = process.getBuiltinModule("node:path").resolve(file)
  process.argv = [process.execPath, path, ...process.argv.slice(4)]
  // What `fork` begins the command of a child with.
  process.execArgv = [runScript]
  process.getBuiltinModule("node:module").runMain(path)
}

const version = (): string => {
  const cache = ownCache()
  const cacheState = cache === undefined ? "none" : compile(program(), cache).cachedDataRejected ? "rejected" : "fits"
  return `atomic-agent-sidecar ${sidecarVersion}, Node.js ${process.versions.node}, code cache: ${cacheState}\n`
}

const [, , first, second] = process.argv
if (first === runScript && second !== undefined) playNode(second)
else if (first === "--version") process.stdout.write(version())
else launch()
