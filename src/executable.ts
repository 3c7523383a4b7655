/**
 * What a single executable begins with. The program and its code cache are assets of it; an executable that was built
 * on another kind of machine has no code cache of its own, and keeps one in the user's cache folder as the bin does.
 */
import { compile, compileCached, type Program } from "./CodeCache.ts"
import { hearEarlySignals } from "./EarlySignals.ts"
import { runScript } from "./process/OwnNode.ts"
import { tierUpEarly } from "./TierUp.ts"
import { sidecarVersion } from "./Version.ts"

type Name = "early" | "later"

/** Put in by the build: of each part, its hash and the lines before it in `main.js`, so that the source map of that fits. */
declare const PARTS: { readonly [N in Name]: { readonly hash: string; readonly line: number } }

const sea = process.getBuiltinModule("node:sea")

const part = (name: Name): Program => ({
  source: Buffer.from(sea.getRawAsset(name)).toString("latin1"),
  hash: PARTS[name].hash,
  filename: "main.js",
  lineOffset: PARTS[name].line
})

const ownCache = (name: Name): Buffer | undefined =>
  sea.getAssetKeys().includes(`${name}-cache`) ? Buffer.from(sea.getRawAsset(`${name}-cache`)) : undefined

const compiled = (name: Name) => {
  const cache = ownCache(name)
  const script = cache === undefined ? compileCached(part(name)) : compile(part(name), cache)
  return script.runInThisContext()
}

const launch = (): void => {
  hearEarlySignals()
  compiled("early")(() => {
    tierUpEarly()
    return compiled("later")
  })
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
  const states = (["early", "later"] as const).map((name) => {
    const cache = ownCache(name)
    return cache === undefined ? "none" : compile(part(name), cache).cachedDataRejected ? "rejected" : "fits"
  })
  const state = states[0] === states[1] ? states[0] : states.join(", ")
  return `atomic-agent-sidecar ${sidecarVersion}, Node.js ${process.versions.node}, code cache: ${state}\n`
}

const [, , first, second] = process.argv
if (first === runScript && second !== undefined) playNode(second)
else if (first === "--version") process.stdout.write(version())
else launch()
