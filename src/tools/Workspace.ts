import type { Stats } from "node:fs"
import { lstat } from "node:fs/promises"
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
  }
>()("atomic-agent-sidecar/tools/Workspace") {
  static readonly layer = Layer.effect(
    Workspace,
    Effect.gen(function* () {
      const { stateDir } = yield* Config

      const placesOf = async (workingDir: string): Promise<Places> => {
        const home = homeDirectory()
        const globalSkills = NodePath.join(stateDir, "skills")
        const skills = [globalSkills, NodePath.join(workingDir, ".atomic-agent", "skills")]
        const trusted = [NodePath.join(stateDir, "config.json"), NodePath.join(stateDir, ".env")]
        const [realWorkingDir, realHome, readable, skillFolders, trustFiles] = await Promise.all([
          resolveReal(workingDir),
          home === undefined ? undefined : resolveReal(home),
          resolveReal(globalSkills),
          // The path with its links counts too: a folder that is a link must not be replaced.
          Promise.all(skills.flatMap((folder) => [resolveReal(folder), resolveName(folder)])),
          Promise.all(trusted.flatMap((file) => [resolveReal(file), resolveName(file)]))
        ])
        return {
          platform: process.platform,
          workingDir: realWorkingDir ?? workingDir,
          home: realHome,
          readable: readable === undefined ? [] : [readable],
          skillFolders: skillFolders.filter((folder) => folder !== undefined),
          trustFiles: trustFiles.filter((file) => file !== undefined)
        }
      }

      const locate = (
        given: string,
        { workingDir }: ToolContext,
        scopeOf: (real: string, places: Places) => Scope,
        isTrusted: (real: string, places: Places) => Promise<boolean>
      ) =>
        attempt(async (): Promise<Location> => {
          if (given.includes("\0")) throw refuse("the path contains a NUL character")
          // The file system would replace it by U+FFFD, and that is another file.
          if (!given.isWellFormed()) throw refuse("the path contains half of a character")
          const named = absolute(workingDir, withHome(given))
          const [real, places] = await Promise.all([resolveReal(named), placesOf(workingDir)])
          const isProcess = /^\/proc\/\d+(\/task(\/\d+)?)?$/.test(real ?? named)
          if (isProcess || isOfProcess(real ?? named))
            throw refuse("it belongs to a process: the path leads to its pipes or its memory")
          // Behind a link, `..` is not the directory before it in the path.
          const path = real !== undefined && /(^|[/\\])\.\.([/\\]|$)/.test(given) ? real : NodePath.resolve(named)
          if (real === undefined) return { path, real: path, scope: "outside" }
          const scope = (await isTrusted(real, places)) ? "trust" : scopeOf(real, places)
          return { path, real, scope }
        })

      return Workspace.of({
        reading: (path, context) => locate(path, context, readScope, async () => false),
        writing: (path, context) => locate(path, context, writeScope, isTrustFile)
      })
    })
  )
}

/** The approval that a read needs; none inside the working directory. */
export const readNeed = (location: Location, reason: string): { readonly need?: ReadNeed } =>
  location.scope === "inside"
    ? {}
    : { need: { categories: ["fs_read_outside"], reason, affectedResources: [location.real] } }

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

/** Two names may be one file on a file system that ignores case. */
const isTrustFile = async (real: string, { trustFiles }: Places): Promise<boolean> => {
  const [file, ...trusted] = await Promise.all([real, ...trustFiles].map((path) => lstat(path).catch(() => undefined)))
  return trusted.some((each) => each !== undefined && file !== undefined && isSame(each, file))
}

const isSame = (a: Stats, b: Stats): boolean => a.ino !== 0 && a.ino === b.ino && a.dev === b.dev

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
