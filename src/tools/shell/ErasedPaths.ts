import { isProtected, type ShellPlace, wholeDirectories } from "../../shell/ProtectedPaths.ts"
import { namesFor } from "../../files/GlobExpansion.ts"
import { resolveName, resolveReal } from "../../files/RealPath.ts"

/**
 * Whether one of the paths that a command erases leads, by links on the disk, to what must not be erased (contract 7). A
 * link itself may go; what it leads to goes where its name ends with a slash, or where all that is in it is meant.
 */
export const leadsToProtected = async (erases: ReadonlyArray<string>, place: ShellPlace): Promise<boolean> => {
  const home = place.home === undefined ? undefined : ((await resolveReal(place.home)) ?? place.home)
  const isThere = async (pattern: string, resolve: (path: string) => Promise<string | undefined>) => {
    // From the root on; what is too much to look at is not known.
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
