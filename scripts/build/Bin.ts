import { createHash } from "node:crypto"
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
 * Bundles the bin into one file that needs nothing beside it: the launcher (`src/launch.ts`) and, in a comment below
 * it, the program that it compiles from a code cache. Names and lines stay as they are, so that the stacks in `error`
 * frames can be read without the source map.
 */
export const buildBin = async ({ entry, outfile }: BinOptions): Promise<void> => {
  const { code, map } = await bundle(entry, outfile)
  const program = code.replaceAll("/* @__PURE__ */", "").trimEnd()
  if (/[^\n\r\t -~]/.test(program)) throw new Error("the bundle is not plain ASCII, as the launcher reads it")
  if (program.includes("*<>/")) throw new Error("the bundle holds the sign that stands for the end of a comment")

  const hash = createHash("sha256").update(program).digest("hex").slice(0, 32)
  const head = `#!/usr/bin/env node\n${await launcher(hash)}/*PROGRAM\n`
  const text = `${head}(function(){"use strict";${program.replaceAll("*/", "*<>/")}\n})\nPROGRAM*/\n//# sourceMappingURL=main.js.map\n`
  Fs.mkdirSync(Path.dirname(outfile), { recursive: true })
  Fs.writeFileSync(outfile, text)
  Fs.chmodSync(outfile, 0o755)
  Fs.writeFileSync(`${outfile}.map`, JSON.stringify(shifted(ownSources(map), head.split("\n").length - 1)))
}

const bundle = async (entry: string, outfile: string) => {
  const result = await esbuild.build({
    entryPoints: [entry],
    outfile,
    write: false,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    minifySyntax: true,
    legalComments: "none",
    sourcemap: "external",
    metafile: true,
    plugins: [builtins],
    logLevel: "warning"
  })
  const imports = Object.values(result.metafile.outputs).flatMap((output) => output.imports)
  if (imports.length > 0) {
    throw new Error(`the bundle still imports ${[...new Set(imports.map(({ path }) => path))].join(", ")}`)
  }
  const textOf = (ending: string) => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? ""
  return { code: textOf(".js"), map: JSON.parse(textOf(".js.map")) as SourceMap }
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

interface SourceMap {
  readonly sources: ReadonlyArray<string>
  readonly sourcesContent: ReadonlyArray<string | null>
  readonly mappings: string
}

/** The map keeps the places in all sources, and the text of our own only: it is a tenth of the size. */
const ownSources = (map: SourceMap): SourceMap => ({
  ...map,
  sourcesContent: map.sourcesContent.map((text, index) =>
    Path.normalize(map.sources[index] ?? "").includes("node_modules") ? null : text
  )
})

const shifted = (map: SourceMap, lines: number): SourceMap => ({ ...map, mappings: ";".repeat(lines) + map.mappings })
