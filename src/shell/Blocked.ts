import { destroys } from "./Destructive.ts"
import { deletedPaths, execsOf, findResults, operandsOf } from "./DeletedPaths.ts"
import { assigned, fieldsOf, type OutputOf } from "./WordExpansion.ts"
import { isForkBomb } from "./ForkBomb.ts"
import { parse } from "./Parser.ts"
import { changeDirectory, childScope, mentionsIn, placeOf, rootScope, type Variables } from "./Variables.ts"
import type { Command, Run, Script, Word } from "./Syntax.ts"
import { baseName, unwrap } from "./CommandPrefixes.ts"
import { absolutePath, type ShellPlace, unknown } from "./ProtectedPaths.ts"

/** The effects of a command line that decide whether it may run at all. */
export interface Findings {
  /** Why it is refused at every level (contract 7); undefined if it is not. */
  readonly why: string | undefined
  /** Absolute paths, or glob patterns of them, that it deletes recursively. Links in them are not resolved. */
  readonly erases: ReadonlyArray<string>
  /** The names, as they are written, of what it runs, in order and each once, such as `sudo`, `./a.sh`, `curl`. */
  readonly programs: ReadonlyArray<string>
}

/**
 * Limits on nested command lines (`sh -c "sh -c …"`): depth, number of commands, characters. Beyond any of them the
 * command is blocked.
 */
const maxDepth = 8
const maxCommands = 100_000
const maxRead = 1_000_000
const tooDeep = "it is nested too deep to be looked into"

/** At most this many deleted paths are reported. */
const maxErasures = 100

/**
 * Interprets a command line as the shell would, without running anything. It is blocked if it erases `/` or a home
 * directory, formats or overwrites a disk, shuts the machine down, reaches into another process, or is a fork bomb.
 *
 * The erased paths are the operands of recursive deletions after expansion of braces, `~`, variables, substitutions of
 * `echo`, piped input and the working directory, as far as the line itself and its environment determine them. A
 * pattern counts for everything that it could match, and a variable that is set nowhere is empty. A command is not
 * blocked for what cannot be known before it runs: it asks instead.
 */
export const inspect = (source: string, place: ShellPlace): Findings => {
  const inspection = new Inspection()
  // From here on, characters of private use are placeholders.
  inspection.analyse(source.replaceAll(/[\uE000-\uF8FF]/g, "_"), rootScope(place), 0)
  const { erases, programs, why } = inspection
  return { why, erases: [...erases], programs: [...programs] }
}

const shells = new Set("sh bash dash zsh ksh ash fish cmd powershell pwsh su script".split(" "))
const passing = new Set(["cat", "sort", "uniq", "tee"])
const declaring = new Set(["export", "declare", "local", "readonly", "typeset"])

class Inspection {
  why: string | undefined
  readonly erases = new Set<string>()
  readonly programs = new Set<string>()
  private commands = 0
  private read = 0

