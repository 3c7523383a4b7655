/**
 * V8's code cache of the program, kept in the user's cache folder: compiling from it takes a quarter of the time. With
 * Node's own `module.enableCompileCache` the first turn took 29 ms longer.
 */
import type { Stats } from "node:fs"
import type { Script } from "node:vm"
import { cacheBase, cacheFolderName } from "../process/CacheFolder.ts"

export interface Program {
  /** A script in ASCII. Its first line is a comment that holds nothing but its hash, `// HASH`. */
  readonly source: string
  /** Shown in the stacks of its errors. */
  readonly filename: string
}

/** How often a process without a cache checks whether it can write one, in milliseconds. */
const saveEveryMs = 5000

/** How long a cache is kept after it was written, in milliseconds: releases come and go. */
const keepMs = 30 * 24 * 3600 * 1000

/** How long a temporary file is kept, whose writer may have been killed, in milliseconds. */
const keepTemporaryMs = 3600 * 1000

/** Ten times the size of a cache file, in bytes. */
const maxFileBytes = 16 * 2 ** 20

const sessionsMark = "atomic-agent-sidecar: sessions loaded"

/**
 * Called by the program once it has loaded what sessions need. A code cache contains only functions that have run, so a
 * process that has only answered pings writes none. The program is another script than this one; they share the
 * timeline of the process.
 */
export const markSessionsLoaded = (): void => {
  performance.mark(sessionsMark)
}

/** Compiles a program, from this code cache if V8 accepts it (see `cachedDataRejected`). */
export const compile = ({ filename, source }: Program, cachedData?: Buffer): Script => {
  const vm = process.getBuiltinModule("node:vm")
  return new vm.Script(source, { filename, ...(cachedData && { cachedData }) })
}

/**
 * Compiles a program from the code cache in the user's cache folder. If there is none that fits, compiles it from
 * source and writes one when a session has run, at the end of the process or some seconds after its start.
 */
export const compileCached = (program: Program): Script => {
  const base = process.env["NODE_DISABLE_COMPILE_CACHE"] ? undefined : cacheBase()
  if (base === undefined) return compile(program)
  const hash = program.source.slice("// ".length, program.source.indexOf("\n"))
  const name = `${hash}-${process.version}-${process.arch}.cache`
  const folder = ownFolder(base)
  const cachedData = folder === undefined ? undefined : readCache(path().join(folder, name))
  const script = compile(program, cachedData)
  if (cachedData === undefined || script.cachedDataRejected === true) saveLater(script, base, name)
  return script
}

/**
 * The real path of the cache folder. A cache is code: undefined if another user could put something into the folder or
 * in the place of a folder above it. In a folder like `/tmp`, users can replace only what is theirs.
 */
const ownFolder = (base: string): string | undefined => {
  try {
    const folder = path().join(fs().realpathSync.native(base), cacheFolderName)
    for (let each = folder, above = ""; each !== above; above = each, each = path().dirname(each)) {
      const stats = fs().lstatSync(each)
      const isSticky = each !== folder && (stats.mode & 0o1000) !== 0
      if (!stats.isDirectory() || !isOwn({ uid: stats.uid, mode: isSticky ? 0 : stats.mode })) return undefined
    }
    return folder
  } catch {
    return undefined
  }
}

/**
 * The cache in a file; undefined if it is missing, damaged or not this user's. V8 crashes on a damaged one, so a file
 * holds its cache twice: comparing takes 0.1 ms, where loading `node:zlib` for a checksum takes 2 ms.
 */
export const readCache = (file: string): Buffer | undefined => {
  try {
    // Windows has neither flag. Without a wait, since the name may be that of a pipe.
    const { O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY } = fs().constants
    const opened = fs().openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      const stats = fs().fstatSync(opened)
      if (!stats.isFile() || stats.size > maxFileBytes || !isOwn(stats)) return undefined
      const bytes = fs().readFileSync(opened)
      const cache = bytes.subarray(0, bytes.length / 2)
      return cache.equals(bytes.subarray(cache.length)) ? cache : undefined
    } finally {
      fs().closeSync(opened)
    }
  } catch {
    return undefined
  }
}

const writeCache = (file: string, cache: Buffer): void => {
  const temporary = `${file}.${process.pid}`
  try {
    fs().writeFileSync(temporary, Buffer.concat([cache, cache]), { flag: "wx", mode: 0o600 })
    fs().renameSync(temporary, file)
  } catch {
    // A full disk: the next start is as slow as this one.
    fs().rmSync(temporary, { force: true })
  }
}

/** True if only this user and root can write what has this owner and mode. Windows has neither. */
const isOwn = ({ mode, uid }: Pick<Stats, "mode" | "uid">): boolean =>
  process.getuid === undefined || ((uid === 0 || uid === process.getuid()) && (mode & 0o022) === 0)

/** Writes the cache after a while, in case the process is killed, and at its end, when more of the program has run. */
const saveLater = (script: Script, base: string, name: string): void => {
  const save = (): void => {
    if (performance.getEntriesByName(sessionsMark).length === 0) return
    clearInterval(timer)
    makeFolder(base)
    makeFolder(path().join(base, cacheFolderName))
    const folder = ownFolder(base)
    if (folder === undefined) return
    try {
      writeCache(path().join(folder, name), script.createCachedData())
      removeOld(folder)
    } catch {
      // Another process removes the same old files.
    }
  }
  const timer = setInterval(save, saveEveryMs).unref()
  process.on("exit", save)
}

/** Makes a folder but not its parents, so that a missing home directory is not made. */
const makeFolder = (folder: string): void => {
  try {
    fs().mkdirSync(folder, { mode: 0o700 })
  } catch {
    // It exists, or nothing can be written there.
  }
}

/** Removes only files with the names of caches. */
const removeOld = (folder: string): void => {
  for (const name of fs().readdirSync(folder)) {
    const match = /\.cache(\.\d+)?$/.exec(name)
    if (match === null) continue
    const file = path().join(folder, name)
    const keep = match[1] === undefined ? keepMs : keepTemporaryMs
    if (fs().lstatSync(file).mtimeMs < Date.now() - keep) fs().rmSync(file, { force: true })
  }
}

const fs = () => process.getBuiltinModule("node:fs")
const path = () => process.getBuiltinModule("node:path")
