import type { Dirent } from "node:fs"
import { opendir } from "node:fs/promises"

/** The entries of a directory. */
export interface Entries {
  readonly entries: ReadonlyArray<Dirent>
  /** True if there are more than were read. */
  readonly isCut: boolean
}

/** Reads the first `most` entries of a directory, in no order, so that one of a million entries stays cheap. */
export const readEntries = async (path: string, most: number, signal?: AbortSignal): Promise<Entries> => {
  const entries: Array<Dirent> = []
  for await (const entry of await opendir(path, { bufferSize: 512 })) {
    signal?.throwIfAborted()
    if (entries.length >= most) return { entries, isCut: true }
    entries.push(entry)
  }
  return { entries, isCut: false }
}
