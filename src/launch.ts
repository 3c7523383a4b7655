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

type Name = "EARLY" | "LATER"

/** Put in by the build: the oldest Node that will do, and of each part of the program its hash and the lines before it. */
declare const OLDEST_NODE: readonly [major: number, minor: number]
declare const PARTS: { readonly [N in Name]: { readonly hash: string; readonly line: number } }

// First of all.
hearEarlySignals()

const launch = (): void => {
  const filename = import.meta.filename
  // Bytes, and of them no more than is wanted made a string: what is made now is all still there when V8 clears up.
  const file = process.getBuiltinModule("node:fs").readFileSync(filename)

  const sourceOf = (name: Name): string => {
    const start = file.indexOf(`/*${name}\n`) + `/*${name}\n`.length
    const end = file.indexOf(`\n${name}*/`, start)
    // What would end the comment stands there as another sign of the same length.
    for (let at = file.indexOf("*~", start); at !== -1 && at < end; at = file.indexOf("*~", at)) file[at + 1] = slash
    return file.toString("latin1", start, end)
  }

  const compiled = (name: Name) => {
    const { hash, line: lineOffset } = PARTS[name]
    return compileCached({ source: sourceOf(name), hash, filename, lineOffset }).runInThisContext()
  }

  compiled("EARLY")(() => {
    tierUpEarly()
    return compiled("LATER")
  })
}

const slash = 0x2f

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) {
  launch()
} else {
  const wanted = OLDEST_NODE.join(".")
  process.stderr.write(`atomic-agent-sidecar needs Node.js ${wanted} or newer, this is ${process.versions.node}\n`)
  process.exitCode = 78
}
