import { lstat, readlink, realpath } from "node:fs/promises"
import * as NodePath from "node:path"
import { isMissing } from "./FileErrors.ts"

const maxLinks = 40

/**
 * The real path of an absolute path, with every link resolved. The missing end of a path is kept as it is, behind the
 * real path of its deepest existing parent; a broken link stands for its target. Undefined if the file system fails.
 */
export const resolveReal = async (path: string): Promise<string | undefined> => {
  try {
    return await realpath(path.replace(/(?<=.)[/\\]+$/, ""))
  } catch (error) {
    return isMissing(error) ? walk(path, []) : undefined
  }
}

/** The places of all links on the way to an absolute path, and its real path at the end. Undefined if the file system fails. */
export const resolveTrail = async (path: string): Promise<ReadonlyArray<string> | undefined> => {
  const links: Array<string> = []
  const real = await walk(path, links)
  return real === undefined ? undefined : [...links, real]
}

/** The real path of the parent directory, with the last name kept even if it is a link. */
export const resolveName = async (path: string): Promise<string | undefined> => {
  const real = await resolveReal(NodePath.dirname(path))
  return real === undefined ? undefined : NodePath.join(real, NodePath.basename(path))
}

/** Resolves a path name by name, as the system does, but goes on behind a name that does not exist. Notes each link in `trail`. */
const walk = async (path: string, trail: Array<string>): Promise<string | undefined> => {
  let here = NodePath.parse(path).root
  let names = namesOf(path)
  let links = 0
  while (names.length > 0) {
    const [name = "", ...rest] = names
    names = rest
    if (name === "..") {
      here = NodePath.dirname(here)
      continue
    }
    const next = NodePath.join(here, name)
    try {
      const stat = await lstat(next)
      if (stat.isSymbolicLink()) {
        links += 1
        if (links > maxLinks) return undefined
        trail.push(next)
        const target = await readlink(next)
        if (NodePath.isAbsolute(target)) here = NodePath.parse(target).root
        names = [...namesOf(target), ...names]
        continue
      }
      if (!stat.isDirectory() && names.length > 0) return undefined
    } catch (error) {
      if (!isMissing(error)) return undefined
    }
    here = next
  }
  return here
}

const namesOf = (path: string): ReadonlyArray<string> =>
  path
    .slice(NodePath.isAbsolute(path) ? NodePath.parse(path).root.length : 0)
    .split(process.platform === "win32" ? /[/\\]+/ : /\/+/)
    .filter((name) => name !== "" && name !== ".")
