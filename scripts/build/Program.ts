import { createHash } from "node:crypto"
import * as Path from "node:path"
import * as esbuild from "esbuild"
import { builtins } from "./Builtins.ts"
import { link, type Piece, type Script, type Section, type SourceMap } from "./Linker.ts"

/** One of the two scripts of a program, in ASCII. */
export interface Part {
  readonly source: string
  readonly hash: string
  readonly sections: ReadonlyArray<Section>
}

/** An entry and its dependencies; what is imported when it is needed is a script of its own. */
export interface Program {
  readonly early: Part
  readonly later: Part
}

/**
 * Bundles a program. Names and lines stay as they are, so that the stacks in `error` frames can be read without the
 * source map.
 */
export const bundleProgram = async (entry: string, outdir: string): Promise<Program> => {
  const { early, later } = link(await bundle(entry, outdir), `${Path.parse(entry).name}.js`)
  return { early: part(early), later: part(later) }
}

const part = ({ code, sections }: Script): Part => {
  const source = code.replaceAll("/* @__PURE__ */", "")
  if (/[^\n\r\t -~]/.test(source)) throw new Error("the bundle is not plain ASCII, as its reader reads it")
  return {
    source,
    hash: createHash("sha256").update(source).digest("hex").slice(0, 32),
    sections: sections.map(({ map, offset }) => ({ offset, map: ownSources(map) }))
  }
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

/** The map keeps the places in all sources, and the text of our own only: it is a tenth of the size. */
const ownSources = (map: SourceMap): SourceMap => ({
  ...map,
  sourcesContent: map.sourcesContent.map((text, index) =>
    Path.normalize(map.sources[index] ?? "").includes("node_modules") ? null : text
  )
})
