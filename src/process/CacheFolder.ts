/** The user's folder for caches, absolute. */
export const cacheBase = (): string | undefined => {
  const { HOME, LOCALAPPDATA, XDG_CACHE_HOME } = process.env
  const path = process.getBuiltinModule("node:path")
  const base = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME || (HOME && path.join(HOME, ".cache"))
  return base && path.isAbsolute(base) ? base : undefined
}

/** The name of our code cache's folder in it. What lies there is run. */
export const cacheFolderName = "atomic-agent-sidecar"
