import { stat } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import { attempt } from "../../files/FileErrors.ts"
import { isWithin } from "../../files/PathScope.ts"
import type { PrivateFiles } from "../../files/PrivateFiles.ts"
import { resolveReal } from "../../files/RealPath.ts"
import { parse } from "../../shell/Parser.ts"
import type { Command } from "../../shell/Syntax.ts"
import type { ToolContext } from "../Tool.ts"
import type { Workspace } from "../Workspace.ts"
import { namesOf } from "./UnattendedShell.ts"

/**
 * The files that are inside no working directory and that a command line of the read-only list may show: those that it
 * names, and those below a directory that one of its commands reads whole.
 */
export const privateReads = Effect.fnUntraced(function* (
  command: string,
  cwd: string,
  { workingDir }: ToolContext,
  { privateFiles }: Workspace["Service"]
) {
  const files = yield* privateFiles
  return yield* attempt(() => readsOf(command, cwd, workingDir, files))
})

const readsOf = async (
  command: string,
  cwd: string,
  workingDir: string,
  files: PrivateFiles
): Promise<ReadonlyArray<string>> => {
  const shown = new Set<string>()
  const realDir = (await resolveReal(workingDir)) ?? cwd
  // Elsewhere a link to /proc leads out of the working directory.
  const mayBeProcess = isWithin(realDir, "/proc")
  for (const each of parse(command).commands) {
    if (opensNothing.has(each.words[0]?.text ?? "")) continue
    const top = topOf(each)
    const roots = top === "cwd" ? [cwd] : top === "repository" ? [realDir] : []
    // A pattern that matches nothing is a name; one with too many names asks anyway.
    const names = await Promise.all(
      each.words.slice(1).map(async (word) => [word.text, ...((await namesOf(word, cwd)) ?? [])])
    )
    await Promise.all(
      names.flat().map(async (name) => {
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
 * What a command may read whole beside the directories that it names: nothing more, the directory it runs in, or all of its
 * repository, which may reach further up. Undefined if it reads no directory.
 */
const topOf = ({ words: [name, ...rest] }: Command): "nothing" | "cwd" | "repository" | undefined => {
  const has = (pattern: RegExp) => rest.some(({ text }) => pattern.test(text))
  switch (name?.text) {
    case "rg":
      return "cwd"
    case "grep":
      return has(/^-[^-]*[dr]|^--[dr]/) ? "cwd" : undefined
    case "diff":
      return "nothing"
    case "git":
      // `git status -v` shows what `git diff` does.
      return has(/^diff$/) || (has(/^status$/) && has(/^-[^-]*v|^--v/)) ? "repository" : undefined
    default:
      return undefined
  }
}
