import * as fs from "node:fs"
import * as path from "node:path"

/**
 * Makes a folder and its missing parents, with mode 0700, one after another. Node's `recursive` option never ends if
 * `mkdir` reports ENOENT below an existing folder, as procfs does.
 */
export const makeFolders = (directory: string): void => {
  if (fs.existsSync(directory)) {
    // Throws EEXIST if it is a file.
    if (!fs.statSync(directory).isDirectory()) fs.mkdirSync(directory)
    return
  }
  makeFolders(path.dirname(directory))
  try {
    fs.mkdirSync(directory, { mode: 0o700 })
  } catch (cause) {
    // Another sidecar may have made it meanwhile.
    if (!fs.existsSync(directory)) throw cause
  }
}
