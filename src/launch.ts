/**
 * What `dist/sidecar/main.js` begins with. The program itself stands below it in the same file, in a comment, so that
 * the engine does not parse it: it is compiled from a code cache, kept from the last time, which takes a quarter of
 * the time. Without a cache, or with one that does not fit, it is compiled as usual and a cache is left behind.
 *
 * Every Node must be able to read this file, the too old ones too: plain statements, no imports.
 */

// First of all: a signal that comes before anyone else hears signals ends a process that has done nothing yet, as it
// ends one that has (contract 10). Afterwards whoever hears it too decides.
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit()
  })
}

/** Put in by the build: the oldest Node that will do, and a hash of the program. */
declare const OLDEST_NODE: readonly [major: number, minor: number]
declare const PROGRAM_HASH: string

/** How long after the start the cache is written, in milliseconds, if the process does not end before. */
const cacheAfterMs = 5000

/** How long a cache is kept that nobody has made anew, in milliseconds: releases come and go. */
const keepMs = 30 * 24 * 3600 * 1000

const launch = (): void => {
  const fs = process.getBuiltinModule("node:fs")
  const path = process.getBuiltinModule("node:path")
  const vm = process.getBuiltinModule("node:vm")

  const file = import.meta.filename
  const text = fs.readFileSync(file, "latin1")
  const start = text.indexOf("/*PROGRAM\n") + "/*PROGRAM\n".length
  const lineOffset = text.slice(0, start).split("\n").length - 1
  const source = text.slice(start, text.lastIndexOf("\nPROGRAM*/")).replaceAll("*<>/", "*/")

  /** The user's own cache folder: a cache is code, so nobody else may be able to write it. */
  const cacheFolder = (): string | undefined => {
    const { HOME, LOCALAPPDATA, NODE_DISABLE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
    if (NODE_DISABLE_COMPILE_CACHE) return undefined
    const base = process.platform === "win32" ? LOCALAPPDATA : XDG_CACHE_HOME || (HOME && path.join(HOME, ".cache"))
    return base && path.isAbsolute(base) ? path.join(base, "atomic-agent-sidecar") : undefined
  }

  const folder = cacheFolder()
  const cache = folder && path.join(folder, `${PROGRAM_HASH}-${process.version}-${process.arch}.cache`)

  const readCache = (): Buffer | undefined => {
    try {
      return cache === undefined ? undefined : fs.readFileSync(cache)
    } catch {
      return undefined
    }
  }

  const cachedData = readCache()
  const script = new vm.Script(source, { filename: file, lineOffset, ...(cachedData && { cachedData }) })

  const saveCache = (): void => {
    process.off("exit", saveCache)
    clearTimeout(timer)
    if (folder === undefined || cache === undefined) return
    try {
      const temporary = `${cache}.${process.pid}`
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
      fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600 })
      fs.renameSync(temporary, cache)
      for (const name of fs.readdirSync(folder)) {
        const other = path.join(folder, name)
        if (fs.statSync(other).mtimeMs < Date.now() - keepMs) fs.rmSync(other)
      }
    } catch {
      // A full or read-only disk: the next start is as slow as this one.
    }
  }

  const mustSave = cache !== undefined && (cachedData === undefined || script.cachedDataRejected === true)
  const timer = mustSave ? setTimeout(saveCache, cacheAfterMs).unref() : undefined
  if (mustSave) process.on("exit", saveCache)

  script.runInThisContext()()
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) {
  launch()
} else {
  const wanted = OLDEST_NODE.join(".")
  process.stderr.write(`atomic-agent-sidecar needs Node.js ${wanted} or newer, this is ${process.versions.node}\n`)
  process.exitCode = 78
}
