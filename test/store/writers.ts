import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { buildSync } from "esbuild"

/** Bundles the writer next to a database's directory, since it is started often: its path. */
export const bundleWriter = (filename: string): string => {
  const outfile = path.join(path.dirname(path.dirname(filename)), "writer.mjs")
  const writer = fileURLToPath(new URL("writer.ts", import.meta.url))
  buildSync({ entryPoints: [writer], bundle: true, platform: "node", format: "esm", outfile })
  return outfile
}

export interface Written {
  /** The numbers that were acknowledged. */
  readonly acknowledged: ReadonlyArray<number>
  readonly stderr: string
  readonly code: number | null
}

/** Starts a writer, and kills it the moment it has acknowledged so many, if it is told to. */
export const write = (options: {
  readonly writer: string
  readonly filename: string
  readonly session: string
  readonly first: number
  readonly count: number
  readonly killAfter?: number
}): Promise<Written> =>
  new Promise((resolve, reject) => {
    const { writer, filename, session, first, count, killAfter = Infinity } = options
    const child = spawn(process.execPath, [writer, filename, session, String(first), String(count)])
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text
      if (stdout.split("\n").length > killAfter) child.kill("SIGKILL")
    })
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
    child.on("error", reject)
    child.on("close", (code) =>
      // What follows the last line end was cut off by the kill.
      resolve({ acknowledged: stdout.split("\n").slice(0, -1).map(Number), stderr, code })
    )
  })
