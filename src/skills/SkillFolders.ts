import { statSync } from "node:fs"
import { mkdir, realpath, rm, stat } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Config } from "../config/Config.ts"
import { place, refuseTaken, remove, tidy } from "./FolderSwap.ts"
import { readSkillFolder, type SkillFolder } from "./SkillFolder.ts"
import { stagingName } from "./StagingName.ts"
import { isSkillName, nameRule } from "./Skill.ts"
import { readSkill, readText, skillFile } from "./SkillFile.ts"
import { SkillRegistry } from "./SkillRegistry.ts"
import { copyTree } from "./CopyTree.ts"
import { refuse } from "../files/Refused.ts"
import { isWithin } from "../files/PathScope.ts"
import { attempt } from "../files/FileErrors.ts"

/** The registry over `<stateDir>/skills/` and `<workingDir>/.atomic-agent/skills/` (docs/skills.md). */
export const layer = Layer.effect(
  SkillRegistry,
  Effect.gen(function* () {
    const { skills, stateDir } = yield* Config
    const folder = NodePath.join(stateDir, "skills")
    const disabled = new Set(skills.disabled)
    const lane = yield* Semaphore.make(1)
    const logged = new Set<string>()

    const tidyUp = Effect.suspend(() => (isAbsent(folder) ? Effect.void : attempt(() => tidy(folder)))).pipe(
      Effect.catch((error) => logOnce(`leftovers of an installation cannot be deleted: ${error.message}`))
    )

    /** Logs each problem once, since the skills are read with every turn. */
    const logOnce = (problem: string) =>
      Effect.suspend(() => {
        if (logged.has(problem) || logged.size >= maxLogged) return Effect.void
        logged.add(problem)
        return Effect.logWarning(problem)
      })

    const list = Effect.fn("SkillRegistry.list")(function* (workingDir: string) {
      const folders = yield* Effect.promise(() => foldersOf(folder, workingDir))
      const contents = yield* Effect.promise(() => Promise.all(folders.map(readSkillFolder)))
      for (const problem of contents.flatMap(({ problems }) => problems))
        yield* logOnce(`a skill cannot be used: ${problem}`)
      const usable = contents
        .flatMap((each) => each.skills)
        .filter(({ name, platforms }) => !disabled.has(name) && platforms?.includes(process.platform) !== false)
      // The project's copy comes last and replaces the global one.
      const byName = new Map(usable.map((skill) => [skill.name, skill]))
      return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
    })

    const install = Effect.fn("SkillRegistry.install")(function* (sourcePath: string, force: boolean) {
      yield* tidyUp
      // Uninterruptible: an interruption would have to wait for the cleanup anyway.
      return yield* Effect.uninterruptible(attempt(() => installFrom(NodePath.resolve(sourcePath), folder, force)))
    }, lane.withPermits(1))

    const uninstall = Effect.fn("SkillRegistry.uninstall")(function* (name: string) {
      if (!isSkillName(name)) return yield* refuse(`payload.name: expected ${nameRule}, got ${JSON.stringify(name)}`)
      // First: the old skill of an interrupted replacement would come back under the name.
      yield* tidyUp
      return yield* Effect.uninterruptible(attempt(() => remove(folder, name)))
    }, lane.withPermits(1))

    yield* tidyUp
    return SkillRegistry.of({ list, read: (skill) => attempt(() => readText(skill.folder)), install, uninstall })
  })
)

const maxLogged = 1000

const foldersOf = async (folder: string, workingDir: string): Promise<ReadonlyArray<SkillFolder>> => {
  const path = NodePath.join(workingDir, ".atomic-agent", "skills")
  // Called with every turn: without skills there are only these two quick checks.
  if (isAbsent(path) && isAbsent(folder)) return []
  const [within, real, global] = await Promise.all(
    [workingDir, path, folder].map((each) => realpath(each).catch(noPath))
  )
  const folders: ReadonlyArray<SkillFolder> = [{ path: folder, source: "global" }]
  // If the working directory is the home directory, both may be one folder.
  if (within === undefined || real === undefined || real === global) return folders
  return [...folders, { path, source: "project", within }]
}

const isAbsent = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

const noPath = () => undefined

const installFrom = async (sourcePath: string, folder: string, force: boolean) => {
  const source = await realpath(sourcePath).catch(noPath)
  if (source === undefined || !(await stat(source)).isDirectory()) {
    throw refuse(`payload.sourcePath: expected a folder with a ${skillFile} in it, got ${sourcePath}`)
  }
  const { name } = await readSkill(source)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (isWithin(source, await realpath(folder)))
    throw refuse(`${sourcePath} holds ${folder}, where skills are installed`)
  if (!force) await refuseTaken(folder, name)
  const staged = stagingName(folder, name, "new")
  try {
    await copyTree(source, staged)
    await validate(staged, name)
    return { name, installedAt: await place(staged, folder, name, force) }
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
}

/** Checks the copy, since the source may have changed meanwhile. */
const validate = async (staged: string, name: string): Promise<void> => {
  const copied = await readSkill(staged)
  if (copied.name !== name) throw refuse(`${skillFile} changed while it was copied`)
  for (const script of copied.requiresScripts) {
    const stats = await stat(NodePath.join(staged, "scripts", script)).catch(noPath)
    if (stats?.isFile() !== true) throw refuse(`${skillFile} requires scripts/${script}, which is not there`)
  }
}
