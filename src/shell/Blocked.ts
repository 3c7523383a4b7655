import { destroys, isForkBomb } from "./Destructive.ts"
import { deletedPaths } from "./DeletedPaths.ts"
import { type Block, type Blocks, blocksOf, isCloser, isOpener } from "./Blocks.ts"
import { followBuiltin, readVariables, set, shortestFirst } from "./Builtins.ts"
import { linesOf } from "./CommandOutput.ts"
import { assigned, fieldsOf, type OutputOf, partsIn } from "./WordExpansion.ts"
import { parse } from "./Parser.ts"
import {
  changeDirectory,
  childScope,
  mentionsIn,
  placeOf,
  rootScope,
  setVariable,
  type Values,
  type Variables
} from "./Variables.ts"
import { type Command, type Run, type Script, type Word } from "./Syntax.ts"
import { baseName, unwrap } from "./CommandPrefixes.ts"
import { aliasesIn, commandLine, nestedIn, withInput } from "./NestedCommands.ts"
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
 * Limits on nested command lines (`sh -c "sh -c …"`) and calls: depth, number of commands, characters. Beyond any of
 * them the command is blocked.
 */
const maxDepth = 8
const maxCommands = 100_000
const maxRead = 1_000_000
const tooDeep = "it is nested too deep to be looked into"

/** A function that calls itself is followed into this many of its calls. */
const maxRecursion = 2

/** A function is followed for this many further values in place of its first argument. */
const maxSpare = 16

/** At most this many deleted paths are reported. */
const maxErasures = 100

/**
 * Interprets a command line as the shell would, without running anything. It is blocked if it erases `/` or a home
 * directory, formats or overwrites a disk, shuts the machine down, reaches into another process, or is a fork bomb.
 *
 * The erased paths are the operands of recursive deletions after expansion of braces, `~`, variables, arrays,
 * substitutions whose output is known, piped input, the functions of the line and the working directory, as far as the
 * line itself and its environment determine them. A pattern counts for everything that it could match, and a variable
 * that is set nowhere is empty. A command is not blocked for what cannot be known before it runs: it asks instead.
 */
export const inspect = (source: string, place: ShellPlace): Findings => {
  const inspection = new Inspection()
  // From here on, characters of private use are placeholders.
  inspection.analyse(source.replaceAll(/[\uE000-\uF8FF]/g, "_"), rootScope(place))
  const { erases, programs, why } = inspection
  return { why, erases: [...erases], programs: [...programs] }
}

const declaring = new Set(["export", "declare", "local", "readonly", "typeset"])
const assignment = /^[A-Za-z_]\w*(\[[^\]]*\])?\+?=/

/** The commands of one shell or compound command, while they are followed. */
interface Level {
  /** What its commands read where nothing is piped into them. */
  readonly stdin: Values
  printed: Values
  /** The same, once it is no longer shared with another level. */
  own: Array<string> | undefined
  /** The output of its last command, which a pipe may take. */
  last: Values
}

/** How the commands of a block are followed. */
interface Mode {
  readonly stdin: Values
  /** They run for certain, so that an assignment replaces what was there. */
  readonly isSure: boolean
  /** What they do has been checked before: only their output matters now. */
  readonly isForOutput: boolean
}

class Inspection {
  why: string | undefined
  readonly erases = new Set<string>()
  readonly programs = new Set<string>()
  private depth = -1
  private commands = 0
  private read = 0
  private readonly functions = new Map<string, readonly [Blocks, Block]>()
  private readonly aliases = new Map<string, string>()
  /** The functions and aliases that are being followed. */
  private readonly calls: Array<string> = []

