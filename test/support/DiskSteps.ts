import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"

const functions = ["access", "lstat", "mkdir", "open", "readlink", "realpath", "rename", "stat", "unlink"] as const
const methods = ["chmod", "chown", "close", "readFile", "stat", "sync", "writeFile"] as const

type Any = (...args: Array<any>) => any

/**
 * Calls `before` right before each asynchronous operation on the file system that `work` begins, with the operation's
 * name, so that a test can change the disk between any two of them. What `before` does itself must be synchronous: such
 * calls are not counted. Work of others in this process that is under way at the same time is.
 */
export const withSteps = async <A>(before: (step: string) => void, work: () => Promise<A>): Promise<A> => {
  const probe = await fs.open(import.meta.filename)
  const prototype = Object.getPrototypeOf(probe)
  await probe.close()

  const restores: Array<() => void> = []
  const interpose = (target: Record<string, Any>, name: string) => {
    const real = target[name]!
    restores.push(() => void (target[name] = real))
    target[name] = function (this: unknown, ...args: Array<unknown>) {
      before(name)
      return real.apply(this, args)
    }
  }
  for (const name of functions) interpose(fs as unknown as Record<string, Any>, name)
  for (const name of methods) interpose(prototype, name)
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    for (const restore of restores) restore()
    syncBuiltinESMExports()
  }
}
