import { absolutePath, type ShellPlace, unknown } from "./ProtectedPaths.ts"

/** What a name stands for: one of these. */
export type Values = ReadonlyArray<string>

/** What is known of a shell while its commands are gone through. */
export interface Variables {
  readonly place: ShellPlace
  cwd: string
  readonly variables: Map<string, Values>
  /** From `$1`; undefined: they cannot be known. */
  positional: Values | undefined
  /** A variable that is not set ends it: `set -u`. */
  isStrict: boolean
  /** Something has run in it that may have set any variable. */
  isOpaque: boolean
  /** Names that are written somewhere as something else than the value of a variable: these may be set there. */
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

/** A shell within: what it changes stays there. */
export const childScope = (scope: Variables): Variables => ({ ...scope, variables: new Map(scope.variables) })

export const placeOf = ({ cwd, place }: Variables): ShellPlace => ({ ...place, cwd })

/** Names that stand somewhere without a `$` before them. */
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

/** What a variable stands for; nothing: the shell does not get that far. */
export const valuesOf = (name: string, scope: Variables): Values => {
  const { mentioned, place, positional, variables } = scope
  // That shell itself.
  if (name === "$") return ["self"]
  if (/^[1-9]$/.test(name)) return positional === undefined ? [unknown] : asSet(positional[Number(name) - 1], scope)
  if (name === "@" || name === "*") return [positional === undefined ? unknown : positional.join(separator)]
  if (!/^[A-Za-z_]/.test(name)) return [unknown]
  const found = variables.get(name)
  if (found !== undefined) return found
  if (name === "PWD") return [scope.cwd]
  if (/^(env:)?(HOME|USERPROFILE)$/i.test(name)) return [place.home ?? unknown]
  const inherited = place.env[name]
  if (inherited !== undefined) return [inherited]
  if (name === "IFS" && !scope.isOpaque && !mentioned.some((names) => names.has(name))) return [" \t\n"]
  if (scope.isOpaque || mentioned.some((names) => names.has(name)) || setByShells.has(name)) return [unknown]
  return asSet(undefined, scope)
}

/** What is not set is empty. */
const asSet = (value: string | undefined, { isStrict }: Variables): Values =>
  value === undefined ? (isStrict ? [] : [""]) : [value]

/** Between the fields that one word becomes. */
export const separator = "\uE001"

/** Where `cd` leads. */
export const changeDirectory = (scope: Variables, args: Values): void => {
  const target = args.find((arg) => arg === "-" || !arg.startsWith("-")) ?? scope.place.home ?? unknown
  scope.cwd = target === "-" ? unknown : absolutePath(target, placeOf(scope))
}
