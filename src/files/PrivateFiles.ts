import type { Stats } from "node:fs"
import { lstat } from "node:fs/promises"
import * as NodePath from "node:path"
import { fold, isProcess, isWithin } from "./PathScope.ts"
import { resolveReal } from "./RealPath.ts"

/**
 * The files that are inside no working directory (contract 7): the sidecar's `config.json` and `.env`, which decide what the
 * agent is allowed to do and may hold a key, and on Linux those of `/proc`, which hold the environment of processes.
 */
export class PrivateFiles {
  /** The paths of `config.json` and `.env`, both that in the state directory and the one where a link there leads. */
  readonly trustFiles: ReadonlyArray<string>
  readonly #stats: ReadonlyArray<Stats>

  private constructor(trustFiles: ReadonlyArray<string>, stats: ReadonlyArray<Stats>) {
    this.trustFiles = trustFiles
    this.#stats = stats
  }

  /** Looks at the state directory as it is now; files that it does not have have names all the same. */
  static async of(stateDir: string): Promise<PrivateFiles> {
    const directory = (await resolveReal(stateDir)) ?? stateDir
    const found = await Promise.all(
      ["config.json", ".env"].map(async (name) => {
        const path = NodePath.join(directory, name)
        const own = await statsOf(path)
        if (own?.isSymbolicLink() !== true) return [{ path, own }]
        // The link must not be replaced, and where it leads must not be read.
        const real = await resolveReal(path)
        return real === undefined
          ? [{ path, own }]
          : [
              { path, own },
              { path: real, own: await statsOf(real) }
            ]
      })
    )
    const files = found.flat()
    return new PrivateFiles(
      files.map(({ path }) => path),
      files.flatMap(({ own }) => (own === undefined ? [] : [own]))
    )
  }

  /** True if a real path is a name of `config.json` or `.env`: a hard link, another case or another mount of it too. */
  async isTrustFile(real: string): Promise<boolean> {
    return this.#hasName(real) || this.#isOne(await statsOf(real))
  }

  /** True if a real path with these `stats` is one of the files. */
  includes(real: string, stats: Stats | undefined): boolean {
    return isProcess(real, process.platform) || this.#hasName(real) || this.#isOne(stats)
  }

  /**
   * The files that reading everything below a real folder may come to. One with a second name (a hard link) may be
   * anywhere.
   */
  below(folder: string): ReadonlyArray<string> {
    const top = fold(folder, process.platform)
    const isAnywhere = this.#stats.some((stats) => stats.isFile() && stats.nlink > 1)
    const trustFiles = this.trustFiles.filter((file) => isAnywhere || isWithin(top, fold(file, process.platform)))
    return isProcess(folder, process.platform) ? [folder, ...trustFiles] : trustFiles
  }

  #hasName(real: string): boolean {
    const folded = fold(real, process.platform)
    return this.trustFiles.some((file) => fold(file, process.platform) === folded)
  }

  #isOne(stats: Stats | undefined): boolean {
    return this.#stats.some((each) => each.ino !== 0 && each.ino === stats?.ino && each.dev === stats.dev)
  }
}

const statsOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined)
