import { stat } from "node:fs/promises"
import * as NodePath from "node:path"
import { type ComposedCommand, composeLine, missingProgram } from "../../shell/reads/ComposeLine.ts"
import type { PlannedCommand, PlannedWord } from "../../shell/reads/ReadPlan.ts"
import { type Budget, pathsOf } from "../../files/PatternNames.ts"
import { isWithin } from "../../files/PathScope.ts"
import { resolveReal } from "../../files/RealPath.ts"
import { gitAccess, gitWords, refreshesIndex } from "./GitAccess.ts"
import { findProgram, type ProgramFolders, programFolders } from "./ProgramFolders.ts"

/** A command line of the read-only list as it is run. */
export interface UnattendedRun {
  /** Absolute programs and final words. */
  readonly commands: ReadonlyArray<ComposedCommand>
  /** What each of them was given. */
  readonly given: ReadonlyArray<Arguments>
  /** The whole environment. */
  readonly env: { readonly [name: string]: string | undefined }
  /** Real folders beyond the working directory that git reads: the repository's own. */
  readonly outside: ReadonlyArray<string>
  /** The index of the repository, of which git gets a copy where it would write it. */
  readonly index: string | undefined
}

/** The words behind the name of a program, and those of them that name files. */
export interface Arguments {
  readonly tool: string
  readonly words: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
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
  const given: Array<Arguments> = []
  for (const { joins, joint, tool, words: planned } of plan) {
    const expanded = await argumentsOf(tool, planned, place)
    const words = expanded === undefined ? undefined : await composedWords(expanded, programs, cwd)
    if (expanded === undefined || words === undefined) return undefined
    commands.push({ joint, words, joins })
    given.push(expanded)
  }
  if (Buffer.byteLength(composeLine(commands)) > maxLine) return undefined
  const { LANG, LC_ALL, LC_CTYPE, LOGNAME, TMPDIR, TZ, USER } = process.env
  const PATH = programs.trusted.join(NodePath.delimiter)
  return {
    commands,
    given,
    env: { LANG, LC_ALL, LC_CTYPE, LOGNAME, TMPDIR, TZ, USER, PATH, TERM: "dumb", ...git?.env },
    outside: git?.outside ?? [],
    index: given.some(({ tool, words }) => tool === "git" && refreshesIndex(words)) ? git?.index : undefined
  }
}

/** The program and its arguments, with what is forced on it; undefined if the command must ask. */
const composedWords = async (
  { names, tool, words }: Arguments,
  programs: ProgramFolders,
  cwd: string
): Promise<ReadonlyArray<string> | undefined> => {
  const program = await findProgram(tool, programs)
  if (program === "untrusted") return undefined
  if (program === "missing") return missingProgram(tool)
  if (tool === "git") return [program.path, ...gitWords(words)]
  if (tool === "rg") return [program.path, ...ripgrepOptions, ...words]
  if (tool !== "diff" || words.includes(noDereference) || !(await anyDirectory(names, cwd))) {
    return [program.path, ...words]
  }
  // Else diff follows the links in directories.
  return process.platform === "linux" ? [program.path, noDereference, ...words] : undefined
}

/**
 * Ripgrep reads no lists of ignored names above its folder or of the user, nor in the folder of a repository, which a `.git`
 * file may name anywhere. It shows no lines of those that it reads.
 */
const ripgrepOptions = ["--no-config"].concat(
  ["parent", "global", "exclude", "messages"].map((kind) => `--no-ignore-${kind}`)
)

const noDereference = "--no-dereference"

/** The arguments that the words of a plan stand for; undefined if they cannot be known for certain, or one leads out. */
const argumentsOf = async (
  tool: string,
  planned: ReadonlyArray<PlannedWord>,
  place: Place
): Promise<Arguments | undefined> => {
  const words: Array<string> = []
  const names: Array<string> = []
  for (const word of planned) {
    if (word._tag === "Text") {
      words.push(word.text)
    } else if (word._tag === "Name") {
      if (!(await leadsInside(word.name, place))) return undefined
      words.push(word.prefix + word.name)
      names.push(word.name)
    } else {
      const operands = await operandsOf(word, place)
      if (operands === undefined) return undefined
      words.push(...operands)
      names.push(...operands)
    }
  }
  return { tool, words, names }
}

/** The operands that a word stands for; undefined as above. */
const operandsOf = async (
  word: Extract<PlannedWord, { readonly _tag: "Operand" }>,
  place: Place
): Promise<ReadonlyArray<string> | undefined> => {
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
