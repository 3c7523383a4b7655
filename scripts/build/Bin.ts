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
  // How many lines it has itself does not depend on the numbers in it.
  const places = placesOf(program, linesOf(await launcher(placesOf(program, 0))))
  let text = await launcher(places)
  const sections: Array<Section> = []
  const append = ({ hash, sections: own, source }: Part, name: keyof Places): BuiltPart => {
    if (source.includes("*~")) throw new Error("the bundle holds the sign that stands for the end of a comment")
    text += `/*${name}\n`
    const line = linesOf(text) - 1
    if (line !== places[name].line) throw new Error(`${name} begins at line ${line}, and not at ${places[name].line}`)
    sections.push(...own.map(({ map, offset }) => ({ offset: { ...offset, line: offset.line + line }, map })))
    text += `${source.replaceAll("*/", "*~")}\n${name}*/\n`
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

/** What the launcher knows of each part. */
type Places = { readonly [N in "EARLY" | "LATER"]: Pick<BuiltPart, "hash" | "line"> }

/** Where the parts stand below so many lines; each has a line of its own before it and one behind it. */
const placesOf = ({ early, later }: Program, lines: number): Places => ({
  EARLY: { hash: early.hash, line: lines },
  LATER: { hash: later.hash, line: lines + linesOf(early.source) + 2 }
})

const linesOf = (code: string): number => code.split("\n").length

/** The launcher as any Node that knows ES modules can read it. */
const launcher = async (places: Places): Promise<string> => {
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
      PARTS: JSON.stringify(places)
    },
    logLevel: "warning"
  })
  return `#!/usr/bin/env node\n${result.outputFiles[0]?.text ?? ""}`
}
