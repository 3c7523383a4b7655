import * as Fs from "node:fs"
import * as Path from "node:path"
import * as esbuild from "esbuild"
import packageJson from "../../package.json" with { type: "json" }
import { bundleProgram } from "./Program.ts"

export interface BinOptions {
  readonly entry: string
  readonly outfile: string
}

/** What the bin runs, as a single executable needs it. */
export interface Built {
  readonly source: string
  readonly hash: string
  /** Lines before the program in the bin, which its source map counts. */
  readonly line: number
}

/**
 * Bundles the bin into one file that needs nothing beside it: the launcher (`src/launch.ts`) and, in a comment below
 * it, the program that it compiles from a code cache.
 */
export const buildBin = async ({ entry, outfile }: BinOptions): Promise<Built> => {
  const { hash, sections, source } = await bundleProgram(entry, Path.dirname(outfile))
  if (source.includes("*<>/")) throw new Error("the bundle holds the sign that stands for the end of a comment")

  const head = `#!/usr/bin/env node\n${await launcher(hash)}/*PROGRAM\n`
  const text = `${head}${source.replaceAll("*/", "*<>/")}\nPROGRAM*/\n//# sourceMappingURL=main.js.map\n`
  Fs.mkdirSync(Path.dirname(outfile), { recursive: true })
  Fs.writeFileSync(outfile, text)
  Fs.chmodSync(outfile, 0o755)
  const line = head.split("\n").length - 1
  const shifted = sections.map(({ map, offset }) => ({ offset: { ...offset, line: offset.line + line }, map }))
  // Without a list of sources of its own, Node does not read a map in sections.
  Fs.writeFileSync(`${outfile}.map`, JSON.stringify({ version: 3, sources: [], sections: shifted }))
  return { source, hash, line }
}

/** The launcher as any Node that knows ES modules can read it. */
const launcher = async (hash: string): Promise<string> => {
  const minimum = /^>=(\d+)\.(\d+)\.0$/.exec(packageJson.engines.node)
  if (minimum === null) throw new Error(`engines.node is ${packageJson.engines.node}, expected >=MAJOR.MINOR.0`)
  const result = await esbuild.build({
    entryPoints: [Path.join(import.meta.dirname, "../../src/launch.ts")],
    write: false,
    bundle: true,
    format: "esm",
    target: "node16.9",
    supported: { "import-meta": true },
    legalComments: "none",
    define: { OLDEST_NODE: `[${minimum[1]},${minimum[2]}]`, PROGRAM_HASH: JSON.stringify(hash) },
    logLevel: "warning"
  })
  return result.outputFiles[0]?.text ?? ""
}
