import * as Fs from "node:fs"
import * as Path from "node:path"
import * as esbuild from "esbuild"
import packageJson from "../../package.json" with { type: "json" }
import type { Section } from "./Linker.ts"
import { bundleProgram, type Part, type Program } from "./Program.ts"

export interface BinOptions {
  readonly entry: string
  readonly outfile: string
}

/** What the bin runs, as a single executable needs it. */
export interface Built {
  readonly early: BuiltPart
  readonly later: BuiltPart
}

export interface BuiltPart {
  readonly source: string
  readonly hash: string
  /** Lines before it in the bin, which its source map counts. */
  readonly line: number
}

/**
 * Bundles the bin into one file that needs nothing beside it: the launcher (`src/launch.ts`) and, in comments below it,
 * the two scripts of the program, which it compiles from code caches.
 */
export const buildBin = async ({ entry, outfile }: BinOptions): Promise<Built> => {
  const program = await bundleProgram(entry, Path.dirname(outfile))
  let text = `#!/usr/bin/env node\n${await launcher(program)}`
  const sections: Array<Section> = []
  const append = ({ hash, sections: own, source }: Part, name: string): BuiltPart => {
    if (source.includes("*<>/")) throw new Error("the bundle holds the sign that stands for the end of a comment")
    text += `/*${name}\n`
    const line = text.split("\n").length - 1
    sections.push(...own.map(({ map, offset }) => ({ offset: { ...offset, line: offset.line + line }, map })))
    text += `${source.replaceAll("*/", "*<>/")}\n${name}*/\n`
    return { source, hash, line }
  }
  const built = { early: append(program.early, "EARLY"), later: append(program.later, "LATER") }
  Fs.mkdirSync(Path.dirname(outfile), { recursive: true })
  Fs.writeFileSync(outfile, `${text}//# sourceMappingURL=main.js.map\n`)
  Fs.chmodSync(outfile, 0o755)
  // Without a list of sources of its own, Node does not read a map in sections.
  Fs.writeFileSync(`${outfile}.map`, JSON.stringify({ version: 3, sources: [], sections }))
  return built
}

/** The launcher as any Node that knows ES modules can read it. */
const launcher = async ({ early, later }: Program): Promise<string> => {
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
    define: {
      OLDEST_NODE: `[${minimum[1]},${minimum[2]}]`,
      HASHES: JSON.stringify({ EARLY: early.hash, LATER: later.hash })
    },
    logLevel: "warning"
  })
  return result.outputFiles[0]?.text ?? ""
}
