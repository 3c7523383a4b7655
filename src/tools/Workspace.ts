import * as NodePath from "node:path"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"
import { isOfProcess } from "../shell/Destructive.ts"
import type { ApprovalCategory } from "../protocol/SessionState.ts"
import { attempt } from "../files/FileErrors.ts"
import { type Places, readScope, type Scope, writeScope } from "../files/PathScope.ts"
import { cacheBase, cacheFolderName } from "../process/CacheFolder.ts"
import { PrivateFiles } from "../files/PrivateFiles.ts"
import { resolveName, resolveReal } from "../files/RealPath.ts"
import type { ActNeed, ReadNeed, ToolContext } from "./Tool.ts"
import { type Refused, refuse } from "../files/Refused.ts"

/** A path from an argument, and its real path. */
export interface Location {
  /** Absolute, with its links. */
  readonly path: string
  /** All links resolved, dangling ones too; `path` if that is not possible. */
  readonly real: string
  readonly scope: Scope
}

/** Resolves the paths of arguments and tells their scope (contract 7). */
export class Workspace extends Context.Service<
  Workspace,
  {
    /** Resolves a path to read; skills folders count as inside. Fails only for a text that cannot be a path. */
    reading(path: string, context: ToolContext): Effect.Effect<Location, Refused>
    /** Resolves a path to write. */
    writing(path: string, context: ToolContext): Effect.Effect<Location, Refused>
    /** The files that are inside no working directory, for a tool that comes to files which no argument names. */
    readonly privateFiles: Effect.Effect<PrivateFiles>
  }
>()("atomic-agent-sidecar/tools/Workspace") {
  static readonly layer = Layer.effect(
    Workspace,
    Effect.gen(function* () {
      const { stateDir } = yield* Config

      const placesOf = async (workingDir: string, { trustFiles }: PrivateFiles): Promise<Places> => {
        const home = homeDirectory()
        const globalSkills = NodePath.join(stateDir, "skills")
        const skills = [globalSkills, NodePath.join(workingDir, ".atomic-agent", "skills")]
        // Any sidecar of this user reads the cache, whether this one does or not.
        const cache = cacheBase()
        const trusted = cache === undefined ? skills : [...skills, NodePath.join(cache, cacheFolderName)]
        const [realWorkingDir, realHome, readable, trustFolders] = await Promise.all([
          resolveReal(workingDir),
          home === undefined ? undefined : resolveReal(home),
          resolveReal(globalSkills),
          // The path with its links counts too: a folder that is a link must not be replaced.
          Promise.all(trusted.flatMap((folder) => [resolveReal(folder), resolveName(folder)]))
        ])
        return {
          platform: process.platform,
          workingDir: realWorkingDir ?? workingDir,
          home: realHome,
          readable: readable === undefined ? [] : [readable],
          trustFolders: trustFolders.filter((folder) => folder !== undefined),
          trustFiles
        }
      }

      const locate = (given: string, { workingDir }: ToolContext, scopeOf: (real: string, places: Places) => Scope) =>
        attempt(async (): Promise<Location> => {
          if (given.includes("\0")) throw refuse("the path contains a NUL character")
          // The file system would replace it by U+FFFD, and that is another file.
          if (!given.isWellFormed()) throw refuse("the path contains half of a character")
          const named = absolute(workingDir, withHome(given))
          const [real, files] = await Promise.all([resolveReal(named), PrivateFiles.of(stateDir)])
          const isProcess = /^\/proc\/\d+(\/task(\/\d+)?)?$/.test(real ?? named)
          if (isProcess || isOfProcess(real ?? named))
            throw refuse("it belongs to a process: the path leads to its pipes or its memory")
          // Behind a link, `..` is not the directory before it in the path.
          const path = real !== undefined && /(^|[/\\])\.\.([/\\]|$)/.test(given) ? real : NodePath.resolve(named)
          if (real === undefined) return { path, real: path, scope: "outside" }
          const [isTrustFile, places] = await Promise.all([files.isTrustFile(real), placesOf(workingDir, files)])
          return { path, real, scope: isTrustFile ? "trust" : scopeOf(real, places) }
        })

      return Workspace.of({
        reading: (path, context) => locate(path, context, readScope),
        writing: (path, context) => locate(path, context, writeScope),
        privateFiles: Effect.promise(() => PrivateFiles.of(stateDir))
      })
    })
  )
}

/** The approval that a read needs; none inside the working directory, where the sidecar's own settings never are. */
export const readNeed = ({ real, scope }: Location, reason: string): { readonly need?: ReadNeed } =>
  scope === "inside"
    ? {}
    : {
        need: {
          categories: ["fs_read_outside"],
          reason: scope === "trust" ? ownSettings : reason,
          affectedResources: [real]
        }
      }

/** The reason for a question about a read of `config.json` or `.env`. */
export const ownSettings = "read the agent's own settings, which may hold a key"

/** The approval that a write needs: `places` are all that it creates, replaces or removes. */
export const writeNeed = (
  [first, ...others]: NonEmptyReadonlyArray<Location>,
  reason: string,
  preview: string
): ActNeed => ({
  categories: [writeCategory[first.scope], ...others.map(({ scope }) => writeCategory[scope])],
  reason,
  preview,
  affectedResources: [first, ...others].map(({ real }) => real)
})

const writeCategory: { readonly [S in Scope]: ApprovalCategory } = {
  trust: "trust_config",
  inside: "fs_write_workspace",
  home: "fs_write_home",
  outside: "other"
}

/** Absolute, and normalized only on Windows, where the system does the same. */
const absolute = (workingDir: string, path: string): string =>
  process.platform === "win32" || NodePath.isAbsolute(path)
    ? NodePath.resolve(workingDir, path)
    : `${workingDir}/${path}`

const withHome = (path: string): string => {
  const home = path === "~" || /^~[/\\]/.test(path) ? homeDirectory() : undefined
  return home === undefined ? path : NodePath.join(home, path.slice(1))
}

/** The home directory; undefined if it is the root. */
export const homeDirectory = (): string | undefined => {
  const home = process.getBuiltinModule("node:os").homedir()
  return home === "" || NodePath.dirname(NodePath.resolve(home)) === NodePath.resolve(home) ? undefined : home
}
