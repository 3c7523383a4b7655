import { createHash } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import * as esbuild from "esbuild"
import packageJson from "../../package.json" with { type: "json" }
import { builtins } from "./Builtins.ts"
import { joined, type Piece, type SourceMap } from "./OneProgram.ts"

export interface BinOptions {
  readonly entry: string
  readonly outfile: string
}

/**
 * Bundles the bin into one file that needs nothing beside it: the launcher (`src/launch.ts`) and, in a comment below
 * it, the program that it compiles from a code cache. Names and lines stay as they are, so that the stacks in `error`
 * frames can be read without the source map.
 */
export const buildBin = async ({ entry, outfile }: BinOptions): Promise<void> => {
  const { code, sections } = joined(await bundle(entry, Path.dirname(outfile)), `${Path.parse(entry).name}.js`)
  const program = code.replaceAll("/* @__PURE__ */", "").trimEnd()
  if (/[^\n\r\t -~]/.test(program)) throw new Error("the bundle is not plain ASCII, as the launcher reads it")
  if (program.includes("*<>/")) throw new Error("the bundle holds the sign that stands for the end of a comment")

  const hash = createHash("sha256").update(program).digest("hex").slice(0, 32)
  const head = `#!/usr/bin/env node\n${await launcher(hash)}/*PROGRAM\n`
  const text = `${head}(function(){"use strict";${program.replaceAll("*/", "*<>/")}\n})\nPROGRAM*/\n//# sourceMappingURL=main.js.map\n`
  Fs.mkdirSync(Path.dirname(outfile), { recursive: true })
  Fs.writeFileSync(outfile, text)
  Fs.chmodSync(outfile, 0o755)
  // Without a list of sources of its own, Node does not read a map in sections.
  const lines = head.split("\n").length - 1
  const shifted = sections.map(({ map, offset }) => ({
    offset: { ...offset, line: offset.line + lines },
    map: ownSources(map)
  }))
  Fs.writeFileSync(`${outfile}.map`, JSON.stringify({ version: 3, sources: [], sections: shifted }))
}

const bundle = async (entry: string, outdir: string): Promise<ReadonlyArray<Piece>> => {
  const result = await esbuild.build({
    entryPoints: [entry],
    outdir,
    write: false,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    minifySyntax: true,
    legalComments: "none",
    // What runs is no module.
    define: { "import.meta": "undefined" },
    sourcemap: "external",
    metafile: true,
    plugins: [builtins],
    logLevel: "warning"
  })
  const pieces = result.outputFiles.filter(({ path }) => path.endsWith(".js"))
  const imported = Object.values(result.metafile.outputs).flatMap(({ imports }) => imports)
  const outside = imported.filter(({ external }) => external === true).map(({ path }) => path)
  if (outside.length > 0) throw new Error(`the bundle still imports ${[...new Set(outside)].join(", ")}`)
  return pieces.map(({ path, text }) => {
    const map = result.outputFiles.find((file) => file.path === `${path}.map`)?.text ?? ""
    return { name: Path.basename(path), code: text, map: JSON.parse(map) as SourceMap }
  })
}

/** The launcher as any Node that knows ES modules can read it. */
const launcher = async (hash: string): Promise<string> => {
  const minimum = /^>=(\d+)\.(\d+)\.0$/.exec(packageJson.engines.node)
  if (minimum === null) throw new Error(`engines.node is ${packageJson.engines.node}, expected >=MAJOR.MINOR.0`)
  const source = Fs.readFileSync(Path.join(import.meta.dirname, "../../src/launch.ts"), "utf8")
  const { code } = await esbuild.transform(source, {
    loader: "ts",
    format: "esm",
    target: "node16.9",
    supported: { "import-meta": true },
    legalComments: "none",
    define: { OLDEST_NODE: `[${minimum[1]},${minimum[2]}]`, PROGRAM_HASH: JSON.stringify(hash) }
  })
  return code
}

/** The map keeps the places in all sources, and the text of our own only: it is a tenth of the size. */
const ownSources = (map: SourceMap): SourceMap => ({
  ...map,
  sourcesContent: map.sourcesContent.map((text, index) =>
    Path.normalize(map.sources[index] ?? "").includes("node_modules") ? null : text
  )
})
