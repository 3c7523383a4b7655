import { constants } from "node:fs"
import { access, realpath, stat } from "node:fs/promises"
import * as NodePath from "node:path"
import { isWithin } from "../../files/PathScope.ts"
import { resolveTrail } from "../../files/RealPath.ts"

/** Folders of the usual programs, behind those of the PATH. */
const usual = ["/usr/local/bin", "/usr/bin", "/bin"]

/** The folders of the PATH that programs may be run from where nobody is asked, and those that they may not. */
export interface ProgramFolders {
  /** Real paths, in order. */
  readonly trusted: ReadonlyArray<string>
  readonly untrusted: ReadonlyArray<string>
  /** Folders that the agent may write to. */
  readonly writable: ReadonlyArray<string>
}

/** Sorts the folders of a PATH. A folder is not trusted if it, or a link on the way to it, lies in a `writable` folder. */
export const programFolders = async (path: string, writable: ReadonlyArray<string>): Promise<ProgramFolders> => {
  const all = [...path.split(NodePath.delimiter), ...usual]
  const given = all.filter((folder, index) => NodePath.isAbsolute(folder) && all.indexOf(folder) === index)
  const real = await Promise.all(given.map((folder) => trustedPath(folder, writable)))
  const trusted = real.filter((folder) => folder !== undefined)
  return {
    trusted: trusted.filter((folder, index) => trusted.indexOf(folder) === index),
    untrusted: given.filter((_, index) => real[index] === undefined),
    writable
  }
}

/**
 * The absolute path of a program. Its last name is kept where it is a link, since programs go by it. `missing` if no folder
 * has it; `untrusted` if it is only where the agent may write.
 */
export const findProgram = async (
  name: string,
  { trusted, untrusted, writable }: ProgramFolders
): Promise<{ readonly path: string } | "missing" | "untrusted"> => {
  let isSomewhere = false
  for (const folder of trusted) {
    const path = NodePath.join(folder, name)
    if (!(await isProgram(path))) continue
    if ((await trustedPath(path, writable)) !== undefined) return { path }
    isSomewhere = true
  }
  if (isSomewhere) return "untrusted"
  const elsewhere = await Promise.all(untrusted.map((folder) => isProgram(NodePath.join(folder, name))))
  return elsewhere.includes(true) ? "untrusted" : "missing"
}

/** The real path of a path; undefined if it or a link on the way lies in a `writable` folder. */
const trustedPath = async (path: string, writable: ReadonlyArray<string>): Promise<string | undefined> => {
  const plain = NodePath.resolve(path)
  const real = await realpath(plain).catch(() => undefined)
  if (real === undefined) return undefined
  const places = real === plain ? [real] : ((await resolveTrail(plain)) ?? writable)
  return places.some((place) => writable.some((folder) => isWithin(folder, place))) ? undefined : real
}

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}
