import { stat } from "node:fs/promises"
import * as NodePath from "node:path"
import { type ComposedCommand, composeLine, missingProgram } from "../../shell/ComposeLine.ts"
import type { PlannedCommand, PlannedWord } from "../../shell/ReadPlan.ts"
import { type Budget, pathsOf } from "../../files/PatternNames.ts"
import { isWithin } from "../../files/PathScope.ts"
import { resolveReal } from "../../files/RealPath.ts"
import { gitAccess, gitWords } from "./GitAccess.ts"
import { findProgram, type ProgramFolders, programFolders } from "./Programs.ts"

/** A command line of the read-only list as it is run. */
export interface UnattendedRun {
  /** Absolute programs and final words. */
  readonly commands: ReadonlyArray<ComposedCommand>
  /** The whole environment. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Real folders beyond the working directory that git reads: the repository's own. */
  readonly outside: ReadonlyArray<string>
  /** The index of the repository, of which git gets a copy. */
  readonly index: string | undefined
}

/** Where a line runs: real paths. Names must lead to places in `top`. */
interface Place {
  readonly cwd: string
  readonly top: string
  readonly budget: Budget
}

/** At most this many directory entries are compared with the patterns of a line. */
const maxEntries = 5000

/** In bytes: Linux starts no program with a longer argument. */
const maxLine = 131_071

/**
 * Makes of a plan what is run without a question: patterns are expanded here, every name is checked where it really leads, and
 * programs are named by their absolute path. Undefined if the line must ask after all: a name leads out of the working
 * directory, a pattern cannot be expanded for certain, a program is only where the agent may write, or git could do more
 * than read (`gitAccess`).
 */
export const unattendedRun = async (
  plan: ReadonlyArray<PlannedCommand>,
  cwd: string,
  workingDir: string,
  home: string | undefined
): Promise<UnattendedRun | undefined> => {
  // Of the places that may be read, the skills folders are the only ones beside the working directory.
  const place = { cwd, top: isWithin(workingDir, cwd) ? workingDir : cwd, budget: { entries: maxEntries } }
  const hasGit = plan.some(({ tool }) => tool === "git")
  const [programs, git] = await Promise.all([
    programFolders(process.env["PATH"] ?? "", [workingDir, place.top, ...(home === undefined ? [] : [home])]),
    hasGit ? gitAccess(cwd, workingDir) : undefined
  ])
  if (git?._tag === "Unsafe") return undefined
  const commands: Array<ComposedCommand> = []
  for (const { joins, joint, tool, words: planned } of plan) {
    const words = await composedWords(tool, planned, programs, place)
    if (words === undefined) return undefined
    commands.push({ joint, words, joins })
  }
  if (Buffer.byteLength(composeLine(commands)) > maxLine) return undefined
  const { LANG, LC_ALL, LC_CTYPE, LOGNAME, TMPDIR, TZ, USER } = process.env
  const PATH = programs.trusted.join(NodePath.delimiter)
  return {
    commands,
    env: { LANG, LC_ALL, LC_CTYPE, LOGNAME, TMPDIR, TZ, USER, PATH, TERM: "dumb", ...git?.env },
    outside: git?.outside ?? [],
    index: git?.index
  }
}

/** The program and its arguments; undefined if the command must ask. */
const composedWords = async (
  tool: string,
  planned: ReadonlyArray<PlannedWord>,
  programs: ProgramFolders,
  place: Place
): Promise<ReadonlyArray<string> | undefined> => {
  const program = await findProgram(tool, programs)
  if (program === "untrusted") return undefined
  const args: Array<string> = []
  let hasDirectory = false
  for (const word of planned) {
    const words = await argumentsOf(word, place)
    if (words === undefined) return undefined
    args.push(...words)
    if (tool === "diff" && word._tag === "Operand") hasDirectory ||= await anyDirectory(words, place.cwd)
  }
  if (program === "missing") return missingProgram(tool)
  if (tool === "git") return [program.path, ...gitWords(args)]
  if (tool === "rg") return [program.path, ...ripgrepOptions, ...args]
  // Else diff follows the links in directories.
  if (!hasDirectory || planned.some((word) => word._tag === "Text" && word.text === noDereference)) {
    return [program.path, ...args]
  }
  return process.platform === "linux" ? [program.path, noDereference, ...args] : undefined
}

/** Ripgrep reads no lists of ignored names above its folder or of the user, and shows no lines of those that it reads. */
const ripgrepOptions = ["--no-config", "--no-ignore-parent", "--no-ignore-global", "--no-ignore-messages"]

const noDereference = "--no-dereference"

/** The arguments that a word stands for; undefined if one of them leads out, or if they cannot be known for certain. */
const argumentsOf = async (word: PlannedWord, place: Place): Promise<ReadonlyArray<string> | undefined> => {
  if (word._tag === "Text") return [word.text]
  if (word._tag === "Name") {
    return (await leadsInside(word.name, place)) ? [word.prefix + word.name] : undefined
  }
  const literal = word.parts.map(({ text }) => text).join("")
  const matches = word.isPattern ? await pathsOf(word.parts, place.cwd, place.top, place.budget) : []
  if (matches === undefined) return undefined
  // What matches nothing stays as it is, as in the shell.
  const names = matches.length === 0 ? [literal] : matches
  if (word.isPrinted) return names
  const inside = await Promise.all(names.map((name) => leadsInside(name, place)))
  if (inside.includes(false)) return undefined
  // So that no name is taken for an option. A single `-` is the standard input.
  const isPlain = matches.length === 0 && (literal === "-" || /^[\w.]/.test(literal))
  return names.map((name) => (isPlain || name.startsWith("./") ? name : `./${name}`))
}

/** True if a name, which does not climb, leads to a place below the top; a missing one by its deepest parent. */
const leadsInside = async (name: string, { cwd, top }: Place): Promise<boolean> => {
  const real = await resolveReal(`${cwd}/${name}`)
  return real !== undefined && isWithin(top, real)
}

const anyDirectory = async (names: ReadonlyArray<string>, cwd: string): Promise<boolean> => {
  const all = names.map((name) =>
    stat(`${cwd}/${name}`).then(
      (stats) => stats.isDirectory(),
      () => false
    )
  )
  return (await Promise.all(all)).includes(true)
}
