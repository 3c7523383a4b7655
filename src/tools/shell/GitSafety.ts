import { constants } from "node:fs"
import { access, lstat, readdir, readFile } from "node:fs/promises"
import * as NodePath from "node:path"
import { resolveReal } from "../../files/RealPath.ts"
import { isWithin } from "../../files/PathScope.ts"

const maxConfigBytes = 256 * 1024

/**
 * True if git may read the repository of `cwd` without asking. Its configuration, which the agent may be able to write, must
 * name no program (`core.fsmonitor`, filters, pagers); and the repository with all that it shows must lie in the working
 * directory: linked folders and objects of other repositories are outside.
 */
export const gitIsSafe = async (cwd: string, workingDir: string): Promise<boolean> => {
  const repository = await findRepository(cwd)
  if (repository === "none") return true
  if (repository === "unclear" || !isWithin(workingDir, repository.top)) return false
  const isWhole =
    repository.folders.every((folder) => isWithin(workingDir, folder)) || (await isLinkedWorktree(repository))
  // Git reads submodules with their own configuration.
  const hasSubmodules = (await lstat(NodePath.join(repository.top, ".gitmodules")).catch(() => undefined)) !== undefined
  if (!isWhole || hasSubmodules) return false
  for (const folder of repository.folders) {
    for (const name of ["config", "config.worktree"]) {
      const config = await textOf(NodePath.join(folder, name))
      if (config === "unclear" || !isPlainConfig(config)) return false
    }
    if (await isExecutable(NodePath.join(folder, "hooks", "post-index-change"))) return false
    if (await leadsElsewhere(folder)) return false
  }
  return true
}

interface Repository {
  /** The folder that contains `.git`. */
  readonly top: string
  /** The real paths of the folders of the repository. */
  readonly folders: ReadonlyArray<string>
}

const findRepository = async (cwd: string): Promise<Repository | "none" | "unclear"> => {
  for (let top = cwd; ; top = NodePath.dirname(top)) {
    const git = NodePath.join(top, ".git")
    const stats = await lstat(git).catch(() => undefined)
    if (stats?.isDirectory() === true) return repositoryAt(top, git)
    if (stats?.isFile() === true) {
      const link = /^gitdir: (.+)/.exec(await textOf(git))?.[1]?.trim()
      return link === undefined ? "unclear" : repositoryAt(top, NodePath.resolve(top, link))
    }
    // Git takes a directory with a `HEAD` for a bare repository.
    if (stats !== undefined || (await access(NodePath.join(top, "HEAD")).then(yes, no))) return "unclear"
    if (NodePath.dirname(top) === top) return "none"
  }
}

const repositoryAt = async (top: string, folder: string): Promise<Repository | "unclear"> => {
  const common = (await textOf(NodePath.join(folder, "commondir"))).trim()
  const folders = [folder, ...(common === "" ? [] : [NodePath.resolve(folder, common)])]
  const real = await Promise.all(folders.map(resolveReal))
  return common === "unclear" || real.includes(undefined)
    ? "unclear"
    : { top, folders: real.filter((path) => path !== undefined) }
}

/** True if the repository lists this worktree. The `.git` file of a worktree alone could name any repository. */
const isLinkedWorktree = async ({ folders, top }: Repository): Promise<boolean> => {
  const [folder = "", common] = folders
  if (common === undefined || NodePath.dirname(folder) !== NodePath.join(common, "worktrees")) return false
  const back = (await textOf(NodePath.join(folder, "gitdir"))).trim()
  return back !== "" && (await resolveReal(NodePath.resolve(folder, back))) === NodePath.join(top, ".git")
}

/** Folders of a repository whose content git shows. */
const contents = ["HEAD", "index", "packed-refs", "refs", "logs", "objects"]

/** True if a part of a repository is a link, or uses objects of another repository. */
const leadsElsewhere = async (folder: string): Promise<boolean> => {
  if (await access(NodePath.join(folder, "objects/info/alternates")).then(yes, no)) return true
  for (const name of contents) {
    const path = NodePath.join(folder, name)
    if ((await lstat(path).catch(() => undefined))?.isSymbolicLink() === true) return true
  }
  for (const name of ["objects", "objects/pack"]) {
    const entries = await readdir(NodePath.join(folder, name), { withFileTypes: true }).catch(() => [])
    if (entries.some((entry) => entry.isSymbolicLink())) return true
  }
  return false
}

/** Sections that cannot name a program. */
const plainSections = new Set(
  "core remote branch user author committer color pull push fetch status init advice rebase lfs".split(" ")
)

/** The allowed keys of `[core]`. */
const plainCore = new Set(
  `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf
  quotepath compression untrackedcache preloadindex protecthfs protectntfs longpaths abbrev`.split(/\s+/)
)

/** True if every setting of a configuration is known to be harmless. */
export const isPlainConfig = (config: string): boolean => {
  let section = ""
  // A continued line could hide a section.
  if (config.includes("\\\n") || config.includes("\\\r")) return false
  for (const raw of config.split(/\r?\n/)) {
    let line = raw.trim()
    const header = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/.exec(line)
    if (header !== null) {
      section = (header[1] ?? "").toLowerCase()
      line = line.slice(header[0].length).trim()
      if (!plainSections.has(section)) return false
    }
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue
    const key = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=|$|[#;])/.exec(line)?.[1]?.toLowerCase()
    if (key === undefined || section === "") return false
    if (section === "core" ? !plainCore.has(key) : /command|program|helper|cmd|editor|pager|path$/.test(key))
      return false
  }
  return true
}

/** The text of a file; empty if there is none. */
const textOf = async (path: string): Promise<string> => {
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return ""
  return stats.isFile() && stats.size <= maxConfigBytes ? readFile(path, "utf8").catch(() => "unclear") : "unclear"
}

const isExecutable = (path: string): Promise<boolean> => access(path, constants.X_OK).then(yes, no)
const yes = () => true
const no = () => false
