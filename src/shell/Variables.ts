import { absolutePath, type ShellPlace, unknown } from "./ProtectedPaths.ts"
import { separator } from "./Syntax.ts"

/** The possible values of a name. */
export type Values = ReadonlyArray<string>

/** The known state of a shell while its commands are followed. */
export interface Variables {
  readonly place: ShellPlace
  cwd: string
  /** The working directory before the last change of it. */
  oldCwd: string
  /** The values of an array are one text, each behind a `separator`. */
  readonly variables: Map<string, Values>
  /** From `$0` on; undefined if they cannot be known. */
  positional: Values | undefined
  /** `set -u`: an unset variable ends the shell. */
  isStrict: boolean
  /** A command that may have set any variable has run (`source`). */
  isOpaque: boolean
  /** Names that occur in the source without a `$` before them, and may be set there. */
  readonly mentioned: ReadonlyArray<ReadonlySet<string>>
}

export const rootScope = (place: ShellPlace): Variables => ({
  place,
  cwd: place.cwd,
  oldCwd: unknown,
  variables: new Map(),
  positional: [unknown],
  isStrict: false,
  isOpaque: false,
  mentioned: []
})

/** The scope of a subshell: its changes stay in it. */
export const childScope = (scope: Variables): Variables => ({ ...scope, variables: new Map(scope.variables) })

export const placeOf = ({ cwd, place }: Variables): ShellPlace => ({ ...place, cwd })

/** Names in a source that have no `$` before them. */
export const mentionsIn = (source: string): ReadonlySet<string> => {
  const names = new Set<string>()
  for (const { 1: sign, 2: name = "" } of source.matchAll(/(\$\{?[!#]?)?([A-Za-z_]\w*)/g)) {
    if (sign === undefined) names.add(name)
  }
  return names
}

const setByShells = new Set(
  `BASHPID DIRSTACK EPOCHSECONDS EUID GROUPS HOSTNAME HOSTTYPE IFS LINENO MACHTYPE OPTARG OPTIND OSTYPE PIPESTATUS
  PPID RANDOM REPLY SECONDS SHELL SHLVL SRANDOM UID`.split(/\s+/)
)

/** The possible values of a variable; none if it is unset and ends the shell. */
export const valuesOf = (name: string, scope: Variables): Values => {
  const { mentioned, place, positional, variables } = scope
  // The number of the shell's process: `/proc/$$` is `/proc/self`.
  if (name === "$") return ["self"]
  if (/^\d+$/.test(name)) return positional === undefined ? [unknown] : asSet(positional[Number(name)], scope)
  if (name === "@" || name === "*") return [positional === undefined ? unknown : positional.slice(1).join(separator)]
  if (!/^[A-Za-z_]/.test(name)) return [unknown]
  const assigned = variables.get(name)
  if (assigned !== undefined) return assigned
  if (name === "PWD") return [scope.cwd]
  if (name === "OLDPWD") return [scope.oldCwd]
  if (/^(env:)?(HOME|USERPROFILE)$/i.test(name)) return [place.home ?? unknown]
  const inherited = place.env[name]
  if (inherited !== undefined) return [inherited]
  if (name === "IFS" && !scope.isOpaque && !mentioned.some((names) => names.has(name))) return [" \t\n"]
  if (scope.isOpaque || mentioned.some((names) => names.has(name)) || setByShells.has(name)) return [unknown]
  return asSet(undefined, scope)
}

/** An unset variable is empty. */
const asSet = (value: string | undefined, { isStrict }: Variables): Values =>
  value === undefined ? (isStrict ? [] : [""]) : [value]

/** In characters, as on Linux. */
const longestPath = 4096

/** Follows a `cd`, `pushd` or `popd`. */
export const changeDirectory = (scope: Variables, args: Values): void => {
  const target = args.find((arg) => arg === "-" || !arg.startsWith("-")) ?? scope.place.home ?? unknown
  const cwd = target === "-" ? scope.oldCwd : absolutePath(target, placeOf(scope))
  scope.oldCwd = scope.cwd
  scope.cwd = cwd.length > longestPath ? unknown : cwd
}

const maxValues = 16
const maxVariables = 200

/** Sets a variable. If that may also not happen, the previous values stay possible. */
export const setVariable = (scope: Variables, name: string, values: Values, isSure: boolean): void => {
  const isFull = scope.variables.size >= maxVariables && !scope.variables.has(name)
  // A variable that is not kept counts as unknown, since its name is among those mentioned.
  if (isFull) return
  const before = isSure ? [] : (scope.variables.get(name) ?? [])
  scope.variables.set(name, [...new Set([...before, ...values])].slice(-maxValues))
}
