import { destroys } from "./Destructive.ts"
import type { Run } from "./Syntax.ts"
import { deletedPaths, execsOf, foundBy, operandsOf } from "./DeletedPaths.ts"
import { assigned, fieldsOf, type Output } from "./WordExpansion.ts"
import { isForkBomb } from "./ForkBomb.ts"
import { parse } from "./Parser.ts"
import { changeDirectory, childScope, mentionsIn, placeOf, rootScope, type Variables } from "./Variables.ts"
import type { Command, Script, Word } from "./Syntax.ts"
import { baseName, unwrap } from "./CommandPrefixes.ts"
import { absolutePath, type ShellPlace, unknown } from "./ProtectedPaths.ts"

/** What a command line would do, as far as it bears on whether it may run at all. */
export interface Findings {
  /** Why it is refused at every level (contract 7), if so. */
  readonly why: string | undefined
  /** Absolute paths, or patterns of them, that it erases with all that is in them, by their names. */
  readonly erases: ReadonlyArray<string>
}

/** What has command lines in command lines in command lines beyond this, or so much in them, is not run at all. */
const maxDepth = 8
const maxCommands = 100_000
const maxRead = 1_000_000
const tooDeep = "it is nested too deep to be looked into"

/** More erasures than this are not told. */
const maxErasures = 100

/**
 * Goes through a command line as the shell would, without running anything. It is blocked if it erases `/` or a home
 * directory, formats or overwrites a disk, shuts the machine down, reaches into another process, or is a fork bomb.
 *
 * Erased is what a recursive deletion names once braces, `~`, variables, substitutions of `echo`, what comes over a pipe
 * and the directory it runs in are put in their place, as far as they are known from the line itself and its environment.
 * A pattern counts for all that it could match, and a variable that is set nowhere is empty. What cannot be known is not
 * held against it: then the question asks.
 */
export const inspect = (source: string, place: ShellPlace): Findings => {
  const inspection = new Inspection()
  // These characters stand for something else in what follows.
  inspection.look(source.replaceAll(/[\uE000-\uF8FF]/g, "_"), rootScope(place), 0)
  const { erases, why } = inspection
  return { why, erases: [...erases] }
}

const shells = new Set("sh bash dash zsh ksh ash fish cmd powershell pwsh su script".split(" "))
const passing = new Set(["cat", "sort", "uniq", "tee"])
const declaring = new Set(["export", "declare", "local", "readonly", "typeset"])

class Inspection {
  why: string | undefined
  readonly erases = new Set<string>()
  private commands = 0
  private read = 0

