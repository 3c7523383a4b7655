/**
 * What `dist/sidecar/main.js` begins with. The program itself stands below it in the same file, in two comments, so that
 * the engine does not parse it: it is compiled from code caches, which takes a quarter of the time, and the second part
 * of it, what sessions need, only with the first session.
 *
 * Every Node must be able to read this file, the too old ones too: plain statements, no imports but our own.
 */
import { compileCached } from "./CodeCache.ts"
import { hearEarlySignals } from "./EarlySignals.ts"
import { tierUpEarly } from "./TierUp.ts"

/** Put in by the build: the oldest Node that will do, and a hash of each part of the program. */
declare const OLDEST_NODE: readonly [major: number, minor: number]
declare const HASHES: { readonly EARLY: string; readonly LATER: string }

// First of all.
hearEarlySignals()

const launch = (): void => {
  const filename = import.meta.filename
  const text = process.getBuiltinModule("node:fs").readFileSync(filename, "latin1")

  const compiled = (name: "EARLY" | "LATER") => {
    const start = text.indexOf(`/*${name}\n`) + `/*${name}\n`.length
    const lineOffset = text.slice(0, start).split("\n").length - 1
    const source = text.slice(start, text.indexOf(`\n${name}*/`, start)).replaceAll("*<>/", "*/")
    return compileCached({ source, hash: HASHES[name], filename, lineOffset }).runInThisContext()
  }

  compiled("EARLY")(() => {
    tierUpEarly()
    return compiled("LATER")
  })
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) {
  launch()
} else {
  const wanted = OLDEST_NODE.join(".")
  process.stderr.write(`atomic-agent-sidecar needs Node.js ${wanted} or newer, this is ${process.versions.node}\n`)
  process.exitCode = 78
}
