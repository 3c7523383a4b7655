import * as fs from "node:fs"
import * as path from "node:path"
import * as Result from "effect/Result"
import type { Settings } from "./Settings.ts"
import { ConfigInvalid } from "./ConfigInvalid.ts"
import { makeFolders } from "./Folders.ts"
import { type Place, resolve, type Sources, stateDir, stateDirVariable } from "./Resolve.ts"
import { set } from "./Variables.ts"

/** What this process is to use; makes its state directory (mode 0700) and reads what lies in it. */
export const settings = (): Result.Result<Settings, ConfigInvalid> =>
  Result.gen(function* () {
    const place: Place = { environment: process.env, cwd: workingDirectory(), home: homeDirectory() }
    const directory = yield* stateDir(place)
    yield* makeDirectory(place, directory)
    const dotEnv = yield* read(path.join(directory, ".env"))
    const configJson = yield* read(path.join(directory, "config.json"))
    return yield* resolve({
      ...place,
      ...(dotEnv !== undefined && { dotEnv }),
      ...(configJson !== undefined && { configJson })
    })
  })

/** This process as if nobody had set anything. */
export const bare = (): Sources => ({
  environment: {},
  cwd: workingDirectory(),
  home: homeDirectory() ?? workingDirectory()
})

/** The root where the working directory was deleted under us. */
const workingDirectory = (): string => {
  try {
    return process.cwd()
  } catch {
    return path.parse(process.execPath).root
  }
}

const homeDirectory = (): string | undefined => {
  const os = process.getBuiltinModule("node:os")
  try {
    // A launcher may leave HOME empty.
    return os.homedir() || os.userInfo().homedir || undefined
  } catch {
    return undefined
  }
}

/** A directory that may not be made is no fault of the settings: whoever writes there says so, and works without if he can. */
const makeDirectory = (place: Place, directory: string): Result.Result<void, ConfigInvalid> => {
  try {
    makeFolders(directory)
    return Result.void
  } catch (cause) {
    if (!["EEXIST", "ENOTDIR"].includes(codeOf(cause))) return Result.void
    const named = set(place.environment[stateDirVariable]) !== undefined
    return Result.fail(
      new ConfigInvalid({
        source: named ? `environment variable ${stateDirVariable}` : "state directory",
        expected: "a directory",
        actual: `${directory}, where a file is in the way`
      })
    )
  }
}

/** Bytes; what is larger was not written as a configuration. */
const largest = 1024 * 1024

/** The text of a file, where there is one. */
const read = (file: string): Result.Result<string | undefined, ConfigInvalid> => {
  const invalid = (expected: string, actual: string) =>
    Result.fail(new ConfigInvalid({ source: file, expected, actual }))
  try {
    const found = fs.statSync(file)
    if (!found.isFile()) return invalid("a file", "something else")
    if (found.size > largest) return invalid(`at most ${largest} bytes`, String(found.size))
    return Result.succeed(new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(file)))
  } catch (cause) {
    const code = codeOf(cause)
    if (code === "ENOENT" || code === "ENOTDIR") return Result.succeed(undefined)
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return invalid("UTF-8", "other bytes")
    return invalid("a file that can be read", code)
  }
}

const codeOf = (cause: unknown): string => String(Reflect.get(Object(cause), "code"))
