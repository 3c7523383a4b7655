import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Damage } from "./Plan.ts"

const pageBytes = 4096

/** Does it to a database that nobody has open; whether there was one. */
export const damage = (filename: string, how: Damage): boolean => {
  if (!Fs.existsSync(filename)) return false
  const { size } = Fs.statSync(filename)
  const log = `${filename}-wal`
  switch (how) {
    case "header":
      overwrite(filename, 0)
      break
    case "page":
      overwrite(filename, pageBytes * Math.floor(size / pageBytes / 2))
      break
    case "half":
      Fs.truncateSync(filename, Math.floor(size / 2))
      break
    case "garbage":
      Fs.writeFileSync(filename, "This is no database.\n".repeat(500))
      break
    case "empty":
      Fs.truncateSync(filename, 0)
      break
    case "no log":
      Fs.rmSync(log, { force: true })
      break
    case "half a log":
      if (Fs.existsSync(log)) Fs.truncateSync(log, Math.floor(Fs.statSync(log).size / 2))
      break
    case "bad index":
      Fs.writeFileSync(`${filename}-shm`, new Uint8Array(32_768).fill(0xa5))
      break
    case "gone":
      Fs.rmSync(Path.dirname(filename), { recursive: true, force: true })
      break
  }
  return true
}

/** The beginning of a page: no kind of page goes on without it. */
export const overwrite = (filename: string, at: number): void => {
  const file = Fs.openSync(filename, "r+")
  try {
    Fs.writeSync(file, new Uint8Array(100).fill(0xa5), 0, 100, at)
  } finally {
    Fs.closeSync(file)
  }
}
