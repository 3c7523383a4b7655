import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import * as NodePath from "node:path"
import { parse } from "../../shell/Parser.ts"
import type { Word } from "../../shell/Syntax.ts"
import { gitIsSafe } from "./GitSafety.ts"
import { namesFor } from "../../files/GlobExpansion.ts"
import { resolveReal } from "../../files/RealPath.ts"
import { isWithin } from "../../files/PathScope.ts"

/**
 * What a command line that only reads by its words needs to do so in truth: the environment to run it in. Undefined
 * where a name leads out of the working directory by a link, where a program is only found in places that the agent
 * may write to, where the repository names programs for git
 * to run, or where it lies outside. Then somebody must be asked.
 */
export const unattendedEnvironment = async (
  command: string,
  cwd: string,
  workingDir: string,
  home: string | undefined
): Promise<{ readonly [name: string]: string | undefined } | undefined> => {
  const { commands } = parse(command)
  const programs = safePath([workingDir, ...(home === undefined ? [] : [home])])
  for (const { words } of commands) {
    const [name, ...rest] = words
    if (name === undefined || !(await isFound(name.text, programs))) return undefined
    if (name.text === "git" && !(await gitIsSafe(cwd, workingDir))) return undefined
    const followsLinks = name.text === "diff" && !rest.some(({ text }) => text === "--no-dereference")
    for (const word of rest) {
      const files = await namesOf(word, cwd)
      if (files === undefined) return undefined
      for (const file of files) {
        const path = NodePath.join(cwd, file)
        // It follows the links that it meets in a directory.
        if (followsLinks && (await isDirectory(path))) return undefined
        // A word that climbs out was found to be no path, but text.
        const real = isWithin(workingDir, path) ? await resolveReal(path) : undefined
        if (real !== undefined && !isWithin(workingDir, real)) return undefined
      }
    }
  }
  const { LANG, LC_ALL, LC_CTYPE, LOGNAME, TMPDIR, TZ, USER } = process.env
  return {
    LANG,
    LC_ALL,
    LC_CTYPE,
    LOGNAME,
    TMPDIR,
    TZ,
    USER,
    HOME: home,
    PATH: programs.join(NodePath.delimiter),
    TERM: "dumb",
    // `git status` does not refresh the index, so that no lock of ours is in the way of a commit (`git diff` knows no such
    // setting that leaves its output as it is), and no configuration is read that could have been written unasked.
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_GLOBAL: "/dev/null",
    // A repository within the repository has a configuration of its own: git must not run by it.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "diff.ignoreSubmodules",
    GIT_CONFIG_VALUE_0: "all",
    GIT_CEILING_DIRECTORIES: NodePath.dirname(workingDir),
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0"
  }
}

const builtins = new Set(["echo", "printf", "pwd", "true"])

/** Where programs are looked for: what the agent could write to is no such place. */
const safePath = (writable: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...(process.env["PATH"] ?? "").split(NodePath.delimiter), "/usr/local/bin", "/usr/bin", "/bin"].filter(
    (folder, index, all) =>
      NodePath.isAbsolute(folder) && !writable.some((top) => isWithin(top, folder)) && all.indexOf(folder) === index
  )

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (stats) => stats.isDirectory(),
    () => false
  )

const isFound = async (name: string, path: ReadonlyArray<string>): Promise<boolean> => {
  if (builtins.has(name)) return true
  for (const folder of path) {
    const file = NodePath.join(folder, name)
    const isProgram = await access(file, constants.X_OK).then(
      () => stat(file).then((stats) => stats.isFile()),
      () => false
    )
    if (isProgram) return true
  }
  return false
}

/** What could be the name of a file in a word: the word, a value in it wherever that begins, or what it stands for. */
const namesOf = async ({ globAt, text }: Word, cwd: string): Promise<ReadonlyArray<string> | undefined> => {
  if (globAt !== -1) return namesFor(text, cwd)
  if (!text.startsWith("-")) return [text]
  if (!text.startsWith("--")) return Array.from({ length: text.length - 1 }, (_, at) => text.slice(at + 1))
  const equals = text.indexOf("=")
  return equals === -1 ? [] : [text.slice(equals + 1)]
}
