import { destroys, resolveFrom, type ShellPlace } from "./ShellDestroyers.ts"
import { type Command, parse } from "./ShellParser.ts"

/** More nesting of command lines in command lines than this is not looked into. */
const maxDepth = 8

/**
 * Why a command line is refused at every level (contract 7): it erases `/` or the home directory, formats or overwrites
 * a disk, shuts the machine down, or is a fork bomb. What is hidden well enough is not found: then the question asks.
 */
export const blockedBecause = (source: string, from: ShellPlace, depth = 0): string | undefined => {
  if (depth > maxDepth) return undefined
  if (isForkBomb(source)) return "it is a fork bomb"
  let place = from
  let before: Command | undefined
  for (const command of parse(source).commands) {
    const words = unwrap(command.words.map(({ text }) => text))
    const [name = "", ...args] = words
    const tool = baseName(name)
    if (tool === "cd" || tool === "pushd") place = { ...place, cwd: resolveFrom(args.at(-1) ?? "~", place) }
    for (const inner of innerSources(tool, args, command, before)) {
      const why = blockedBecause(inner, place, depth + 1)
      if (why !== undefined) return why
    }
    const targets = command.writes.map(({ text }) => text)
    const why = destroys({ tool, args, targets }, place)
    if (why !== undefined) return why
    before = command
  }
  return undefined
}

const shells = new Set("sh bash dash zsh ksh ash fish cmd powershell pwsh su script".split(" "))

/** Command lines that a command runs. */
const innerSources = (
  tool: string,
  args: ReadonlyArray<string>,
  { input }: Command,
  before: Command | undefined
): ReadonlyArray<string> => {
  if (tool === "eval" || tool === "trap" || tool === "watch") return [args.join(" ")]
  if (tool === "find") {
    const exec = args.findIndex((arg) => /^-(exec|ok)(dir)?$/.test(arg))
    return exec === -1
      ? []
      : [
          args
            .slice(exec + 1)
            .map(quote)
            .join(" ")
        ]
  }
  if (!shells.has(tool)) return []
  // `echo 'rm -rf /' | sh`
  const isFed = /^(echo|printf)$/.test(before?.words[0]?.text ?? "")
  const fed = isFed ? (before?.words ?? []).slice(1).map(({ text }) => text) : []
  const said = args.filter((arg) => !/^[-/][A-Za-z]{1,2}$/.test(arg))
  return [said.join("\n"), input, fed.join(" ")].filter((source) => source !== "")
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Commands that run another one, with the number of operands that come before it. */
const wrappers = new Map<string, number>([
  ...words("sudo doas env nohup nice ionice time setsid stdbuf command builtin exec xargs busybox toybox unbuffer").map(
    (name) => [name, 0] as const
  ),
  ...words("caffeinate systemd-run").map((name) => [name, 0] as const),
  ...words("timeout chroot flock").map((name) => [name, 1] as const)
])

function words(text: string): ReadonlyArray<string> {
  return text.split(" ")
}

/** Options of wrappers that have a value of their own. */
const valued = /^-(?:[ugCDhpRTnIoeiEsk]|-user|-group|-chdir|-signal)$/

/** The command that is run in the end. */
const unwrap = (given: ReadonlyArray<string>): ReadonlyArray<string> => {
  let at = 0
  for (;;) {
    while (/^[A-Za-z_]\w*\+?=/.test(given[at] ?? "")) at += 1
    const operands = wrappers.get(baseName(given[at] ?? ""))
    if (operands === undefined) return given.slice(at)
    at += 1
    let left = operands
    while (at < given.length) {
      const word = given[at] ?? ""
      if (word === "-S" || word === "--split-string") return ["eval", ...given.slice(at + 1)]
      if (!word.startsWith("-")) {
        if (left === 0) break
        left -= 1
      } else if (valued.test(word) && !isCommand.test(baseName(given[at + 1] ?? ""))) at += 1
      at += 1
    }
  }
}

/** What cannot be the value of an option: skipping it would hide it. */
const isCommand = /^(rm|dd|shred|mkfs|find|shutdown|reboot|halt|poweroff|init|tee|sh|bash|eval|sudo|env)\b/

const baseName = (path: string): string => path.replace(/^.*[/\\]/, "").replace(/\.exe$/i, "")

const bombWindow = 200

/** `f() { f | f & }; f` by any name, and its kin in other languages. */
const isForkBomb = (source: string): boolean => {
  const dense = source.replaceAll(/\s+/g, "").replaceAll("function", "")
  for (const { 1: name = "", index } of dense.matchAll(/([^(){};|&'"`$<>]{1,40})(?:\(\))?\{/g)) {
    const body = dense.slice(index + name.length, index + name.length + bombWindow)
    for (const joint of ["|", "|&", "&"]) {
      if (body.includes(`${name}${joint}${name}`)) return true
    }
  }
  return /\bfork\s?(?:\(\s?\))?\s?while\b|\bwhile\s?\(?\s?(?:1|true)\s?\)?\s?[:;{]?\s?(?:os\.)?fork\b|\$0\s?[|&]\s?\$0\s?&/i.test(
    source
  )
}
