import { lstat } from "node:fs/promises"
import * as NodePath from "node:path"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Config } from "../config/Config.ts"
import { isOfProcess } from "../shell/Destructive.ts"
import { shownName } from "../domain/ShownName.ts"
import type { ApprovalCategory } from "../protocol/SessionState.ts"
import { attempt } from "../files/FileErrors.ts"
import { isWithin, type Places, readScope, type Scope, writeScope } from "../files/PathScope.ts"
import { cacheBase, cacheFolderName } from "../process/CacheFolder.ts"
import { PrivateFiles } from "../files/PrivateFiles.ts"
import { givenPath } from "../files/GivenPath.ts"
import { nearPath, readerKinds } from "../files/NearName.ts"
import { resolveName, resolveReal } from "../files/RealPath.ts"
import type { ActNeed, CallPlace, ReadNeed, ToolOutput } from "./Tool.ts"
import { type Refused, refuse } from "../files/Refused.ts"

/** A path from an argument, and its real path. */
export interface Location {
  /** Absolute, with its links. */
  readonly path: string
  /** All links resolved, dangling ones too; `path` if that is not possible. */
  readonly real: string
  readonly scope: Scope
  /** What the model is told if the path is not quite the one that was given. */
  readonly note?: string
}

/** Resolves the paths of arguments and tells their scope (contract 7). */
export class Workspace extends Context.Service<
  Workspace,
  {
    /**
     * Resolves a path to read; skills folders count as inside. Where there is nothing of its name, the only entry that looks
     * the same is taken. Fails only for a text that cannot be a path.
     */
    reading(path: string, context: CallPlace): Effect.Effect<Location, Refused>
    /** Resolves a path to write, as it is given. */
    writing(path: string, context: CallPlace): Effect.Effect<Location, Refused>
    /**
     * True if one of some absolute paths leads to the agent's own files, to a folder of them or around them, or to a place that
     * cannot be told: to configuration, skills and all else in the state directory.
     */
    leadsToOwn(paths: ReadonlyArray<string>, context: CallPlace): Promise<boolean>
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

      const locate = (
        text: string,
        { workingDir }: CallPlace,
        scopeOf: (real: string, places: Places) => Scope,
        forgiven: Parameters<typeof nearPath>[1]
      ) =>
        attempt(async (): Promise<Location> => {
          if (text.includes("\0")) throw refuse("the path contains a NUL character")
          // The file system would replace it by U+FFFD, and that is another file.
          if (!text.isWellFormed()) throw refuse("the path contains half of a character")
          const given = await asGiven(workingDir, text)
          const asked = absolute(workingDir, withHome(given))
          const near = forgiven.length === 0 ? undefined : await nearPath(asked, forgiven)
          const named = near?.path ?? asked
          const note =
            near === undefined
              ? {}
              : {
                  note: `(There is no ${shownName(asked)}. Taken: ${shownName(named)}, which differs by ${near.differsBy}.)`
                }
          const [real, files] = await Promise.all([resolveReal(named), PrivateFiles.of(stateDir)])
          const isProcess = /^\/proc\/\d+(\/task(\/\d+)?)?$/.test(real ?? named)
          if (isProcess || isOfProcess(real ?? named))
            throw refuse("it belongs to a process: the path leads to its pipes or its memory")
          // Behind a link, `..` is not the directory before it in the path.
          const path = real !== undefined && /(^|[/\\])\.\.([/\\]|$)/.test(given) ? real : NodePath.resolve(named)
          if (real === undefined) return { path, real: path, scope: "outside", ...note }
          const [isTrustFile, places] = await Promise.all([files.isTrustFile(real), placesOf(workingDir, files)])
          return { path, real, scope: isTrustFile ? "trust" : scopeOf(real, places), ...note }
        })

      const leadsToOwn = async (paths: ReadonlyArray<string>, { workingDir }: CallPlace) => {
        const [files, state] = await Promise.all([PrivateFiles.of(stateDir), resolveReal(stateDir)])
        const places = await placesOf(workingDir, files)
        const project = NodePath.join(places.workingDir, ".atomic-agent")
        for (const path of paths) {
          const real = await resolveReal(path)
          if (real === undefined || writeScope(real, places) === "trust" || (await files.isTrustFile(real))) return true
          if (isWithin(project, real)) return true
          const isAround = isWithin(state ?? stateDir, real) || isWithin(real, state ?? stateDir)
          if (isAround && !isWithin(places.workingDir, real)) return true
        }
        return false
      }

      return Workspace.of({
        leadsToOwn,
        reading: (path, context) => locate(path, context, readScope, readerKinds),
        writing: (path, context) => locate(path, context, writeScope, []),
        privateFiles: Effect.promise(() => PrivateFiles.of(stateDir))
      })
    })
  )
}

/** What a tool returns, with what the model must know of the paths that were taken. */
export const noted = <E, R>(
  locations: ReadonlyArray<Location>,
  run: Effect.Effect<ToolOutput, E, R>
): Effect.Effect<ToolOutput, E, R> => {
  const notes = locations.flatMap(({ note }) => note ?? [])
  return notes.length === 0
    ? run
    : Effect.map(run, (output) => ({ ...output, text: [...notes, output.text].join("\n") }))
}

/** The approval that a read needs; none inside the working directory, where the sidecar's own settings never are. */
export const readNeed = ({ real, scope }: Location, reason: string): { readonly need?: ReadNeed } =>
  scope === "inside"
    ? {}
    : {
        need: {
          categories: ["fs_read_outside"],
          reason: scope === "trust" ? ownSettings : reason,
          affectedResources: [real],
          // No grant covers what may hold a key.
          ...(scope === "trust" ? {} : { subject: { kind: "read" } })
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
  affectedResources: [first, ...others].map(({ real }) => real),
  subject: { kind: "write" }
})

const writeCategory: { readonly [S in Scope]: ApprovalCategory } = {
  trust: "trust_config",
  inside: "fs_write_workspace",
  home: "fs_write_home",
  outside: "other"
}

/** The text as a path: as it is if there is something of that name, else without what models put round a path. */
const asGiven = async (workingDir: string, text: string): Promise<string> => {
  const path = givenPath(text)
  if (path === text) return text
  const isThere = await lstat(absolute(workingDir, withHome(text))).catch(() => undefined)
  return isThere === undefined ? path : text
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
