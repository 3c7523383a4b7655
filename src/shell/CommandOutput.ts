import * as NodePath from "node:path"
import { findResults, operandsOf } from "./DeletedPaths.ts"
import { absolutePath, unknown } from "./ProtectedPaths.ts"
import { scanAnsi } from "./Scanner.ts"
import { placeOf, type Values, type Variables, valuesOf } from "./Variables.ts"

/** Commands that print nothing. */
const quiet = new Set(
  `: true false cd pushd popd test [ set shift unset export declare local readonly typeset alias unalias shopt trap exec
  mkdir touch rm rmdir mv cp ln chmod chown kill sleep wait read mapfile readarray`.split(/\s+/)
)

/** The lines that a command prints, as glob patterns where it lists files; `unknown` if they cannot be predicted. */
export const linesOf = (tool: string, args: Values, input: Values, scope: Variables): Values => {
  const operands = operandsOf(args)
  const [first = unknown] = operands
  switch (tool) {
    case "echo": {
      const text = args.filter((arg, index) => index > 0 || !/^-[neE]+$/.test(arg)).join(" ")
      return splitLines(/^-n?e/.test(args[0] ?? "") ? decoded(text) : text)
    }
    case "printf":
      return splitLines(formatted(args[0] === "--" ? args.slice(1) : args))
    case "pwd":
      return [scope.cwd]
    case "dirname":
      return operands.map((path) => (path.includes(unknown) ? unknown : NodePath.posix.dirname(path)))
    case "basename": {
      const [path = "", suffix = ""] = args[0] === "-s" ? operands.toReversed() : operands
      return [path.includes(unknown) ? unknown : NodePath.posix.basename(path, suffix)]
    }
    case "realpath":
    case "readlink":
      return operands.map((path) => absolutePath(path, placeOf(scope)))
    case "printenv":
      return valuesOf(first, scope)
    case "which":
      return [first]
    case "command":
      return args[0] === "-v" ? [first] : [unknown]
    case "ls":
      return args.some((arg) => /^-\w*d/.test(arg)) ? operands : ["*"]
    case "find":
      return findResults(args)
    case "head":
    case "tail":
      return input.length > 0 ? input : [unknown]
    case "cat":
    case "sort":
    case "uniq":
    case "tee":
      return operands.length === 0 || tool === "tee" ? input : [unknown]
    default:
      return quiet.has(tool) || tool === "" ? [] : [unknown]
  }
}

const splitLines = (text: string): Values => text.split(/[\n\0]/).filter((line) => line !== "")

/** A text with its backslash escapes replaced. */
const decoded = (text: string): string => scanAnsi(text.replaceAll("'", "\\'"), 0).text

/** In characters. A longer output of `printf` counts as unknown. */
const maxFormatted = 16_384

/** What `printf` prints: the format is used again until there are no more values. */
const formatted = ([format = "", ...values]: Values): string => {
  let text = ""
  let rest = values
  do {
    const before = rest.length
    text += decoded(format).replaceAll(/%%|%[-+ #0]*[\d.*]*[a-zA-Z]/g, (spec) => {
      if (spec === "%%") return "%"
      const [value = "", ...others] = rest
      rest = others
      return spec.endsWith("b") ? decoded(value) : value
    })
    if (text.length > maxFormatted) return unknown
    if (rest.length === before) break
  } while (rest.length > 0)
  return text
}
