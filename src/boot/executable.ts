/**
 * The entry of the single executable. The program and its code cache are assets of it. An executable built on another
 * kind of machine has no code cache among its assets and keeps one in the user's cache folder, as the bin does.
 */
import { runScript } from "../process/OwnNode.ts"
import { sidecarVersion } from "../Version.ts"
import { compile, compileCached } from "./CodeCache.ts"
import { answerArguments } from "./CommandLine.ts"
import { exitOnEarlySignals } from "./EarlySignals.ts"

const sea = process.getBuiltinModule("node:sea")

const program = () => ({ source: Buffer.from(sea.getRawAsset("program")).toString("latin1"), filename: "program.cjs" })

const includedCache = (): Buffer | undefined =>
  sea.getAssetKeys().includes("cache") ? Buffer.from(sea.getRawAsset("cache")) : undefined

const launch = (): void => {
  const cache = includedCache()
  const script = cache === undefined ? compileCached(program()) : compile(program(), cache)
  script.runInThisContext()
}

/** Runs a JavaScript file as `node FILE` does: skills have scripts, and there may be no Node on the machine. */
const runAsNode = (file: string): void => {
  const path = process.getBuiltinModule("node:path").resolve(file)
  process.argv = [process.execPath, path, ...process.argv.slice(4)]
  // `fork` puts these before the file that the child is to run.
  process.execArgv = [runScript]
  process.getBuiltinModule("node:module").runMain(path)
}

const version = (): string => {
  const cache = includedCache()
  const state = cache === undefined ? "none" : compile(program(), cache).cachedDataRejected ? "rejected" : "fits"
  return `atomic-agent-sidecar ${sidecarVersion}, Node.js ${process.versions.node}, code cache: ${state}`
}

const [, , first, second] = process.argv
if (first === runScript && second !== undefined) {
  runAsNode(second)
} else {
  exitOnEarlySignals()
  if (!answerArguments(process.argv.slice(2), version)) launch()
}
