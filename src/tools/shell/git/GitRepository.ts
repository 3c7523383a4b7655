import { lstat } from "node:fs/promises"
import * as NodePath from "node:path"
import { resolveReal } from "../../../files/RealPath.ts"
import { textOf } from "./GitFile.ts"

/** The folders of a repository, all of them real paths. */
export interface Repository {
  /** The top of its work tree: the folder that contains `.git`. */
  readonly top: string
  /** What is this work tree's own: `HEAD`, the index. */
  readonly folder: string
  /** What all work trees share: objects, branches, the configuration. */
  readonly common: string
}

/**
 * The repository that git would use in `cwd`, a real path. Unclear if git might see another one than we do: a `.git` that is
 * none, behind which git would go on upwards, a folder that is a repository itself, a `.git` file or a worktree that is not
 * as git writes it.
 */
export const findRepository = async (cwd: string): Promise<Repository | "none" | "unclear"> => {
  for (let top = cwd; ; top = NodePath.dirname(top)) {
    const git = NodePath.join(top, ".git")
    const kind = await kindOf(git)
    if (kind === "directory") return repositoryAt(top, git)
    if (kind === "file") {
      const line = await textOf(git)
      const path = line?.startsWith("gitdir: ") === true ? pathIn(line.slice("gitdir: ".length)) : undefined
      return path === undefined ? "unclear" : repositoryAt(top, NodePath.resolve(top, path))
    }
    // Git takes a directory with a `HEAD` for a bare repository.
    if (kind !== "none" || (await kindOf(NodePath.join(top, "HEAD"))) !== "none") return "unclear"
    if (NodePath.dirname(top) === top) return "none"
  }
}

const repositoryAt = async (top: string, git: string): Promise<Repository | "unclear"> => {
  const folder = await resolveReal(git)
  if (folder === undefined) return "unclear"
  const common = await commonOf(top, folder)
  if (common === undefined) return "unclear"
  const parts = await Promise.all([
    kindOf(NodePath.join(folder, "HEAD")),
    kindOf(NodePath.join(common, "objects")),
    kindOf(NodePath.join(common, "refs"))
  ])
  return parts.join() === "file,directory,directory" ? { top, folder, common } : "unclear"
}

/** The common folder of a repository's folder: itself, or that of the repository which lists it as a worktree. */
const commonOf = async (top: string, folder: string): Promise<string | undefined> => {
  const text = await textOf(NodePath.join(folder, "commondir"))
  if (text === "") return (await kindOf(NodePath.join(folder, "commondir"))) === "none" ? folder : undefined
  const path = text === undefined ? undefined : pathIn(text)
  const common = path === undefined ? undefined : await resolveReal(NodePath.resolve(folder, path))
  if (common === undefined || NodePath.dirname(folder) !== NodePath.join(common, "worktrees")) return undefined
  // A `.git` file could name the worktree of any repository; only the repository itself can say where it is.
  const back = pathIn((await textOf(NodePath.join(folder, "gitdir"))) ?? "")
  const isOurs =
    back !== undefined && (await resolveReal(NodePath.resolve(folder, back))) === NodePath.join(top, ".git")
  return isOurs ? common : undefined
}

/** The path in a file of git's. Only the ends of lines behind it do not belong to it; blanks do. */
const pathIn = (text: string): string | undefined => {
  const path = text.replace(/[\r\n]+$/, "")
  // oxlint-disable-next-line no-control-regex
  return path === "" || /[\0-\x1f\x7f\ufffd]/.test(path) ? undefined : path
}

const kindOf = (path: string): Promise<"none" | "file" | "directory" | "other"> =>
  lstat(path).then(
    (stats) => (stats.isDirectory() ? "directory" : stats.isFile() ? "file" : "other"),
    (error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? "none" : "other")
  )
