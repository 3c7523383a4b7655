import { constants } from "node:fs"
import { mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { attempt, isMissing } from "../../../files/FileErrors.ts"
import type { Refused } from "../../../files/Refused.ts"

/**
 * A copy of a repository's index in a folder that only this user can enter, until the scope closes. `git diff` writes what it
 * learns about files into the index; this one it may write.
 */
export const privateIndex = (
  index: string | undefined
): Effect.Effect<{ readonly GIT_INDEX_FILE?: string }, Refused, Scope.Scope> => {
  if (index === undefined) return Effect.succeed({})
  return Effect.acquireRelease(
    attempt(() => mkdtemp(NodePath.join(tmpdir(), "index-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => undefined))
  ).pipe(
    Effect.flatMap((folder) => {
      const copy = NodePath.join(folder, "index")
      return attempt(() => copyIndex(index, copy)).pipe(Effect.as({ GIT_INDEX_FILE: copy }))
    })
  )
}

/** Nothing if there is none, as in a repository without a commit. */
const copyIndex = async (from: string, to: string): Promise<void> => {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
  if (source === undefined) return
  try {
    const { mtimeMs } = await source.stat()
    const copy = await open(to, "wx", 0o600)
    try {
      await copy.writeFile(await source.readFile())
      // Never later than that of the original: git compares files by content that changed as late as their index.
      const seconds = Math.floor(mtimeMs) / 1000
      await copy.utimes(seconds, seconds)
    } finally {
      await copy.close()
    }
  } finally {
    await source.close()
  }
}
