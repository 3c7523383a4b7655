import * as Fs from "node:fs"
import * as Path from "node:path"
import * as esbuild from "esbuild"
import packageJson from "../../package.json" with { type: "json" }
import { builtins } from "./Builtins.ts"

export interface BinOptions {
  readonly entry: string
  readonly outfile: string
}

/**
 * Bundles the bin into one file that needs nothing beside it. Names and lines stay as they are, so that the stacks in
 * `error` frames can be read without the source map; white space costs the start nothing that can be measured.
 */
export const buildBin = async ({ entry, outfile }: BinOptions): Promise<void> => {
  const result = await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    // Old enough that a Node which is still in use can read as far as the check in the banner, and new enough that
    // private fields stay what they are.
    target: "node20",
    minifySyntax: true,
    sourcemap: true,
    metafile: true,
    plugins: [builtins],
    banner: { js: `#!/usr/bin/env node\n${versionCheck(packageJson.engines.node)}` },
    logLevel: "warning"
  })
  const imports = Object.values(result.metafile.outputs).flatMap((output) => output.imports)
  if (imports.length > 0) {
    throw new Error(`the bundle still imports ${[...new Set(imports.map(({ path }) => path))].join(", ")}`)
  }
  dropForeignSources(`${outfile}.map`)
  Fs.chmodSync(outfile, 0o755)
}

/** Runs before all else: nothing in the bundle is an import that would be linked first. */
const versionCheck = (engines: string): string => {
  const minimum = /^>=(\d+)\.(\d+)\.0$/.exec(engines)
  if (minimum === null) throw new Error(`engines.node is ${engines}, expected >=MAJOR.MINOR.0`)
  const [, major, minor] = minimum
  return `{
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < ${major} || (major === ${major} && minor < ${minor})) {
    process.stderr.write(\`atomic-agent-sidecar needs Node.js ${major}.${minor} or newer, this is \${process.versions.node}\\n\`);
    process.exit(78);
  }
}`
}

/** The map keeps the places in all sources, and the text of our own only: it is a tenth of the size. */
const dropForeignSources = (file: string): void => {
  const map = JSON.parse(Fs.readFileSync(file, "utf8")) as { sources: Array<string>; sourcesContent: Array<string> }
  const sourcesContent = map.sourcesContent.map((text, index) =>
    Path.normalize(map.sources[index] ?? "").includes("node_modules") ? null : text
  )
  Fs.writeFileSync(file, JSON.stringify({ ...map, sourcesContent }))
}
