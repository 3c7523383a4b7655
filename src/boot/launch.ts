/** Runs the program that lies beside this file, `program.cjs`, unless the command line asks for something else. */
import { compileCached } from "./CodeCache.ts"
import { answerArguments } from "./CommandLine.ts"
import { exitOnEarlySignals } from "./EarlySignals.ts"
import { sidecarVersion } from "../Version.ts"

exitOnEarlySignals()

const version = () => `atomic-agent-sidecar ${sidecarVersion}, Node.js ${process.versions.node}`

if (!answerArguments(process.argv.slice(2), version)) {
  const filename = process.getBuiltinModule("node:path").join(__dirname, "program.cjs")
  if (process.sourceMapsEnabled) {
    // Node reads the source maps only of what it loads itself.
    require(filename)
  } else {
    // The program is ASCII: V8 takes these bytes as they are.
    const source = process.getBuiltinModule("node:fs").readFileSync(filename, "latin1")
    compileCached({ source, filename }).runInThisContext()
  }
}