  look(source: string, outer: Variables, depth: number): void {
    this.read += source.length
    if (depth > maxDepth || this.read > maxRead) this.why ??= tooDeep
    if (this.why !== undefined) return
    if (isForkBomb(source)) this.why = "it is a fork bomb"
    // Which of the two it is depends on the shell.
    if (/\$['"]/.test(source)) this.follow(parse(source, true), source, childScope(outer), depth)
    this.follow(parse(source), source, outer, depth)
  }

  private follow(script: Script, source: string, outer: Variables, depth: number): void {
    if (script.features.has("depth")) this.why ??= tooDeep
    const positional = script.features.has("function") ? undefined : outer.positional
    const top = Object.assign(outer, { positional, mentioned: [...outer.mentioned, mentionsIn(source)] })
    const scopes = new Map<string, Variables>([["", top]])
    let said: Said | undefined
    for (const command of script.commands) {
      this.commands += 1
      if (this.commands > maxCommands) this.why ??= tooDeep
      if (this.why !== undefined) return
      const scope = scopeOf(command.shells, scopes)
      const fed = command.joint === "|" ? said : undefined
      said = this.run(command, script, scope, fed, depth)
    }
  }

  /** What it says, where that is known. */
  private run(
    command: Command,
    script: Script,
    scope: Variables,
    fed: Said | undefined,
    depth: number
  ): Said | undefined {
    const fields = (words: ReadonlyArray<Word>) => words.flatMap((word) => fieldsOf(word, scope, this.output))
    if (command.isLoop) {
      const [name = "", , ...values] = fields(command.words)
      // Short ones first: of very many, only the first are looked at, and what matters most is short.
      const distinct = [...new Set(values)].toSorted((one, other) => one.length - other.length)
      if (name !== "") scope.variables.set(name, distinct.length === 0 ? [unknown] : distinct)
      return undefined
    }
    const first = command.words.findIndex((word) => !assignment.test(word.text))
    const settings = first === -1 ? command.words : command.words.slice(0, first)
    const isSure = !/[&|]/.test(command.joint) && !script.features.has("compound") && !script.features.has("function")
    const { folder, viaXargs, words: unwrapped } = unwrap(first === -1 ? [] : fields(command.words.slice(first)))
    // Before a command they are only for that.
    const inner = first > 0 || folder !== undefined ? childScope(scope) : scope
    for (const word of settings) set(word, inner, first !== -1 || isSure, this.output)
    const input = [...(fed?.lines ?? []), ...command.input.split("\n").filter((line) => line !== "")]
    const given = viaXargs === undefined ? unwrapped : withInput(unwrapped, input, viaXargs.placeholder)
    const [name = "", ...args] = given
    const tool = baseName(name)
    if (folder !== undefined) changeDirectory(inner, [folder])
    if (declaring.has(tool)) for (const word of command.words.slice(1)) set(word, scope, isSure, this.output)
    else if (tool === "cd" || tool === "pushd") changeDirectory(scope, args)
    else if (shellBuiltins.has(tool)) setOptions(tool, args, scope)
    this.lookInside(tool, args, input, inner, depth)
    const each = viaXargs !== undefined && fed?.isDeep === true ? input : []
    const run: Run = { tool, args, each, targets: fields(command.writes), sources: fields(command.reads) }
    const place = placeOf(folder === undefined ? scope : inner)
    for (const path of deletedPaths(run)) {
      const absolute = absolutePath(path, place)
      const isKnown = !absolute.includes(unknown) && this.erases.size < maxErasures
      if (isKnown) this.erases.add(path.endsWith("/") && absolute !== "/" ? `${absolute}/` : absolute)
    }
    this.why ??= destroys(run, place)
    if (passing.has(tool)) return { lines: input, isDeep: fed?.isDeep ?? false }
    const lines = saidBy(tool, args, scope)
    return lines === undefined ? undefined : { lines, isDeep: tool === "find" }
  }

  /** Command lines that a command runs. */
  private lookInside(
    tool: string,
    args: ReadonlyArray<string>,
    input: ReadonlyArray<string>,
    scope: Variables,
    depth: number
  ): void {
    const look = (source: string, inner = childScope(scope)) => this.look(source, inner, depth + 1)
    if (tool === "eval") return look(args.join(" "), scope)
    if (tool === "trap" || tool === "watch") return look(args.join(" "))
    if (tool === "alias") return args.forEach((arg) => look(arg.slice(arg.indexOf("=") + 1)))
    if ((tool === "." || tool === "source") && input.length > 0) return look(input.join("\n"), scope)
    if (tool === "parallel") {
      const at = args.indexOf(":::")
      const command = args.slice(
        args.findIndex((arg) => !arg.startsWith("-")),
        at === -1 ? undefined : at
      )
      return look(
        withInput(command, at === -1 ? input : args.slice(at + 1), undefined)
          .map(quote)
          .join(" ")
      )
    }
    if (tool === "find") {
      const found = foundBy(args)
      for (const exec of execsOf(args)) {
        look(
          exec
            .flatMap((word) => (word === "{}" ? found : [word]))
            .map(quote)
            .join(" ")
        )
      }
    }
    if (!shells.has(tool)) return
    const at = args.findIndex((arg) => /^-[A-Za-z]*c$/.test(arg))
    const inner = childScope(scope)
    // More options may stand between it and the command line.
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
    for (const source of [...sources, input.join("\n")]) if (source !== "") look(source, childScope(inner))
  }

  /** What a substitution says. It is looked into as the commands that stand in it, not here. */
  private readonly output: Output = (source, scope) => {
    const [command, ...others] = parse(source).commands
    if (command === undefined || others.length > 0 || (this.commands += 1) > maxCommands) return undefined
    const [name = "", ...args] = command.words.flatMap((word) => fieldsOf(word, scope, this.output))
    return saidBy(baseName(name), args, scope)
  }
}

const assignment = /^[A-Za-z_]\w*\+?=/

/** `( … )` and substitutions begin with what is known around them, and change nothing there. */
const scopeOf = (shells: ReadonlyArray<number>, scopes: Map<string, Variables>): Variables => {
  const key = shells.join()
  const found = scopes.get(key)
  if (found !== undefined) return found
  const scope = childScope(scopeOf(shells.slice(0, -1), scopes))
  scopes.set(key, scope)
  return scope
}

/** `NAME=value`, `NAME+=value`; where that may also not happen, what it was before stays possible. */
const set = (word: Word, scope: Variables, isSure: boolean, output: Output): void => {
  const [sign = "", name = ""] = /^([A-Za-z_]\w*)\+?=/.exec(word.text) ?? []
  const [first, ...rest] = word.parts
  if (first === undefined || !first.text.startsWith(sign) || sign === "") return
  const values = assigned([{ ...first, text: first.text.slice(sign.length) }, ...rest], scope, output)
  const before = scope.variables.get(name) ?? []
  const added = sign.endsWith("+=") ? values.flatMap((value) => before.map((old) => old + value)) : values
  const isFull = scope.variables.size >= maxVariables && !scope.variables.has(name)
  // What is not kept is unknown: its name is mentioned.
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

/** What a command says to the next one. */
interface Said {
  readonly lines: ReadonlyArray<string>
  /** All that is in what it names is named too. */
  readonly isDeep: boolean
}

/** A command with what `xargs` gives it: behind its words, or in the place of some text. */
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

/** What a command prints, line by line; patterns where it lists. */
const saidBy = (tool: string, args: ReadonlyArray<string>, scope: Variables): ReadonlyArray<string> | undefined => {
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
      return foundBy(args)
    default:
      return undefined
  }
}

const quote = (word: string): string => (/^[\w./*?[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
