import { opendir, realpath, stat } from "node:fs/promises"
import * as NodePath from "node:path"
import { isSkillName, nameRule } from "./Skill.ts"
import { readSkill, skillFile } from "./SkillFile.ts"
import { type InstalledSkill } from "./SkillRegistry.ts"
import { parseStagingName } from "./StagingName.ts"
import { Refused } from "../files/Refused.ts"
import { systemCode } from "../domain/SystemError.ts"
import { isWithin } from "../files/PathScope.ts"

/** So many entries of one folder are looked at, so many skills of it are read, and so many of those at a time. */
const maxEntries = 10_000
const maxSkills = 200
const atATime = 16

/** A skill that is just being put in the place of another is looked for so often. */
const attempts = 5

/** One folder of skills. */
export interface SkillFolder {
  readonly path: string
  readonly source: InstalledSkill["source"]
  /** Where its skills must really lie, if not just anywhere: a real path. */
  readonly within?: string
}

/** What stands on a shelf, and what is wrong with the rest of it. */
export interface FolderContents {
  readonly skills: ReadonlyArray<InstalledSkill>
  readonly problems: ReadonlyArray<string>
}

/** Reads what stands on a shelf; an absent one is empty. */
export const readSkillFolder = async (shelf: SkillFolder): Promise<FolderContents> => {
  const skills: Array<InstalledSkill> = []
  const problems: Array<string> = []
  try {
    const { misnamed, places } = await placesOf(shelf)
    problems.push(...(await misnamedSkills(shelf, misnamed)))
    const known = [...places].toSorted(([a], [b]) => (a < b ? -1 : 1))
    if (known.length > maxSkills)
      problems.push(`${shelf.path} has more than ${maxSkills} skills; the others are left out`)
    for (let from = 0; from < Math.min(known.length, maxSkills); from += atATime) {
      const some = known.slice(from, Math.min(from + atATime, maxSkills))
      for (const found of await Promise.all(some.map(([name, entry]) => readPlace(shelf, name, entry)))) {
        if (typeof found === "string") problems.push(found)
        else if (found !== undefined) skills.push(found)
      }
    }
  } catch (error) {
    const problem = inWords(error)
    if (systemCode(error) !== "ENOENT" && systemCode(error) !== "ENOTDIR") problems.push(problem)
  }
  return { skills, problems }
}

interface Entries {
  /** By the names of their skills: where a replacement was cut off, the old skill is the one. */
  readonly places: ReadonlyMap<string, string>
  /** Whose names no skill can have, though they are in plain sight. */
  readonly misnamed: ReadonlyArray<string>
}

/** The entries of a shelf. */
const placesOf = async ({ path, source }: SkillFolder): Promise<Entries> => {
  const places = new Map<string, string>()
  const misnamed: Array<string> = []
  let seen = 0
  for await (const { name: entry } of await opendir(path)) {
    if (++seen > maxEntries) break
    const beside = source === "global" ? parseStagingName(entry) : undefined
    if (isSkillName(entry)) places.set(entry, entry)
    else if (beside?.kind === "old" && !places.has(beside.name)) places.set(beside.name, entry)
    else if (!entry.startsWith(".") && misnamed.length < maxSkills) misnamed.push(entry)
  }
  return { places, misnamed }
}

/** Whoever wrote a skill and sees it nowhere must be told; what isWithin no `SKILL.md` was not meant to be one. */
const misnamedSkills = async (
  { path }: SkillFolder,
  entries: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const found = await Promise.all(
    entries.map((entry) =>
      stat(NodePath.join(path, entry, skillFile)).then(
        () => [`${NodePath.join(path, entry)}: a skill's folder is called as the skill: expected ${nameRule}`],
        () => []
      )
    )
  )
  return found.flat()
}

/** A skill, or what is wrong with it, or nothing, where no folder stands. */
const readPlace = async (
  shelf: SkillFolder,
  name: string,
  first: string
): Promise<InstalledSkill | string | undefined> => {
  let entry: string | undefined = first
  let problem: string | undefined
  for (let attempt = 1; entry !== undefined && attempt <= attempts; attempt++) {
    const path = NodePath.join(shelf.path, entry)
    const before = await inode(path)
    if (before === "no folder") return undefined
    if (before !== "gone") {
      try {
        return await readFolder(shelf, name, path)
      } catch (error) {
        problem = inWords(error)
        if (before === (await inode(path))) return problem
      }
    }
    // Another has just taken its place.
    entry = (await placesOf(shelf)).places.get(name)
  }
  return problem
}

const readFolder = async (
  { source, within }: SkillFolder,
  name: string,
  path: string
): Promise<InstalledSkill | string> => {
  const folder = await realpath(path)
  if (within !== undefined && !isWithin(within, folder)) return `${path} is a link that leads out of the project`
  const skill = await readSkill(folder)
  return skill.name === name
    ? { ...skill, source, folder }
    : `${NodePath.join(path, skillFile)}: name: expected ${JSON.stringify(name)}, as the folder is called, got ${JSON.stringify(skill.name)}`
}

const inode = async (path: string): Promise<number | "gone" | "no folder"> => {
  const found = await stat(path).catch((error: unknown) => void inWords(error))
  if (found === undefined) return "gone"
  return found.isDirectory() ? found.ino : "no folder"
}

/** What is wrong, where it is the world that is wrong and not this program. */
const inWords = (error: unknown): string => {
  if (error instanceof Refused || systemCode(error) !== undefined) return (error as Error).message
  throw error
}
