import { stat } from "node:fs/promises"
import * as NodePath from "node:path"
import { isWithin } from "../../files/PathScope.ts"
import type { PrivateFiles } from "../../files/PrivateFiles.ts"
import { resolveReal } from "../../files/RealPath.ts"
import type { Arguments } from "./UnattendedShell.ts"

/**
 * The files that are inside no working directory and that a command line of the read-only list may show: those that it
 * names, and those below a directory that one of its commands reads whole. `cwd` and `workingDir` are real paths.
 */
export const privateReads = async (
  commands: ReadonlyArray<Arguments>,
  cwd: string,
  workingDir: string,
  files: PrivateFiles
): Promise<ReadonlyArray<string>> => {
  const shown = new Set<string>()
  // Elsewhere a link to /proc leads out of the working directory.
  const mayBeProcess = isWithin(workingDir, "/proc")
  for (const command of commands) {
    if (opensNothing.has(command.tool)) continue
    const top = topOf(command)
    const roots = top === "cwd" ? [cwd] : top === "repository" ? [workingDir] : []
    await Promise.all(
      command.names.map(async (name) => {
        const path = NodePath.join(cwd, name)
        // What does not exist cannot be read. Whether it is one of the files, the numbers of device and file tell.
        const stats = await stat(path).catch(() => undefined)
        if (stats === undefined) return
        const isFolder = top !== undefined && stats.isDirectory()
        const real = isFolder || mayBeProcess ? ((await resolveReal(path)) ?? path) : path
        if (files.includes(real, stats)) shown.add(real)
        if (isFolder) roots.push(real)
      })
    )
    for (const root of roots) for (const file of files.below(root)) shown.add(file)
  }
  return [...shown]
}

/** Commands that print names, sizes and times of files, or only their words. */
const opensNothing = new Set("basename dirname du echo find ls printf pwd readlink realpath stat tree true".split(" "))

/**
 * What a command reads whole beside the directories that it names: nothing more, the directory it runs in, or all of its
 * repository, which may reach further up. Undefined if it reads no directory.
 */
const topOf = ({ names, tool, words }: Arguments): "nothing" | "cwd" | "repository" | undefined => {
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word))
  const unlessNamed = names.length === 0 ? "cwd" : "nothing"
  switch (tool) {
    case "rg":
      return unlessNamed
    case "grep":
      return has(/^-[^-]*[dr]|^--[dr]/) ? unlessNamed : undefined
    case "diff":
      return "nothing"
    case "git":
      // `git status -v` shows what `git diff` does.
      return has(/^diff$/) || (has(/^status$/) && has(/^-[^-]*v|^--v/)) ? "repository" : undefined
    default:
      return undefined
  }
}