  analyse(source: string, outer: Variables, depth: number): void {
    this.read += source.length
    if (depth > maxDepth || this.read > maxRead) this.why ??= tooDeep
    if (this.why !== undefined) return
    if (isForkBomb(source)) this.why = "it is a fork bomb"
    // Shells differ in how they read `$'…'` and `$"…"`: both ways are followed.
    if (/\$['"]/.test(source)) this.follow(parse(source, true), source, childScope(outer), depth)
    this.follow(parse(source), source, outer, depth)
  }

  private follow(script: Script, source: string, outer: Variables, depth: number): void {
    if (script.features.has("depth")) this.why ??= tooDeep
    const positional = script.features.has("function") ? undefined : outer.positional
    const top = Object.assign(outer, { positional, mentioned: [...outer.mentioned, mentionsIn(source)] })
    const scopes = new Map<string, Variables>([["", top]])
    let output: PipeOutput | undefined
    for (const command of script.commands) {
      this.commands += 1
      if (this.commands > maxCommands) this.why ??= tooDeep
      if (this.why !== undefined) return
      const scope = scopeOf(command.shells, scopes)
      const piped = command.joint === "|" ? output : undefined
      output = this.run(command, script, scope, piped, depth)
    }
  }

  /** Follows one command and returns its output, if that can be predicted. */
  private run(
    command: Command,
    script: Script,
    scope: Variables,
    piped: PipeOutput | undefined,
    depth: number
  ): PipeOutput | undefined {
    const fields = (words: ReadonlyArray<Word>) => words.flatMap((word) => fieldsOf(word, scope, this.outputOf))
    if (command.isLoop) {
      const [name = "", , ...values] = fields(command.words)
      // Only the first of many values are tried, and the most dangerous ones are short.
      const distinct = [...new Set(values)].toSorted((one, other) => one.length - other.length)
      if (name !== "") scope.variables.set(name, distinct.length === 0 ? [unknown] : distinct)
      return undefined
    }
    const first = command.words.findIndex((word) => !assignment.test(word.text))
    const settings = first === -1 ? command.words : command.words.slice(0, first)
    const isSure = !/[&|]/.test(command.joint) && !script.features.has("compound") && !script.features.has("function")
    const prefixed = first === -1 ? [] : fields(command.words.slice(first))
    const { folder, viaXargs, words: unwrapped } = unwrap(prefixed)
    for (const [program = ""] of [prefixed, unwrapped]) if (program !== "") this.programs.add(program)
    // Assignments before a command apply to that command alone.
    const inner = first > 0 || folder !== undefined ? childScope(scope) : scope
    for (const word of settings) set(word, inner, first !== -1 || isSure, this.outputOf)
    const input = [...(piped?.lines ?? []), ...command.input.split("\n").filter((line) => line !== "")]
    const given = viaXargs === undefined ? unwrapped : withInput(unwrapped, input, viaXargs.placeholder)
    const [name = "", ...args] = given
    const tool = baseName(name)
    if (folder !== undefined) changeDirectory(inner, [folder])
    if (declaring.has(tool)) for (const word of command.words.slice(1)) set(word, scope, isSure, this.outputOf)
    else if (tool === "cd" || tool === "pushd") changeDirectory(scope, args)
    else if (shellBuiltins.has(tool)) setOptions(tool, args, scope)
    this.analyseNested(tool, args, input, inner, depth)
    const each = viaXargs !== undefined && piped?.isDeep === true ? input : []
    const run: Run = { tool, args, each, targets: fields(command.writes), sources: fields(command.reads) }
    const place = placeOf(folder === undefined ? scope : inner)
    for (const path of deletedPaths(run)) {
      const absolute = absolutePath(path, place)
      const isKnown = !absolute.includes(unknown) && this.erases.size < maxErasures
      if (isKnown) this.erases.add(path.endsWith("/") && absolute !== "/" ? `${absolute}/` : absolute)
    }
    this.why ??= destroys(run, place)
    if (passing.has(tool)) return { lines: input, isDeep: piped?.isDeep ?? false }
    const lines = linesOf(tool, args, scope)
    return lines === undefined ? undefined : { lines, isDeep: tool === "find" }
  }

  /** Follows the command lines that a command runs, such as those of `eval`, `find -exec` and `sh -c`. */
  private analyseNested(
    tool: string,
    args: ReadonlyArray<string>,
    input: ReadonlyArray<string>,
    scope: Variables,
    depth: number
  ): void {
    const analyse = (source: string, inner = childScope(scope)) => this.analyse(source, inner, depth + 1)
    if (tool === "eval") return analyse(args.join(" "), scope)
    if (tool === "trap" || tool === "watch") return analyse(args.join(" "))
    if (tool === "alias") return args.forEach((arg) => analyse(arg.slice(arg.indexOf("=") + 1)))
    if ((tool === "." || tool === "source") && input.length > 0) return analyse(input.join("\n"), scope)
    if (tool === "parallel") {
      const at = args.indexOf(":::")
      const command = args.slice(
        args.findIndex((arg) => !arg.startsWith("-")),
        at === -1 ? undefined : at
      )
      return analyse(commandLine(withInput(command, at === -1 ? input : args.slice(at + 1), undefined)))
    }
    if (tool === "find") {
      const results = findResults(args)
      for (const exec of execsOf(args)) {
        analyse(commandLine(exec.flatMap((word) => (word === "{}" ? results : [word]))))
      }
    }
    if (!shells.has(tool)) return
    const at = args.findIndex((arg) => /^-[A-Za-z]*c$/.test(arg))
    const inner = childScope(scope)
    // More options may stand between `-c` and the command line.
    const from =
      at +
      1 +
      Math.max(
        0,
        args.slice(at + 1).findIndex((arg) => !/^[-+]/.test(arg))
      )
    inner.positional = at === -1 ? undefined : args.slice(from + 2)
    const operands = args.filter((arg) => !/^[-/][A-Za-z]{1,2}$/.test(arg))
    const sources = at === -1 ? [operands.join("\n")] : [args[from] ?? ""]
    for (const source of [...sources, input.join("\n")]) if (source !== "") analyse(source, childScope(inner))
  }

  /** Its commands are part of the script as well, so they are not checked here. */
  private readonly outputOf: OutputOf = (source, scope) => {
    const [command, ...others] = parse(source).commands
    if (command === undefined || others.length > 0 || (this.commands += 1) > maxCommands) return undefined
    const [name = "", ...args] = command.words.flatMap((word) => fieldsOf(word, scope, this.outputOf))
    return linesOf(baseName(name), args, scope)
  }
}

const assignment = /^[A-Za-z_]\w*\+?=/

/** Each subshell, `( … )` or a substitution, starts with a copy of the scope around it. */
const scopeOf = (shells: ReadonlyArray<number>, scopes: Map<string, Variables>): Variables => {
  const key = shells.join()
  const known = scopes.get(key)
  if (known !== undefined) return known
  const scope = childScope(scopeOf(shells.slice(0, -1), scopes))
  scopes.set(key, scope)
  return scope
}

/** `NAME=value`, `NAME+=value`. If the assignment may also not happen, the previous values stay possible. */
const set = (word: Word, scope: Variables, isSure: boolean, outputOf: OutputOf): void => {
  const [sign = "", name = ""] = /^([A-Za-z_]\w*)\+?=/.exec(word.text) ?? []
  const [first, ...rest] = word.parts
  if (first === undefined || !first.text.startsWith(sign) || sign === "") return
  const values = assigned([{ ...first, text: first.text.slice(sign.length) }, ...rest], scope, outputOf)
  const before = scope.variables.get(name) ?? []
  const added = sign.endsWith("+=") ? values.flatMap((value) => before.map((old) => old + value)) : values
  const isFull = scope.variables.size >= maxVariables && !scope.variables.has(name)
  // A variable that is not kept counts as unknown, since its name is among those mentioned.
  if (!isFull) scope.variables.set(name, (isSure ? added : [...before, ...added]).slice(-maxValues))
}

const maxValues = 16
const maxVariables = 200

const shellBuiltins = new Set(["set", "shift", "unset", "read", "mapfile", "readarray", "getopts", ".", "source"])

const setOptions = (tool: string, args: ReadonlyArray<string>, scope: Variables): void => {
  if (tool === "." || tool === "source") scope.isOpaque = true
  else if (tool === "shift") scope.positional = undefined
  else if (tool === "set") {
    if (args.some((arg) => /^-[a-z]*u|^nounset$/.test(arg))) scope.isStrict = true
    const end = args.indexOf("--")
    if (end !== -1) scope.positional = args.slice(end + 1)
  } else {
    for (const name of operandsOf(args)) scope.variables.set(name, [tool === "unset" ? "" : unknown])
  }
}

/** What a command writes to the next one in a pipeline. */
interface PipeOutput {
  readonly lines: ReadonlyArray<string>
  /** The lines are paths, and everything below them is listed too (`find`). */
  readonly isDeep: boolean
}

/** A command with its input as arguments, as `xargs` passes it: appended, or in place of `placeholder`. */
const withInput = (
  words: ReadonlyArray<string>,
  input: ReadonlyArray<string>,
  placeholder: string | undefined
): ReadonlyArray<string> => {
  if (placeholder === undefined) {
    return [...words, ...input.flatMap((line) => line.split(/[\s\0]+/).filter((item) => item !== ""))]
  }
  return words.flatMap((word) =>
    placeholder !== "" && word.includes(placeholder) ? input.map((item) => word.replaceAll(placeholder, item)) : [word]
  )
}

/** The lines that a command prints, as glob patterns where it lists files; undefined if they cannot be predicted. */
const linesOf = (tool: string, args: ReadonlyArray<string>, scope: Variables): ReadonlyArray<string> | undefined => {
  switch (tool) {
    case "echo":
      return [args.filter((arg, index) => index > 0 || !/^-[neE]+$/.test(arg)).join(" ")]
    case "printf": {
      const [format = "", ...values] = args
      return values.length > 0 ? values : format.split(/\n|\\[n0]/).filter((part) => part !== "")
    }
    case "pwd":
      return [scope.cwd]
    case "ls":
      return args.some((arg) => /^-[A-Za-z]*d/.test(arg)) ? operandsOf(args) : ["*"]
    case "find":
      return findResults(args)
    default:
      return undefined
  }
}

const commandLine = (words: ReadonlyArray<string>): string => words.map(quote).join(" ")

const quote = (word: string): string => (/^[\w./*?[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
