import { lstat, opendir } from "node:fs/promises"
import * as NodePath from "node:path"

/** What two names may differ in and still look the same, in the order in which it is tried. */
const kinds = {
  "Unicode form": (name: string) => name.normalize("NFC"),
  spaces: (name: string) => name.replaceAll(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " "),
  quotes: (name: string) =>
    name.replaceAll(/[\u2018\u2019\u201a\u201b\u2032\u02bc`]/g, "'").replaceAll(/[\u201c-\u201f\u2033]/g, '"'),
  case: (name: string) => name.toLowerCase()
}
type Kind = keyof typeof kinds

/** What makes a second file a twin: where the disk tells cases apart, `a` and `A` are two names for two things. */
const twinKinds: ReadonlyArray<Kind> = ["Unicode form", "spaces", "quotes"]

/** What a reader forgives. */
export const readerKinds: ReadonlyArray<Kind> = [...twinKinds, "case"]

/** A path that looks like one that does not exist, and what the two differ in. */
export interface NearPath {
  readonly path: string
  readonly differsBy: string
}

/** How many entries of a folder are looked at. */
const maxEntries = 20_000

/** In what two names differ, in words; undefined if they differ in more than `forgiven`. */
export const difference = (one: string, other: string, forgiven: ReadonlyArray<Kind>): string | undefined => {
  let [a, b] = [one, other]
  const found: Array<Kind> = []
  for (const kind of forgiven) {
    const [nextA, nextB] = [kinds[kind](a), kinds[kind](b)]
    // The kind counts if it brings the two closer together: either of them has such a mark, and not both the same.
    if ((nextA !== a || nextB !== b) && a !== b && distance(nextA, nextB) < distance(a, b)) found.push(kind)
    ;[a, b] = [nextA, nextB]
  }
  return a === b ? found.join(" and ") || "Unicode form" : undefined
}

/** The number of places at which two texts differ, and of those that only one has. */
const distance = (a: string, b: string): number =>
  Array.from({ length: Math.max(a.length, b.length) }).filter((_, at) => a[at] !== b[at]).length

/**
 * The path that is there and looks like an absolute one that is not: each name that does not exist is replaced by the only
 * entry of its folder that differs in nothing but `forgiven`. Undefined where the path exists, or none or several fit.
 */
export const nearPath = async (path: string, forgiven: ReadonlyArray<Kind>): Promise<NearPath | undefined> => {
  if (await exists(path)) return undefined
  const differences = new Set<string>()
  let here = NodePath.parse(path).root
  for (const name of namesOf(path)) {
    const next = NodePath.join(here, name)
    if (name === ".." || (await exists(next))) {
      here = next
      continue
    }
    const alike = await entriesLike(here, name, forgiven)
    const [only] = alike
    if (only === undefined || alike.length > 1) return undefined
    differences.add(only.differsBy)
    here = NodePath.join(here, only.name)
  }
  return differences.size === 0 ? undefined : { path: here, differsBy: [...differences].join(" and ") }
}

/**
 * An entry that looks like the first name of an absolute path that does not exist: making that name would make a twin.
 * Undefined where there is none.
 */
export const twinOf = async (path: string): Promise<NearPath | undefined> => {
  let here = NodePath.parse(path).root
  for (const name of namesOf(path)) {
    const next = NodePath.join(here, name)
    if (name !== ".." && !(await exists(next))) {
      const [first] = await entriesLike(here, name, twinKinds)
      return first && { path: NodePath.join(here, first.name), differsBy: first.differsBy }
    }
    here = next
  }
  return undefined
}

const namesOf = (path: string): ReadonlyArray<string> =>
  path
    .slice(NodePath.parse(path).root.length)
    .split(NodePath.sep)
    .filter((name) => name !== "" && name !== ".")

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false
  )

const entriesLike = async (folder: string, name: string, forgiven: ReadonlyArray<Kind>) => {
  const alike: Array<{ readonly name: string; readonly differsBy: string }> = []
  let count = 0
  try {
    for await (const entry of await opendir(folder)) {
      if (++count > maxEntries) return []
      const differsBy = difference(name, entry.name, forgiven)
      if (differsBy !== undefined) alike.push({ name: entry.name, differsBy })
    }
  } catch {
    return []
  }
  return alike
}
