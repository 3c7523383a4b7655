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

/** Skills in `<stateDir>/skills/` and `<workingDir>/.atomic-agent/skills/` (contract 8). */
export const layer = Layer.effect(
  SkillRegistry,
  Effect.gen(function* () {
    const { skills, stateDir } = yield* Config
    const folder = NodePath.join(stateDir, "skills")
    const disabled = new Set(skills.disabled)
    const lane = yield* Semaphore.make(1)
    const told = new Set<string>()

    const tidyUp = Effect.suspend(() => (isAbsent(folder) ? Effect.void : attempt(() => tidy(folder)))).pipe(
      Effect.catch((error) => tell(`leftovers of an installation cannot be deleted: ${error.message}`))
    )

    /** Once each: the skills are read with every turn. */
    const tell = (problem: string) =>
      Effect.suspend(() => {
        if (told.has(problem) || told.size >= maxTold) return Effect.void
        told.add(problem)
        return Effect.logWarning(problem)
      })

    const list = Effect.fn("SkillRegistry.list")(function* (workingDir: string) {
      const shelves = yield* Effect.promise(() => shelvesOf(folder, workingDir))
      const stocks = yield* Effect.promise(() => Promise.all(shelves.map(readSkillFolder)))
      for (const problem of stocks.flatMap(({ problems }) => problems))
        yield* tell(`a skill cannot be used: ${problem}`)
      const usable = stocks
        .flatMap((stock) => stock.skills)
        .filter(({ name, platforms }) => !disabled.has(name) && platforms?.includes(process.platform) !== false)
      // The project's copy comes last and so stays.
      const byName = new Map(usable.map((skill) => [skill.name, skill]))
      return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
    })

    const install = Effect.fn("SkillRegistry.install")(function* (sourcePath: string, force: boolean) {
      yield* tidyUp
      // Whoever would end it halfway would have to wait for its cleaning up.
      return yield* Effect.uninterruptible(attempt(() => installFrom(NodePath.resolve(sourcePath), folder, force)))
    }, lane.withPermits(1))

    const uninstall = Effect.fn("SkillRegistry.uninstall")(function* (name: string) {
      if (!isSkillName(name)) return yield* refuse(`payload.name: expected ${nameRule}, got ${JSON.stringify(name)}`)
      // First: what a cut-off replacement has left would come back under the name.
      yield* tidyUp
      return yield* Effect.uninterruptible(attempt(() => remove(folder, name)))
    }, lane.withPermits(1))

    yield* tidyUp
    return SkillRegistry.of({ list, read: (skill) => attempt(() => readText(skill.folder)), install, uninstall })
  })
)

const maxTold = 1000

const shelvesOf = async (folder: string, workingDir: string): Promise<ReadonlyArray<SkillFolder>> => {
  const path = NodePath.join(workingDir, ".atomic-agent", "skills")
  // With each turn: who has no skills should not wait for three looks into the file system.
  if (isAbsent(path) && isAbsent(folder)) return []
  const [within, real, global] = await Promise.all(
    [workingDir, path, folder].map((each) => realpath(each).catch(noPath))
  )
  const shelves: ReadonlyArray<SkillFolder> = [{ path: folder, source: "global" }]
  // In the home directory, the project's folder may be the global one.
  if (within === undefined || real === undefined || real === global) return shelves
  return [...shelves, { path, source: "project", within }]
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
    throw refuse(`${sourcePath} isWithin ${folder}, where skills are installed`)
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

/** The copy is what counts: the source may have changed meanwhile. */
const validate = async (staged: string, name: string): Promise<void> => {
  const copied = await readSkill(staged)
  if (copied.name !== name) throw refuse(`${skillFile} changed while it was copied`)
  for (const script of copied.requiresScripts) {
    const found = await stat(NodePath.join(staged, "scripts", script)).catch(noPath)
    if (found?.isFile() !== true) throw refuse(`${skillFile} requires scripts/${script}, which is not there`)
  }
}
