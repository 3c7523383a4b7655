import type { Xargs } from "./CommandPrefixes.ts"
import { execsOf, findResults } from "./DeletedPaths.ts"
import { unknown } from "./ProtectedPaths.ts"
import { childScope, type Values, type Variables } from "./Variables.ts"

/** A command line that another command runs, and the state of the shell that runs it. */
export interface Nested {
  readonly source: string
  readonly scope: Variables
}

/** The command lines that a command runs, such as those of `eval`, `find -exec` and `sh -c`. */
export const nestedIn = (tool: string, args: Values, input: Values, scope: Variables): ReadonlyArray<Nested> => {
  const apart = (source: string) => ({ source, scope: childScope(scope) })
  switch (tool) {
    case "eval":
      // Unknown text may set anything.
      if (args.some((arg) => arg.includes(unknown))) scope.isOpaque = true
      return [{ source: args.join(" "), scope }]
    case "trap":
      return [apart(args.join(" "))]
    case "alias":
      return aliasesIn(args).map(([, text]) => apart(text))
    case ".":
    case "source":
      return [{ source: input.join("\n"), scope }]
    case "parallel": {
      const at = args.indexOf(":::")
      const from = args.findIndex((arg) => !arg.startsWith("-"))
      const items = (at === -1 ? input : args.slice(at + 1)).map(quote)
      const command = args.slice(from, at === -1 ? undefined : at).join(" ")
      const isPlaced = command.includes("{}")
      return (isPlaced ? items.map((item) => command.replaceAll("{}", item)) : [[command, ...items].join(" ")]).map(
        apart
      )
    }
    case "find": {
      const results = findResults(args)
      return execsOf(args).map((exec) =>
        apart(commandLine(withInput(exec, results, { placeholder: "{}", delimiter: undefined })))
      )
    }
    default:
      return shells.has(tool) ? shellSources(tool, args, input, scope) : []
  }
}

const shells = new Set("sh bash rbash dash zsh ksh mksh ash fish cmd powershell pwsh su runuser script".split(" "))

export const isShell = (name: string): boolean => shells.has(name)

/** The command line and the input of a shell. */
const shellSources = (tool: string, args: Values, input: Values, outer: Variables): ReadonlyArray<Nested> => {
  const at = args.findIndex((arg) => /^(-[A-Za-z]*c|--command(=.*)?)$/s.test(arg))
  // More options may stand between `-c` and the command line.
  const from =
    at +
    1 +
    Math.max(
      0,
      args.slice(at + 1).findIndex((arg) => !/^[-+]/.test(arg))
    )
  const attached = /^--command=(.*)$/s.exec(args[at] ?? "")?.[1]
  const operands = args.filter((arg) => !/^([-/][A-Za-z]{1,2}|--)$/.test(arg))
  const isOther = /^(cmd|powershell|pwsh|su|runuser|script)$/.test(tool)
  const source = at === -1 ? (isOther ? operands.join("\n") : "") : (attached ?? args[from] ?? "")
  const named = at === -1 ? operands.slice(args.some((arg) => /^-[A-Za-z]*s/.test(arg)) ? 0 : 1) : args.slice(from + 2)
  const zero = at === -1 ? unknown : (args[from + 1] ?? unknown)
  return [source, input.join("\n")].map((each) => ({
    source: each,
    scope: { ...childScope(outer), positional: [zero, ...named] }
  }))
}

/** The names and texts in `alias name=text`. */
export const aliasesIn = (args: Values): ReadonlyArray<readonly [string, string]> =>
  args.flatMap((arg) => {
    const at = arg.indexOf("=")
    return at > 0 ? [[arg.slice(0, at), arg.slice(at + 1)] as const] : []
  })

/** A command with its input as arguments, as `xargs` passes it: appended, or in place of the placeholder. */
export const withInput = (words: Values, input: Values, { delimiter, placeholder }: Xargs): Values => {
  if (placeholder === undefined) {
    const items = input.flatMap((line) => line.split(delimiter ?? /[\s\0]+/).filter((item) => item !== ""))
    return [...words, ...items]
  }
  return words.flatMap((word) =>
    placeholder !== "" && word.includes(placeholder) ? input.map((item) => word.replaceAll(placeholder, item)) : [word]
  )
}

export const commandLine = (words: Values): string => words.map(quote).join(" ")

const quote = (word: string): string => (/^[\w./*?[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
