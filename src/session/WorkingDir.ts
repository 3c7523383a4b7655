import * as fs from "node:fs"
import { open } from "node:fs/promises"
import { resolve } from "node:path"
import * as Effect from "effect/Effect"
import { headText } from "../domain/HeadText.ts"

/** What of `AGENTS.md` is read, in bytes (runtime, Prompt). */
const agentsBytes = 16 * 1024

/** What is there instead of a directory, if that is not what is there. */
export const insteadOf = (path: string): Effect.Effect<"nothing" | "a file" | undefined> =>
  Effect.map(statOf(path), (found) => (found === undefined ? "nothing" : found.isDirectory() ? undefined : "a file"))

/** The head of the working directory's `AGENTS.md`, where there is such a file: from a pipe nothing might ever come. */
export const readAgents = (workingDir: string): Effect.Effect<string | undefined> => {
  const path = resolve(workingDir, "AGENTS.md")
  return Effect.flatMap(statOf(path), (found) =>
    found?.isFile() === true ? Effect.promise(() => readHead(path).catch(() => undefined)) : Effect.undefined
  )
}

/** `node:fs/promises` takes 3 ms to load: the start of a session does without, where it has nothing to read. */
const statOf = (path: string) =>
  Effect.callback<fs.Stats | undefined>((resume) =>
    fs.stat(path, (error, found) => resume(Effect.succeed(error === null ? found : undefined)))
  )

const readHead = async (path: string): Promise<string> => {
  await using file = await open(path, "r")
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(agentsBytes) })
  return headText(buffer.subarray(0, bytesRead), agentsBytes)
}
