import * as fs from "node:fs"
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { headText } from "../domain/HeadText.ts"

/** How much of `AGENTS.md` is read, in bytes (runtime, Prompt). */
const agentsBytes = 16 * 1024

/** What stands at a path instead of a directory; undefined for a directory. */
export const notADirectory = (path: string): Effect.Effect<"nothing" | "a file" | undefined> =>
  Effect.map(statOf(path), (stat) => (stat === undefined ? "nothing" : stat.isDirectory() ? undefined : "a file"))

/**
 * Reads the head of the working directory's `AGENTS.md`. Only a regular file is opened: reading a pipe may never end.
 */
export const readAgents = (workingDir: string): Effect.Effect<string | undefined> => {
  const path = resolve(workingDir, "AGENTS.md")
  return Effect.flatMap(statOf(path), (stat) =>
    stat?.isFile() === true ? Effect.promise(() => readHead(path).catch(() => undefined)) : Effect.undefined
  )
}

/** Uses callbacks, since `node:fs/promises` takes 3 ms to load and most sessions start without reading anything. */
const statOf = (path: string) =>
  Effect.callback<fs.Stats | undefined>((resume) =>
    fs.stat(path, (error, stat) => resume(Effect.succeed(error === null ? stat : undefined)))
  )

const readHead = async (path: string): Promise<string> => {
  await using file = await open(path, "r")
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(agentsBytes) })
  return headText(buffer.subarray(0, bytesRead), agentsBytes)
}
