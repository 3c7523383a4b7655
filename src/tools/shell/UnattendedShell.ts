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
 * The environment in which a command line of the read-only list only reads. Undefined if it must ask after all: a name leads
 * out of `boundaryOf` by a link, a program exists only in folders that the agent may write, or the repository is
 * not safe (`gitIsSafe`).
 */
export const unattendedEnvironment = async (
  command: string,
  cwd: string,
  workingDir: string,
  home: string | undefined
): Promise<{ readonly [name: string]: string | undefined } | undefined> => {
  const { commands } = parse(command)
  const folder = boundaryOf(cwd, workingDir)
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
        // This command follows links in directories.
        if (followsLinks && (await isDirectory(path))) return undefined
        // The read-only list has already refused paths with `..`, so this word is text.
        const real = isWithin(folder, path) ? await resolveReal(path) : undefined
        if (real !== undefined && !isWithin(folder, real)) return undefined
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
    // `git status` does not refresh the index, so that no lock of ours is in the way of a commit (`git diff` knows no
    // such
    // setting that leaves its output as it is), and no configuration is read that could have been written unasked.
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_GLOBAL: "/dev/null",
    // A nested repository has a configuration of its own, which git must not use.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "diff.ignoreSubmodules",
    GIT_CONFIG_VALUE_0: "all",
    GIT_CEILING_DIRECTORIES: NodePath.dirname(folder),
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0"
  }
}

/** The real folder that such a command must stay in: the working directory or, if it runs in a skill, where it runs. */
export const boundaryOf = (cwd: string, workingDir: string): string => (isWithin(workingDir, cwd) ? workingDir : cwd)

const builtins = new Set(["echo", "printf", "pwd", "true"])

/** The PATH without folders that the agent could write. */
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

/** The possible file names in a word: the word, a value within it, and the matches of its pattern. */
const namesOf = async ({ globAt, text }: Word, cwd: string): Promise<ReadonlyArray<string> | undefined> => {
  if (globAt !== -1) return namesFor(text, cwd)
  if (!text.startsWith("-")) return [text]
  if (!text.startsWith("--")) return Array.from({ length: text.length - 1 }, (_, at) => text.slice(at + 1))
  const equals = text.indexOf("=")
  return equals === -1 ? [] : [text.slice(equals + 1)]
}
