import { constants } from "node:fs"
import { access, lstat, readFile } from "node:fs/promises"
import * as NodePath from "node:path"

const maxConfigBytes = 256 * 1024

/**
 * Whether the repository that git would find from here is configured so that listing runs nothing but git. A
 * configuration can name programs (`core.fsmonitor`, filters, pagers), and to write it is to write in the workspace.
 */
export const gitRunsNothing = async (cwd: string): Promise<boolean> => {
  const folders = await gitFolders(cwd)
  if (folders === "unclear") return false
  for (const folder of folders) {
    for (const name of ["config", "config.worktree"]) {
      const config = await textOf(NodePath.join(folder, name))
      if (config === "unclear" || !isPlainConfig(config)) return false
    }
    if (await isExecutable(NodePath.join(folder, "hooks", "post-index-change"))) return false
  }
  return true
}

/** The folders that hold the repository's configuration; none where there is no repository. */
const gitFolders = async (cwd: string): Promise<ReadonlyArray<string> | "unclear"> => {
  for (let directory = cwd; ; directory = NodePath.dirname(directory)) {
    const git = NodePath.join(directory, ".git")
    const found = await lstat(git).catch(() => undefined)
    if (found?.isDirectory() === true) return withCommon(git)
    if (found?.isFile() === true) {
      const link = /^gitdir: (.+)/.exec(await textOf(git))?.[1]?.trim()
      return link === undefined ? "unclear" : withCommon(NodePath.resolve(directory, link))
    }
    // A directory can itself be a repository, to git: one that looks so is not taken for more than it is.
    if (found !== undefined || (await access(NodePath.join(directory, "HEAD")).then(yes, no))) return "unclear"
    if (NodePath.dirname(directory) === directory) return []
  }
}

const withCommon = async (folder: string): Promise<ReadonlyArray<string> | "unclear"> => {
  const common = (await textOf(NodePath.join(folder, "commondir"))).trim()
  if (common === "unclear") return "unclear"
  return common === "" ? [folder] : [folder, NodePath.resolve(folder, common)]
}

/** Sections that only say where things are and how they look. */
const plainSections = new Set(
  "core remote branch user author committer color pull push fetch submodule status init advice rebase lfs".split(" ")
)

/** What may stand in `[core]`. */
const plainCore = new Set(
  `repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf
  quotepath compression untrackedcache preloadindex protecthfs protectntfs longpaths abbrev`.split(/\s+/)
)

/** Whether all that a configuration sets is known to be harmless. */
export const isPlainConfig = (config: string): boolean => {
  let section = ""
  // A value that goes on in the next line could hide a section.
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

/** Empty where there is no such file. */
const textOf = async (path: string): Promise<string> => {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return ""
  return found.isFile() && found.size <= maxConfigBytes ? readFile(path, "utf8").catch(() => "unclear") : "unclear"
}

const isExecutable = (path: string): Promise<boolean> => access(path, constants.X_OK).then(yes, no)
const yes = () => true
const no = () => false
