import * as NodePath from "node:path"

/**
 * Where a path lies (contract 7): the first that applies of trust surface, working directory and home. Folders are
 * trust surface only for a write.
 */
export type Scope = "trust" | "inside" | "home" | "outside"

/** The places that scopes are defined by, all of them real paths. */
export interface Places {
  readonly platform: NodeJS.Platform
  readonly workingDir: string
  readonly home: string | undefined
  /** Files that decide what the agent is allowed to do: its `config.json`, its `.env`. */
  readonly trustFiles: ReadonlyArray<string>
  /** Folders that decide what the agent does: skills, the sidecar's code cache. */
  readonly trustFolders: ReadonlyArray<string>
  /** Further folders that may be read without a question. A link in the project does not add to them. */
  readonly readable: ReadonlyArray<string>
}

/** The scope of a write to a real path. A path that may be the trust surface but for its case counts as such. */
export const writeScope = (real: string, places: Places): Scope => {
  const { home, platform, trustFolders, trustFiles, workingDir } = places
  const folded = fold(real, platform)
  if (trustFiles.some((file) => fold(file, platform) === folded)) return "trust"
  if (trustFolders.some((folder) => isWithin(fold(folder, platform), folded, platform))) return "trust"
  return plainScope(real, workingDir, home, platform)
}

/** The scope of a read of a real path. The working directory and the `readable` folders themselves are `inside` too. */
export const readScope = (real: string, { home, platform, readable, trustFiles, workingDir }: Places): Scope => {
  if (trustFiles.some((file) => fold(file, platform) === fold(real, platform))) return "trust"
  if (!isPlain(real, platform) || isProcess(real, platform)) return "outside"
  const path = canonical(real, platform)
  const allowed = [workingDir, ...readable].some((folder) => isWithin(canonical(folder, platform), path, platform))
  return allowed ? "inside" : plainScope(real, workingDir, home, platform)
}

const plainScope = (real: string, workingDir: string, home: string | undefined, platform: NodeJS.Platform): Scope => {
  if (!isPlain(real, platform)) return "outside"
  const path = canonical(real, platform)
  const within = (folder: string) => {
    const top = canonical(folder, platform)
    return top !== path && isWithin(top, path, platform)
  }
  if (within(workingDir)) return "inside"
  return home !== undefined && within(home) ? "home" : "outside"
}

/** True for what Linux shows of processes, their environments too: it is inside no working directory. */
export const isProcess = (real: string, platform: NodeJS.Platform): boolean =>
  platform === "linux" && isWithin("/proc", real, platform)

const flavour = (platform: NodeJS.Platform) => (platform === "win32" ? NodePath.win32 : NodePath.posix)

/** True if the real path `path` is the real path `folder` or lies in it. */
export const isWithin = (folder: string, path: string, platform: NodeJS.Platform = process.platform): boolean => {
  const { sep } = flavour(platform)
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Equal for two names of one file. Windows ignores their case; elsewhere a real path has the case on the disk. */
const canonical = (path: string, platform: NodeJS.Platform): string =>
  platform === "win32" ? withoutPrefix(NodePath.win32.normalize(path)).toLowerCase() : path

/** Equal for paths that may be one file: any platform can mount a file system that ignores case. */
export const fold = (path: string, platform: NodeJS.Platform): string => {
  const folded = canonical(path, platform).normalize("NFC").toLowerCase()
  if (platform !== "win32") return folded
  // Windows drops dots and spaces at the end of a name, and what follows a colon is a stream of the same file.
  return folded
    .split("\\")
    .map((name, index) => (index === 0 ? name : name.replace(/:.*$/, "").replace(/[. ]+$/, "")))
    .join("\\")
}

/** `\\?\C:\x` is `C:\x`, `\\?\UNC\server\share` is `\\server\share`. */
const withoutPrefix = (path: string): string =>
  path.replace(/^\\\\[?.]\\UNC\\/i, "\\\\").replace(/^\\\\[?.]\\(?=[a-z]:)/i, "")

/** False for names with another meaning on Windows: a device, a stream, dots or blanks at the end. */
const isPlain = (path: string, platform: NodeJS.Platform): boolean => {
  if (platform !== "win32") return true
  const { root } = NodePath.win32.parse(NodePath.win32.normalize(withoutPrefix(path)))
  if (!/^[a-z]:\\$/i.test(root) && !/^\\\\[^\\?.][^\\]*\\[^\\]+\\$/.test(root)) return false
  return NodePath.win32
    .normalize(withoutPrefix(path))
    .slice(root.length)
    .split("\\")
    .every((name) => !/:|[. ]$/.test(name) && !/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(name))
}
