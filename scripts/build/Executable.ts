import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import * as esbuild from "esbuild"
import { foreignNode } from "./ForeignNode.ts"
import type { Program } from "./Program.ts"
import { run } from "./Run.ts"
import { executableName, isThisMachine, nodeVersion, type Target } from "./Target.ts"
import { trainedCache } from "./TrainedCache.ts"

export interface ExecutableOptions {
  readonly target: Target
  readonly program: Program
  /** `main.js` of the bin with the same program. */
  readonly bin: string
  readonly outdir: string
  /** Where packages of other machines' Nodes are kept. */
  readonly cache: string
}

/**
 * Node with the program in it. Young objects get 8 MiB at once: all that the start makes is still in use when V8 would
 * clear up, three times, to make room for more.
 */
const execArgv = ["--min-semi-space-size=8"]

/** Builds one file that needs nothing beside it, not even Node; answers its path. */
export const buildExecutable = async (options: ExecutableOptions): Promise<string> => {
  const { bin, cache, outdir, program, target } = options
  if (process.version !== `v${nodeVersion}`) {
    throw new Error(`this is Node ${process.version}; executables are built by ${nodeVersion}, as \`npm run\` takes it`)
  }
  const folder = Fs.mkdtempSync(Path.join(Os.tmpdir(), "atomic-agent-executable-"))
  const file = (name: string) => Path.join(folder, name)
  try {
    const isOwn = isThisMachine(target)
    Fs.writeFileSync(file("main.js"), await entry())
    const assets = { program: program.source, ...(isOwn && { cache: await trainedCache(bin, folder) }) }
    for (const [name, content] of Object.entries(assets)) Fs.writeFileSync(file(name), content)
    const config = {
      main: file("main.js"),
      executable: await slim(target, isOwn ? process.execPath : await foreignNode(target, folder, cache), file("node")),
      output: Path.join(outdir, executableName(target)),
      assets: Object.fromEntries(Object.keys(assets).map((name) => [name, file(name)])),
      execArgv,
      // What a developer sets for Node in general is not meant for a program that happens to be made of it.
      execArgvExtension: "none",
      disableExperimentalSEAWarning: true
    }
    Fs.writeFileSync(file("config.json"), JSON.stringify(config))
    Fs.mkdirSync(outdir, { recursive: true })
    await run(process.execPath, ["--build-sea", file("config.json")])
    Fs.chmodSync(config.output, 0o755)
    if (process.platform === "darwin") await run("codesign", ["--force", "--sign", "-", config.output])
    if (isOwn) await inspect(config.output)
    return config.output
  } finally {
    Fs.rmSync(folder, { recursive: true, force: true })
  }
}

const entry = async (): Promise<string> => {
  const result = await esbuild.build({
    entryPoints: [Path.join(import.meta.dirname, "../../src/boot/executable.ts")],
    write: false,
    bundle: true,
    minifySyntax: true,
    format: "cjs",
    platform: "node",
    target: "node26",
    legalComments: "none",
    logLevel: "warning"
  })
  return result.outputFiles[0]?.text ?? ""
}

/** Without its symbols, a fifth of a Linux Node's size, where there is a `strip` that knows the machine. */
const slim = async ({ platform }: Target, node: string, output: string): Promise<string> => {
  if (platform !== "linux") return node
  try {
    await run("strip", ["-o", output, node])
    return output
  } catch {
    return node
  }
}

const inspect = async (path: string): Promise<void> => {
  const version = await run(path, ["--version"])
  if (!version.includes("code cache: fits")) throw new Error(`the executable does not take its code cache: ${version}`)
}
