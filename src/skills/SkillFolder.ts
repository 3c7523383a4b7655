import { realpath, stat } from "node:fs/promises"
import * as NodePath from "node:path"
import { isSkillName, nameRule } from "./Skill.ts"
import { readSkill, skillFile } from "./SkillFile.ts"
import { type InstalledSkill } from "./SkillRegistry.ts"
import { parseStagingName } from "./StagingName.ts"
import { Refused } from "../files/Refused.ts"
import { systemCode } from "../domain/SystemError.ts"
import { readEntries } from "../files/ReadEntries.ts"
import { isWithin } from "../files/PathScope.ts"

/** Limits for one folder: entries that are listed, skills that are read, and skills that are read at a time. */
const maxEntries = 10_000
const maxSkills = 200
const atATime = 16

/** How often a skill is read again that is being replaced meanwhile. */
const attempts = 5

/** A folder of skills. */
export interface SkillFolder {
  readonly path: string
  readonly source: InstalledSkill["source"]
  /** A real path that its skills must lie in; absent if they may lie anywhere. */
  readonly within?: string
}

/** The usable skills of a folder, and a sentence for each of the others. */
export interface FolderContents {
  readonly skills: ReadonlyArray<InstalledSkill>
  readonly problems: ReadonlyArray<string>
}

/** Reads the skills of a folder; one that does not exist is empty. */
export const readSkillFolder = async (folder: SkillFolder): Promise<FolderContents> => {
  const skills: Array<InstalledSkill> = []
  const problems: Array<string> = []
  try {
    const { misnamed, places } = await placesOf(folder)
    problems.push(...(await misnamedSkills(folder, misnamed)))
    const known = [...places].toSorted(([a], [b]) => (a < b ? -1 : 1))
    if (known.length > maxSkills)
      problems.push(`${folder.path} has more than ${maxSkills} skills; the others are left out`)
    for (let from = 0; from < Math.min(known.length, maxSkills); from += atATime) {
      const some = known.slice(from, Math.min(from + atATime, maxSkills))
      for (const skill of await Promise.all(some.map(([name, entry]) => readPlace(folder, name, entry)))) {
        if (typeof skill === "string") problems.push(skill)
        else if (skill !== undefined) skills.push(skill)
      }
    }
  } catch (error) {
    const problem = inWords(error)
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") problems.push(problem)
  }
  return { skills, problems }
}

interface Entries {
  /** Entries by the names of their skills. If a replacement was interrupted, it is the entry of the old skill. */
  readonly places: ReadonlyMap<string, string>
  /** Visible entries whose names no skill can have. */
  readonly misnamed: ReadonlyArray<string>
}

const placesOf = async ({ path, source }: SkillFolder): Promise<Entries> => {
  const places = new Map<string, string>()
  const misnamed: Array<string> = []
  for (const { name: entry } of (await readEntries(path, maxEntries)).entries) {
    const beside = source === "global" ? parseStagingName(entry) : undefined
    if (isSkillName(entry)) places.set(entry, entry)
    else if (beside?.kind === "old" && !places.has(beside.name)) places.set(beside.name, entry)
    else if (!entry.startsWith(".") && misnamed.length < maxSkills) misnamed.push(entry)
  }
  return { places, misnamed }
}

/** A sentence for each of these entries that has a `SKILL.md`, so that its author learns why it is not listed. */
const misnamedSkills = async (
  { path }: SkillFolder,
  entries: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const problems = await Promise.all(
    entries.map((entry) =>
      stat(NodePath.join(path, entry, skillFile)).then(
        () => [`${NodePath.join(path, entry)}: a skill's folder is called as the skill: expected ${nameRule}`],
        () => []
      )
    )
  )
  return problems.flat()
}

/** Reads a skill; a string is the reason why it cannot be used, undefined means that the entry is no folder. */
const readPlace = async (
  folder: SkillFolder,
  name: string,
  first: string
): Promise<InstalledSkill | string | undefined> => {
  let entry: string | undefined = first
  let problem: string | undefined
  for (let attempt = 1; entry !== undefined && attempt <= attempts; attempt++) {
    const path = NodePath.join(folder.path, entry)
    const before = await inode(path)
    if (before === "no folder") return undefined
    if (before !== "gone") {
      try {
        return await readFolder(folder, name, path)
      } catch (error) {
        problem = inWords(error)
        if (before === (await inode(path))) return problem
      }
    }
    // The folder was replaced meanwhile.
    entry = (await placesOf(folder)).places.get(name)
  }
  return problem
}

const readFolder = async (
  { source, within }: SkillFolder,
  name: string,
  path: string
): Promise<InstalledSkill | string> => {
  const real = await realpath(path)
  if (within !== undefined && !isWithin(within, real)) return `${path} is a link that leads out of the project`
  const skill = await readSkill(real)
  return skill.name === name
    ? { ...skill, source, folder: real }
    : `${NodePath.join(path, skillFile)}: name: expected ${JSON.stringify(name)}, as the folder is called, got ${JSON.stringify(skill.name)}`
}

const inode = async (path: string): Promise<number | "gone" | "no folder"> => {
  const stats = await stat(path).catch((error: unknown) => void inWords(error))
  if (stats === undefined) return "gone"
  return stats.isDirectory() ? stats.ino : "no folder"
}

/** The message of an expected error; others are defects and thrown again. */
const inWords = (error: unknown): string => {
  if (error instanceof Refused || systemCode(error) !== undefined) return (error as Error).message
  throw error
}