  analyse(source: string, outer: Variables, stdin: Values = []): void {
    this.read += source.length
    if (this.depth >= maxDepth || this.read > maxRead) this.why ??= tooDeep
    if (this.why !== undefined) return
    this.depth += 1
    if (isForkBomb(source)) this.why = "it is a fork bomb"
    // Shells differ in how they read `$'…'` and `$"…"`: both ways are followed.
    if (/\$['"]/.test(source)) this.follow(parse(source, true), source, childScope(outer), stdin)
    this.follow(parse(source), source, outer, stdin)
    this.depth -= 1
  }

  private follow(script: Script, source: string, outer: Variables, stdin: Values): void {
    if (script.features.has("depth")) this.why ??= tooDeep
    const scope = Object.assign(outer, { mentioned: [...outer.mentioned, mentionsIn(source)] })
    const blocks = blocksOf(script.commands)
    for (const [name, block] of blocks.functions) this.functions.set(name, [blocks, block])
    this.followBlock(blocks, wholeOf(blocks), scope, { stdin, isSure: true, isForOutput: false })
  }

  /** Follows the commands of a block in their order, and returns what they print. */
  private followBlock(blocks: Blocks, block: Block, top: Variables, mode: Mode): Values {
    const scopes = new Map<string, Variables>([["", top]])
    const all = new Map<string, Array<Level>>()
    const levelsOf = (key: string) => all.get(key) ?? [{ stdin: mode.stdin, printed: [], own: undefined, last: [] }]
    const base = levelsOf("")
    all.set(block.shells.join(), base)
    const groups: Array<Level> = []
    // The end of the functions whose definition is being followed, not a call of them.
    let definedTo = -1
    for (let index = block.from; index <= block.to; index++) {
      const command = blocks.commands[index]
      if (command === undefined || this.why !== undefined) break
      const { keywords } = command
      const key = command.shells.join()
      const isGroup = keywords[0] === "("
      if (mode.isForOutput && !isGroup && !all.has(key)) continue
      this.commands += 1
      if (this.commands > maxCommands) this.why ??= tooDeep
      const levels = levelsOf(key)
      all.set(key, levels)
      const isPiped = command.joint === "|"
      const before = (isGroup ? levelsOf(command.shells.slice(0, -1).join()) : levels).at(-1)
      let stdin = (isPiped ? before?.last : before?.stdin) ?? []
      if (before !== undefined) settle(before, isPiped)
      const scope = scopeOf(command.shells, scopes)
      let opened = 0
      for (const keyword of keywords) {
        if (isOpener(keyword)) {
          const end = blocks.commands[blocks.ends.get(index)?.[opened] ?? index]
          stdin = (end && this.inputOf(end, scope)) ?? stdin
          opened += 1
          const level = { stdin, printed: [], own: undefined, last: [] }
          levels.push(level)
          if (keyword === "(") groups.push(level)
        } else if (isCloser(keyword)) {
          const closed = keyword === ")" ? groups.pop() : levels.length > 1 ? levels.pop() : undefined
          if (closed === undefined) continue
          settle(closed, false)
          for (const level of levels.slice(-1)) level.last = closed.printed
        }
      }
      const body = blocks.bodies.get(index)
      if (body !== undefined && body !== block) definedTo = Math.max(definedTo, body.to)
      if (command.words.length === 0 && command.writes.length === 0 && command.reads.length === 0) continue
      const { positional } = scope
      const isDefinition = index <= definedTo
      if (isDefinition) scope.positional = undefined
      const isSure = mode.isSure && levels.length === 1 && !isDefinition && !/[&|]/.test(command.joint)
      const printed = this.run(command, scope, { ...mode, stdin, isSure })
      if (isDefinition) scope.positional = positional
      for (const level of levels.slice(-1)) level.last = printed
    }
    for (const level of base) settle(level, false)
    return base.flatMap(({ printed }) => printed)
  }

  /** The lines of a here-document or `<(…)` that a command reads; undefined if there is none. */
  private inputOf({ input, reads, words }: Command, scope: Variables): Values | undefined {
    if (input !== "") return input.split("\n").filter((line) => line !== "")
    const process = [...reads, ...words].find(({ text }) => text.startsWith("<("))
    return process && this.outputOf(process.text.slice("<(".length, -1), scope)
  }

  /** Follows one command and returns what it prints. */
  private run(command: Command, scope: Variables, { isForOutput, isSure, stdin }: Mode): Values {
    const fields = (words: ReadonlyArray<Word>) => words.flatMap((word) => fieldsOf(word, scope, this.outputOf))
    if (command.isLoop) {
      const [name = "", , ...listed] = fields(command.words)
      const values = command.words.length > 1 ? listed : (scope.positional?.slice(1) ?? [unknown])
      if (name !== "") scope.variables.set(name, shortestFirst(values))
      return []
    }
    const first = command.words.findIndex((word) => !assignment.test(word.text))
    const assignments = first === -1 ? command.words : command.words.slice(0, first)
    const prefixed = first === -1 ? [] : fields(command.words.slice(first))
    const { folder, settings, viaXargs, words } = unwrap(prefixed)
    for (const [program = ""] of isForOutput ? [] : [prefixed, words]) if (program !== "") this.programs.add(program)
    // Assignments before a command apply to that command alone.
    const inner = first > 0 || folder !== undefined || settings.length > 0 ? childScope(scope) : scope
    for (const word of assignments) set(word, inner, first !== -1 || isSure, this.outputOf)
    for (const setting of settings) {
      const [name = "", ...value] = setting.split("=")
      setVariable(inner, name, [value.join("=")], true)
    }
    const input = this.inputOf(command, scope) ?? stdin
    const expanded = () =>
      input.flatMap((line) => (/[$`~]/.test(line) ? assigned(partsIn(line), scope, this.outputOf) : [line]))
    const given = viaXargs === undefined ? words : withInput(words, expanded(), viaXargs)
    const [name = "", ...args] = given
    const tool = baseName(name)
    if (folder !== undefined) changeDirectory(inner, [folder])
    if (declaring.has(tool)) for (const word of command.words.slice(1)) set(word, scope, isSure, this.outputOf)
    else if (tool === "cd" || tool === "pushd") changeDirectory(scope, args)
    else if (tool === "popd") changeDirectory(scope, ["-"])
    else if (/^(read|mapfile|readarray)$/.test(tool)) readVariables(tool, args, expanded(), scope, inner)
    else if (tool === "printf" && args[0] === "-v") {
      setVariable(scope, args[1] ?? "", linesOf(tool, args.slice(2), [], scope), isSure)
    } else followBuiltin(tool, args, scope)
    if (tool === "alias") for (const [alias, text] of aliasesIn(args)) this.aliases.set(alias, text)
    for (const nested of isForOutput ? [] : nestedIn(tool, args, input, inner)) {
      if (nested.source.trim() !== unknown) this.analyse(nested.source, nested.scope, input)
    }
    const run: Run = { tool, args, input, targets: fields(command.writes), sources: fields(command.reads) }
    const place = placeOf(folder === undefined ? scope : inner)
    for (const path of deletedPaths(run)) {
      const absolute = absolutePath(path, place)
      const isKnown = !absolute.includes(unknown) && this.erases.size < maxErasures
      if (isKnown) this.erases.add(path.endsWith("/") && absolute !== "/" ? `${absolute}/` : absolute)
    }
    this.why ??= destroys(run, place)
    return (
      this.call(name, args, given.length - command.words.length + Math.max(first, 0), inner, {
        isForOutput,
        isSure,
        stdin: input
      }) ?? linesOf(tool, args, input, scope)
    )
  }

  /** Follows a call of a function or an alias of the line; undefined if the name is neither. */
  private call(name: string, args: Values, spare: number, scope: Variables, mode: Mode): Values | undefined {
    const alias = this.aliases.get(name)
    const known = this.functions.get(name)
    const running = this.calls.filter((call) => call === name).length
    if ((alias === undefined && known === undefined) || running >= (known === undefined ? 1 : maxRecursion))
      return undefined
    if (this.depth >= maxDepth && running > 0) return undefined
    if (this.depth >= maxDepth) this.why ??= tooDeep
    this.calls.push(name)
    this.depth += 1
    if (alias !== undefined) this.analyse(`${alias} ${commandLine(args)}`, scope, mode.stdin)
    let printed: Values = [unknown]
    // Where one word stands for several values, each of them may be the first.
    const last = known === undefined ? -1 : Math.max(0, Math.min(spare, maxSpare))
    for (let from = 0; from <= last; from++) {
      const inner = { ...scope, positional: [scope.positional?.[0] ?? unknown, ...args.slice(from)] }
      printed = known === undefined ? [] : this.followBlock(...known, inner, mode)
      scope.cwd = inner.cwd
    }
    this.depth -= 1
    this.calls.pop()
    return printed
  }

  private readonly blocks = new Map<string, Blocks>()

  /** What its commands do is checked as a part of the script. */
  private readonly outputOf: OutputOf = (source, scope) => {
    if (this.why !== undefined) return [unknown]
    const blocks = this.blocks.get(source) ?? blocksOf(parse(source).commands)
    this.blocks.set(source, blocks)
    return this.followBlock(blocks, wholeOf(blocks), childScope(scope), { stdin: [], isSure: true, isForOutput: true })
  }
}

const wholeOf = ({ commands }: Blocks): Block => ({ from: 0, to: commands.length - 1, shells: [] })

/** Ends a pipeline: what the last command printed is printed by the whole, unless a pipe took it. */
const settle = (level: Level, isPiped: boolean): void => {
  if (!isPiped && level.printed.length === 0) level.printed = level.last
  else if (!isPiped && level.last.length > 0) {
    level.own ??= [...level.printed]
    for (const line of level.last) level.own.push(line)
    level.printed = level.own
  }
  level.last = []
}

/** Each subshell, `( … )` or a substitution, starts with a copy of the scope around it. */
const scopeOf = (inShells: ReadonlyArray<number>, scopes: Map<string, Variables>): Variables => {
  const key = inShells.join()
  const known = scopes.get(key)
  if (known !== undefined) return known
  const scope = childScope(scopeOf(inShells.slice(0, -1), scopes))
  scopes.set(key, scope)
  return scope
}
