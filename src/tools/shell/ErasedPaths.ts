import { isProtected, type ShellPlace, wholeDirectories } from "../../shell/ProtectedPaths.ts"
import { namesFor } from "../../files/GlobExpansion.ts"
import { resolveName, resolveReal } from "../../files/RealPath.ts"

/**
 * True if a path that a command deletes leads, by links on the disk, to a protected path (contract 7). A link itself may be
 * deleted; its target is deleted if the name ends with a slash, or if all of its content is named.
 */
export const leadsToProtected = async (erases: ReadonlyArray<string>, place: ShellPlace): Promise<boolean> => {
  const home = place.home === undefined ? undefined : ((await resolveReal(place.home)) ?? place.home)
  const isThere = async (pattern: string, resolve: (path: string) => Promise<string | undefined>) => {
    // From the root on. Patterns with too many matches are not followed.
    for (const name of (await namesFor(pattern, "/")) ?? []) {
      const real = await resolve(name.startsWith("/") ? name : `/${name}`)
      if (real !== undefined && isProtected(real, { ...place, home })) return true
    }
    return false
  }
  for (const path of erases) {
    if (await isThere(path.replace(/(?<=.)\/$/, ""), resolveName)) return true
    for (const directory of wholeDirectories(path)) if (await isThere(directory, resolveReal)) return true
  }
  return false
}
