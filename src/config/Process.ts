import * as fs from "node:fs"
import * as path from "node:path"
import * as Result from "effect/Result"
import type { Settings } from "./Settings.ts"
import { ConfigInvalid } from "./ConfigInvalid.ts"
import { makeFolders } from "./Folders.ts"
import { type Place, resolve, type Sources, stateDir, stateDirVariable } from "./Resolve.ts"
import { set } from "./Variables.ts"

/** The settings of this process. Makes its state directory (mode 0700) and reads `.env` and `config.json` in it. */
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

/** This process without any setting. */
export const bare = (): Sources => ({
  environment: {},
  cwd: workingDirectory(),
  home: homeDirectory() ?? workingDirectory()
})

/** The root directory if the working directory has been deleted. */
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

/** Only a file in the way is an invalid setting; other failures are reported by the code that writes there. */
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

/** The largest configuration file, in bytes. */
const largest = 1024 * 1024

/** The text of a file; undefined if it does not exist. */
const read = (file: string): Result.Result<string | undefined, ConfigInvalid> => {
  const invalid = (expected: string, actual: string) =>
    Result.fail(new ConfigInvalid({ source: file, expected, actual }))
  try {
    const stats = fs.statSync(file)
    if (!stats.isFile()) return invalid("a file", "something else")
    if (stats.size > largest) return invalid(`at most ${largest} bytes`, String(stats.size))
    return Result.succeed(new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(file)))
  } catch (cause) {
    const code = codeOf(cause)
    if (code === "ENOENT" || code === "ENOTDIR") return Result.succeed(undefined)
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return invalid("UTF-8", "other bytes")
    return invalid("a file that can be read", code)
  }
}

const codeOf = (cause: unknown): string => String(Reflect.get(Object(cause), "code"))
