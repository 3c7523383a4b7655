/** Set by the build from `engines.node` of package.json: `"22.19"`, 22 and 19. */
declare const OLDEST_NODE: string
declare const OLDEST_MAJOR: number
declare const OLDEST_MINOR: number

/*! Starts the sidecar. Every Node can read this file: one too old for the program says so in one line and exits 78. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major > OLDEST_MAJOR || (major === OLDEST_MAJOR && minor >= OLDEST_MINOR)) {
  require("./launch.cjs")
} else {
  const oldest = OLDEST_NODE
  process.stderr.write(`atomic-agent-sidecar needs Node.js ${oldest} or newer, this is ${process.versions.node}\n`)
  process.exitCode = 78
}
