/**
 * `npm run build`: everything in dist/ but the executable. `node scripts/build.ts bin`: the sidecar alone, which takes a
 * second. `npm run build:binary [-- --target TRIPLE]`: the sidecar as one executable with Node in it.
 */
import * as Fs from "node:fs"
import * as Path from "node:path"
import packageJson from "../package.json" with { type: "json" }
import { given, text } from "./Arguments.ts"
import { buildBin } from "./build/Bin.ts"
import { buildExecutable } from "./build/Executable.ts"
import { writeHostTypes } from "./build/HostTypes.ts"
import { buildLibrary, emitTypes } from "./build/Library.ts"
import { targetOf } from "./build/Target.ts"

const root = Path.resolve(import.meta.dirname, "..")
const dist = Path.join(root, "dist")

const sidecar = Path.join(dist, "sidecar")
const bin = () => buildBin({ entry: Path.join(root, "src/main.ts"), outdir: sidecar })

const binary = async (triple: string | undefined) => {
  const target = targetOf(triple)
  const path = await buildExecutable({
    target,
    program: await bin(),
    bin: Path.join(sidecar, "main.js"),
    outdir: Path.join(dist, "binary"),
    cache: Path.join(root, "node_modules/.cache/atomic-agent-sidecar")
  })
  console.log(`${Path.relative(root, path)}: ${Math.round(Fs.statSync(path).size / 2 ** 20)} MiB`)
  if (target.platform === "darwin" && process.platform !== "darwin") {
    console.log("macOS runs it once it is signed there: codesign --force --sign - FILE")
  }
}

const all = async () => {
  Fs.rmSync(dist, { recursive: true, force: true })
  await Promise.all([emitTypes(root, dist), bin(), buildLibrary(root, dist)])
  writeHostTypes(dist)
  const promised = [packageJson.bin, ...Object.values(packageJson.exports)].flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry)
  )
  const missing = promised.filter((path) => !Fs.existsSync(Path.join(root, path)))
  if (missing.length > 0) throw new Error(`package.json promises what was not built: ${missing.join(", ")}`)
}

try {
  const { options, words } = given({ target: text }, ["all", "bin", "binary"])
  const [what = "all", ...more] = words
  if (more.length > 0) throw new Error(`one thing at a time, not ${words.join(" and ")}`)
  if (what === "binary") await binary(options.target)
  else await (what === "bin" ? bin() : all())
} catch (error) {
  // esbuild has printed its errors already.
  const isReported = error instanceof Error && "errors" in error
  if (!isReported) console.error(`build: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
