/**
 * `npm run inspect`: serves a page on loopback that shows a conversation as it goes on, or as it was recorded, and
 * prints the page's address. See `npm run inspect -- --help`.
 */
import * as Path from "node:path"
import { startInspector } from "./inspect/Inspector.ts"
import { readOptions, usage } from "./inspect/Options.ts"

const bin = process.env["ATOMIC_AGENT_SIDECAR_BIN"] ?? Path.resolve(import.meta.dirname, "../dist/sidecar/main.js")
const args = process.argv.slice(2)
const options = readOptions(args)

if (args.includes("--help")) console.log(usage)
else if (typeof options === "string") {
  console.error(`${options}\n\n${usage}`)
  process.exitCode = 64
} else {
  try {
    const { about, close, url } = await startInspector(options, bin, process.env)
    console.log(`${about}\n\n  ${url}\n\nCtrl-C ends it.`)
    const leave = () => void close().finally(() => process.exit(0))
    process.once("SIGINT", leave).once("SIGTERM", leave)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
