import * as Fs from "node:fs"
import * as Path from "node:path"
import * as esbuild from "esbuild"
import packageJson from "../../package.json" with { type: "json" }
import { bundleProgram, type Program } from "./Program.ts"

export interface BinOptions {
  /** The program's entry. */
  readonly entry: string
  /** Where the bin goes. */
  readonly outdir: string
}

const boot = Path.join(import.meta.dirname, "../../src/boot")

/**
 * Writes the bin: `main.js`, which checks the version of Node, `launch.cjs`, which compiles the program from its code
 * cache, and `program.cjs` with its source map. All are CommonJS, wherever the folder is copied.
 */
export const buildBin = async ({ entry, outdir }: BinOptions): Promise<Program> => {
  const write = (name: string, text: string) => Fs.writeFileSync(Path.join(outdir, name), text)
  const [main, launch, program] = await Promise.all([
    versionCheck(),
    launcher(),
    bundleProgram(entry, Path.join(outdir, "program.cjs"))
  ])
  Fs.mkdirSync(outdir, { recursive: true })
  write("package.json", `${JSON.stringify({ type: "commonjs" })}\n`)
  write("main.js", main)
  Fs.chmodSync(Path.join(outdir, "main.js"), 0o755)
  write("launch.cjs", launch)
  write("program.cjs", program.source)
  write("program.cjs.map", program.map)
  return program
}

/** `main.js`, in the JavaScript of 2015. */
const versionCheck = async (): Promise<string> => {
  const [, major, minor] = /^>=(\d+)\.(\d+)\.0$/.exec(packageJson.engines.node) ?? []
  if (major === undefined || minor === undefined)
    throw new Error(`engines.node is ${packageJson.engines.node}, expected >=MAJOR.MINOR.0`)
  const { code } = await esbuild.transform(Fs.readFileSync(Path.join(boot, "entry.ts")), {
    loader: "ts",
    target: "es2015",
    legalComments: "inline",
    banner: "#!/usr/bin/env node",
    define: { OLDEST_NODE: `"${major}.${minor}"`, OLDEST_MAJOR: major, OLDEST_MINOR: minor }
  })
  return code
}

const launcher = async (): Promise<string> => {
  const result = await esbuild.build({
    entryPoints: [Path.join(boot, "launch.ts")],
    write: false,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node22",
    legalComments: "none",
    logLevel: "warning"
  })
  return result.outputFiles[0]?.text ?? ""
}
