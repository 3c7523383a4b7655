import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { isMissing } from "../../../files/FileErrors.ts"

/** No file of a repository that we read is larger, unless somebody means to confuse us. */
const maxBytes = 256 * 1024

/** The text of a regular file of a repository, empty if there is none. Undefined for anything else, and if it is too large. */
export const textOf = async (path: string, encoding: "utf8" | "latin1" = "utf8"): Promise<string | undefined> => {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stats = await file.stat()
      return stats.isFile() && stats.size <= maxBytes ? await file.readFile(encoding) : undefined
    } finally {
      await file.close()
    }
  } catch (error) {
    return isMissing(error) ? "" : undefined
  }
}
