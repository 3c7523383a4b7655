import { absolutePath, type ShellPlace, unknown } from "./ProtectedPaths.ts"

/** The possible values of a name. */
export type Values = ReadonlyArray<string>

/** The known state of a shell while its commands are followed. */
export interface Variables {
  readonly place: ShellPlace
  cwd: string
  readonly variables: Map<string, Values>
  /** From `$1` on; undefined if they cannot be known. */
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
  variables: new Map(),
  positional: [],
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
  `BASHPID DIRSTACK EPOCHSECONDS EUID GROUPS HOSTNAME HOSTTYPE IFS LINENO MACHTYPE OLDPWD OPTARG OPTIND OSTYPE PIPESTATUS
  PPID RANDOM REPLY SECONDS SHELL SHLVL SRANDOM UID`.split(/\s+/)
)

/** The possible values of a variable; none if it is unset and ends the shell. */
export const valuesOf = (name: string, scope: Variables): Values => {
  const { mentioned, place, positional, variables } = scope
  // The number of the shell's process: `/proc/$$` is `/proc/self`.
  if (name === "$") return ["self"]
  if (/^[1-9]$/.test(name)) return positional === undefined ? [unknown] : asSet(positional[Number(name) - 1], scope)
  if (name === "@" || name === "*") return [positional === undefined ? unknown : positional.join(separator)]
  if (!/^[A-Za-z_]/.test(name)) return [unknown]
  const assigned = variables.get(name)
  if (assigned !== undefined) return assigned
  if (name === "PWD") return [scope.cwd]
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

/** Stands between the fields that one word becomes. */
export const separator = "\uE001"

/** Follows a `cd`. */
export const changeDirectory = (scope: Variables, args: Values): void => {
  const target = args.find((arg) => arg === "-" || !arg.startsWith("-")) ?? scope.place.home ?? unknown
  scope.cwd = target === "-" ? unknown : absolutePath(target, placeOf(scope))
}
