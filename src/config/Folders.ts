import * as fs from "node:fs"
import * as path from "node:path"

/**
 * Makes a folder and those above it, with mode 0700, one after another: Node's own way to make them all never ends where
 * the system says that there is no such place to make one in, as procfs does.
 */
export const makeFolders = (directory: string): void => {
  if (fs.existsSync(directory)) {
    // Fails as it should where it is a file.
    if (!fs.statSync(directory).isDirectory()) fs.mkdirSync(directory)
    return
  }
  makeFolders(path.dirname(directory))
  try {
    fs.mkdirSync(directory, { mode: 0o700 })
  } catch (cause) {
    // Another sidecar may have been faster.
    if (!fs.existsSync(directory)) throw cause
  }
}
