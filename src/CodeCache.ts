import type { Stats } from "node:fs"
import type { Script } from "node:vm"
import { asAtTheStart } from "./TierUp.ts"

export interface Program {
  /** A function that nobody has called, in ASCII. */
  readonly source: string
  /** What tells this program from any other. */
  readonly hash: string
  /** Where it stands, for the stacks of its errors. */
  readonly filename: string
  readonly lineOffset: number
}

/** How long after compiling the caches are written, in milliseconds, if the process does not end before. */
const cacheAfterMs = 5000

/** How long a cache is kept that nobody has made anew, in milliseconds: releases come and go. */
const keepMs = 30 * 24 * 3600 * 1000

/** Ten times what a cache has, in bytes. */
const maxCacheBytes = 16 * 2 ** 20

/** Compiled from a code cache that came with it. */
export const compile = ({ filename, lineOffset, source }: Program, cachedData?: Buffer): Script => {
  const vm = process.getBuiltinModule("node:vm")
  return new vm.Script(source, { filename, lineOffset, ...(cachedData && { cachedData }) })
}

/**
 * Compiled from the code cache that is kept from the last time in the user's cache folder. Without a cache, or with one
 * that does not fit, it is compiled as usual and a cache is left behind.
 */
export const compileCached = (program: Program): Script => {
  const path = cachePath(program.hash)
  const cachedData = path === undefined ? undefined : readCache(path)
  const script = compile(program, cachedData)
  if (path !== undefined) {
    compiled.set(path, script)
    if (cachedData === undefined || script.cachedDataRejected === true) saveLater()
  }
  return script
}

/**
 * What this process has compiled. A cache holds the functions that have run by then: where one is made anew, all of them
 * are, since what needs the one script runs more of the others too.
 */
const compiled = new Map<string, Script>()

/** The user's own cache folder: a cache is code, so nobody else may be able to write it. */
const cachePath = (hash: string): string | undefined => {
  const path = process.getBuiltinModule("node:path")
  const { HOME, LOCALAPPDATA, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  if (NODE_DISABLE_COMPILE_CACHE) return undefined
  const base = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME || (HOME && path.join(HOME, ".cache"))
  if (!base || !path.isAbsolute(base)) return undefined
  return path.join(base, "atomic-agent-sidecar", `${hash}-${process.version}-${process.arch}.cache`)
}

const readCache = (path: string): Buffer | undefined => {
  const fs = process.getBuiltinModule("node:fs")
  try {
    return isCache(fs.statSync(path)) ? fs.readFileSync(path) : undefined
  } catch {
    return undefined
  }
}

/** A file that only we can have written, of a size that it may have: a pipe would be waited for, a device has no end. */
const isCache = (found: Stats): boolean =>
  found.isFile() &&
  found.size <= maxCacheBytes &&
  (process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0))

let saving = false

/** After a while, in case the process is killed, and at its end, when more of it has run. */
const saveLater = (): void => {
  if (saving) return
  saving = true
  setTimeout(save, cacheAfterMs).unref()
  process.on("exit", save)
}

const save = (): void => {
  const fs = process.getBuiltinModule("node:fs")
  const path = process.getBuiltinModule("node:path")
  try {
    for (const [cache, script] of compiled) {
      const folder = path.dirname(cache)
      const temporary = `${cache}.${process.pid}`
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      fs.writeFileSync(
        temporary,
        asAtTheStart(() => script.createCachedData()),
        { mode: 0o600 }
      )
      fs.renameSync(temporary, cache)
      for (const name of fs.readdirSync(folder)) {
        const other = path.join(folder, name)
        if (fs.statSync(other).mtimeMs < Date.now() - keepMs) fs.rmSync(other)
      }
    }
  } catch {
    // A full or read-only disk: the next start is as slow as this one.
  }
}
