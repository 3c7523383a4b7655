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

/** How long half a cache is kept, whose writer may have been killed, in milliseconds. */
const keepHalfMs = 3600 * 1000

/** Ten times what the file of a cache has, in bytes. */
const maxFileBytes = 16 * 2 ** 20

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
  const folder = cacheFolder()
  const file = folder && path().join(folder, `${program.hash}-${process.version}-${process.arch}.cache`)
  const cachedData = file ? readCache(file) : undefined
  const script = compile(program, cachedData)
  if (file) {
    compiled.set(file, script)
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
const cacheFolder = (): string | undefined => {
  const { HOME, LOCALAPPDATA, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  if (NODE_DISABLE_COMPILE_CACHE) return undefined
  const base = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME || (HOME && path().join(HOME, ".cache"))
  return base && path().isAbsolute(base) ? path().join(base, "atomic-agent-sidecar") : undefined
}

/**
 * A file holds its cache twice: V8 looks at none of it, and dies of what a disk has damaged. To compare takes a tenth of a
 * millisecond, where loading the first checksum at hand takes three.
 */
export const readCache = (file: string): Buffer | undefined => {
  try {
    if (!isCache(fs().statSync(file))) return undefined
    const bytes = fs().readFileSync(file)
    const cache = bytes.subarray(0, bytes.length / 2)
    return bytes.subarray(cache.length).equals(cache) ? cache : undefined
  } catch {
    return undefined
  }
}

const writeCache = (file: string, cache: Buffer): void => {
  const temporary = `${file}.${process.pid}`
  try {
    fs().writeFileSync(temporary, Buffer.concat([cache, cache]), { mode: 0o600 })
    fs().renameSync(temporary, file)
  } catch {
    // A full disk: the next start is as slow as this one.
    fs().rmSync(temporary, { force: true })
  }
}

/** A file that only we can have written, of a size that it may have: a pipe would be waited for, a device has no end. */
const isCache = (found: Stats): boolean =>
  found.isFile() &&
  found.size <= maxFileBytes &&
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
  const folder = cacheFolder()
  if (folder === undefined) return
  makeFolder(path().dirname(folder))
  makeFolder(folder)
  try {
    for (const [file, script] of compiled) {
      const cache = asAtTheStart(() => script.createCachedData())
      writeCache(file, cache)
    }
    tidy(folder)
  } catch {
    // A file where the folder should be; another process that tidies it at the same time.
  }
}

/** Not those above it: where there is not even a home, none is made. */
const makeFolder = (folder: string): void => {
  try {
    fs().mkdirSync(folder, { mode: 0o700 })
  } catch {
    // It is there already, or nothing can be written into it.
  }
}

/** Only what is named as caches are, in a folder that is none by a link: who could have made that link is not known. */
const tidy = (folder: string): void => {
  if (!fs().lstatSync(folder).isDirectory()) return
  for (const name of fs().readdirSync(folder)) {
    const half = /\.cache(\.\d+)?$/.exec(name)
    if (half === null) continue
    const file = path().join(folder, name)
    const keep = half[1] === undefined ? keepMs : keepHalfMs
    if (fs().lstatSync(file).mtimeMs < Date.now() - keep) fs().rmSync(file, { force: true })
  }
}

const fs = () => process.getBuiltinModule("node:fs")
const path = () => process.getBuiltinModule("node:path")
