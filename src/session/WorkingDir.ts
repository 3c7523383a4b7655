import * as fs from "node:fs"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { headText } from "../domain/HeadText.ts"
import { isWithin } from "../files/PathScope.ts"
import { PrivateFiles } from "../files/PrivateFiles.ts"
import { resolveReal } from "../files/RealPath.ts"
import { withRegularFile } from "../files/RegularFile.ts"

/** How much of `AGENTS.md` is read, in bytes (runtime, Prompt). */
const agentsBytes = 16 * 1024

/** What stands at a path instead of a directory; undefined for a directory. */
export const notADirectory = (path: string): Effect.Effect<"nothing" | "a file" | undefined> =>
  Effect.map(statOf(path), (stat) => (stat === undefined ? "nothing" : stat.isDirectory() ? undefined : "a file"))

/**
 * Reads the head of the working directory's `AGENTS.md`. Only a regular file is opened: reading a pipe may never end. One that
 * leads out of the working directory, or to the sidecar's own settings in `stateDir`, is not read: nobody was asked about it.
 */
export const readAgents = (workingDir: string, stateDir: string): Effect.Effect<string | undefined> => {
  const path = resolve(workingDir, "AGENTS.md")
  return Effect.flatMap(statOf(path), (stat) => {
    if (stat?.isFile() !== true) return Effect.undefined
    return Effect.flatMap(
      Effect.promise(() => readHead(path, workingDir, stateDir).catch(() => undefined)),
      (head) =>
        head === "outside"
          ? Effect.as(Effect.logWarning(`${path} leads out of the working directory: it is not read`), undefined)
          : Effect.succeed(head?.text)
    )
  })
}

/** Uses callbacks, since `node:fs/promises` takes 3 ms to load and most sessions start without reading anything. */
const statOf = (path: string) =>
  Effect.callback<fs.Stats | undefined>((resume) => {
    // No file has such a name, and `fs.stat` throws for it.
    if (path.includes("\0")) return resume(Effect.undefined)
    fs.stat(path, (error, stat) => resume(Effect.succeed(error === null ? stat : undefined)))
  })

const readHead = async (
  path: string,
  workingDir: string,
  stateDir: string
): Promise<"outside" | { readonly text: string } | undefined> => {
  const [real, top, files] = await Promise.all([resolveReal(path), resolveReal(workingDir), PrivateFiles.of(stateDir)])
  if (real === undefined || top === undefined) return undefined
  if (!isWithin(top, real)) return "outside"
  return withRegularFile(real, async (file, stats) => {
    if (files.includes(real, stats)) return "outside"
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(agentsBytes) })
    return { text: headText(buffer.subarray(0, bytesRead), agentsBytes) }
  })
}
