import { operandsOf } from "./DeletedPaths.ts"
import { unknown } from "./ProtectedPaths.ts"
import { separator, type Word } from "./Syntax.ts"
import { setVariable, type Values, type Variables } from "./Variables.ts"
import { assigned, fieldsOf, maxText, type OutputOf } from "./WordExpansion.ts"

/** Only the first of many values are tried, and the most dangerous ones are short. */
export const shortestFirst = (values: Values): Values => {
  const distinct = [...new Set(values)].toSorted((one, other) => one.length - other.length)
  return distinct.length === 0 ? [unknown] : distinct
}

/** `NAME=value`, `NAME+=value`, `NAME=(value …)`, `NAME[index]=value`. */
export const set = (word: Word, scope: Variables, isSure: boolean, outputOf: OutputOf): void => {
  const [sign = "", name = "", index = ""] = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/.exec(word.text) ?? []
  const [first, ...rest] = word.parts
  if (first === undefined || !first.text.startsWith(sign) || sign === "") return
  const parts = [{ ...first, text: first.text.slice(sign.length) }, ...rest]
  const before = scope.variables.get(name) ?? [""]
  const listOf = (value: string) => (value === "" || value.startsWith(separator) ? value : separator + value)
  const isArray = index !== "" || word.text.startsWith(`${sign}${separator}`)
  const isAdded = index !== "" || sign.endsWith("+=")
  let values = isArray ? [] : assigned(parts, scope, outputOf)
  if (isArray) {
    const items = fieldsOf({ ...word, parts }, scope, outputOf).map((item) => item.replace(/^\[[^\]]*\]=/, ""))
    values = [items.map((item) => separator + item).join("")]
  }
  if (isAdded) values = values.flatMap((value) => before.map((old) => (isArray ? listOf(old) : old) + value))
  setVariable(
    scope,
    name,
    values.map((value) => (value.length > maxText ? unknown : value)),
    isSure
  )
}

/** `read` and `mapfile`: each line may be the one that is read. */
export const readVariables = (tool: string, args: Values, lines: Values, scope: Variables, inner: Variables): void => {
  const valued = tool === "read" ? /^-[a-zA-Z]*[pdntuNi]$/ : /^-[a-zA-Z]*[dnOsuCc]$/
  const isList = tool !== "read" || args.some((arg) => /^-[a-zA-Z]*a/.test(arg))
  const names = operandsOf(args.filter((_, index) => !valued.test(args[index - 1] ?? "")))
  const blanks = inner.variables.get("IFS")?.[0] ?? " \t"
  const split = (line: string) => {
    const items: Array<string> = [""]
    for (const char of line) {
      if (!blanks.includes(char)) items.push((items.pop() ?? "") + char)
      else if (items.at(-1) !== "") items.push("")
    }
    return items
  }
  const rows = tool === "read" ? lines.map(split) : [lines]
  const list = names.length > 0 ? names : [tool === "read" ? "REPLY" : "MAPFILE"]
  for (const [index, name] of list.entries()) {
    const values = rows.map((row) => {
      if (isList) return row.map((item) => separator + item).join("")
      return index === list.length - 1 ? row.slice(index).join(" ").trim() : (row[index] ?? "")
    })
    scope.variables.set(name, shortestFirst(lines.length === 0 ? [unknown] : values))
  }
}

/** Follows builtins that change the variables or the options of the shell. */
export const followBuiltin = (tool: string, args: Values, scope: Variables): void => {
  const { positional } = scope
  if (tool === "." || tool === "source") scope.isOpaque = true
  else if (tool === "shift") {
    scope.positional = positional?.toSpliced(1, Number(args[0] ?? 1) || 0)
  } else if (tool === "set") {
    if (args.some((arg) => /^-[a-z]*u|^nounset$/.test(arg))) scope.isStrict = true
    const from = /^[-+]/.test(args[0] ?? "-") ? args.indexOf("--") + 1 : 0
    if (from > 0 || !/^[-+]/.test(args[0] ?? "-")) scope.positional = [positional?.[0] ?? unknown, ...args.slice(from)]
  } else if (tool === "unset" || tool === "getopts") {
    for (const name of operandsOf(args)) scope.variables.set(name, [tool === "unset" ? "" : unknown])
  }
}
