import { lstat, readlink, realpath } from "node:fs/promises"
import * as NodePath from "node:path"
import { isSystemError } from "../domain/SystemError.ts"

const maxLinks = 40

/**
 * The real path of an absolute one: every link resolved, the deepest existing parent for what is not there yet, and
 * where a link that leads nowhere would lead. Undefined where the file system does not say.
 */
export const resolveReal = async (path: string): Promise<string | undefined> => {
  try {
    return await realpath(path.replace(/(?<=.)[/\\]+$/, ""))
  } catch (error) {
    return isSystemError(error) && error.code === "ENOENT" ? walk(path) : undefined
  }
}

/** The real path of the parent, with the last name as it is. */
export const resolveName = async (path: string): Promise<string | undefined> => {
  const real = await resolveReal(NodePath.dirname(path))
  return real === undefined ? undefined : NodePath.join(real, NodePath.basename(path))
}

/** Name by name, as the system would go, but on where it would stop. */
const walk = async (path: string): Promise<string | undefined> => {
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
      const found = await lstat(next)
      if (found.isSymbolicLink()) {
        links += 1
        if (links > maxLinks) return undefined
        const target = await readlink(next)
        if (NodePath.isAbsolute(target)) here = NodePath.parse(target).root
        names = [...namesOf(target), ...names]
        continue
      }
      if (!found.isDirectory() && names.length > 0) return undefined
    } catch (error) {
      if (!isSystemError(error) || error.code !== "ENOENT") return undefined
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
