/**
 * `npm run build`: everything in dist/. `node scripts/build.ts bin`: the sidecar alone, which takes a second.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import packageJson from "../package.json" with { type: "json" }
import { buildBin } from "./build/Bin.ts"
import { buildLibrary, emitTypes } from "./build/Library.ts"
import { protocolSchema } from "./schema.ts"

const root = Path.resolve(import.meta.dirname, "..")
const dist = Path.join(root, "dist")

const bin = () => buildBin({ entry: Path.join(root, "src/main.ts"), outfile: Path.join(dist, "sidecar/main.js") })

const all = async () => {
  Fs.rmSync(dist, { recursive: true, force: true })
  await Promise.all([emitTypes(root, dist), bin(), buildLibrary(root, dist)])
  Fs.writeFileSync(Path.join(dist, "protocol.schema.json"), protocolSchema())
  const promised = [packageJson.bin, ...Object.values(packageJson.exports)].flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry)
  )
  const missing = promised.filter((path) => !Fs.existsSync(Path.join(root, path)))
  if (missing.length > 0) throw new Error(`package.json promises what was not built: ${missing.join(", ")}`)
}

try {
  await (process.argv[2] === "bin" ? bin() : all())
} catch (error) {
  // esbuild has told its errors already.
  const told = error instanceof Error && "errors" in error
  if (!told) console.error(`build: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
