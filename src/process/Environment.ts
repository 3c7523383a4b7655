import * as NodePath from "node:path"
import { isOwnVariable } from "../domain/OwnVariables.ts"

/** The variables of a process. */
export interface Environment {
  readonly [name: string]: string | undefined
}

/** Folders of programs, which the PATH of an app started from a desktop may lack. */
const usualPath = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin", "/opt/homebrew/bin"]

/** The environment of a child: with the usual folders in the PATH, and without the sidecar's own variables. */
export const inherited = (): Environment => {
  const passedOn = Object.entries(process.env).filter(([name]) => !isOwnVariable(name))
  if (process.platform === "win32") return Object.fromEntries(passedOn)
  const path = (process.env["PATH"] ?? "").split(NodePath.delimiter).filter((folder) => folder !== "")
  const PATH = [...new Set([...path, ...usualPath])].join(NodePath.delimiter)
  return { ...Object.fromEntries(passedOn), PATH }
}

/** The environment of commands and scripts that run with an approval: {@link inherited}, and {@link withoutPerson}. */
export const openEnvironment = (): Environment => withoutPerson(inherited())

/**
 * Changes an environment so that programs do not wait for a person: nobody is at a terminal, and a window on the desktop
 * would wait until the time limit. Programs of these kinds are kept from starting, under whatever name the user has set for
 * them; what a command sets itself wins. Not set: `CI` and the like, which change what programs do beyond that; variables of
 * programs that look for a terminal and find none (pip, npm, gh, sudo).
 */
export const withoutPerson = (environment: Environment): Environment => {
  const changed: { [name: string]: string | undefined } = { ...environment }
  for (const name of [...Object.keys(environment), ...asking]) {
    const value = standIns.find(([kind]) => kind.test(name))?.[1](name)
    if (value !== undefined) changed[name] = value
  }
  return { ...changed, ...fixed }
}

/** The variables that are set even where the user has not set them, since the defaults of programs would wait. */
const asking = [
  "EDITOR",
  "VISUAL",
  // It comes before `core.editor` of the user's configuration, the next one before `sequence.editor`.
  "GIT_EDITOR",
  "GIT_SEQUENCE_EDITOR",
  "PAGER",
  "GIT_PAGER",
  "MANPAGER",
  // It comes before `core.askPass` of the user's configuration.
  "GIT_ASKPASS",
  // Versions of OpenSSH before 8.4 start a program of their own choice unless this is set.
  "SSH_ASKPASS"
]

/** What stands in for the programs that variables name, by the ends of the variables' names. */
const standIns: ReadonlyArray<readonly [kind: RegExp, value: (name: string) => string]> = [
  // There is no such program: what needs an editor fails, and its error says which variable names one.
  [/(?:EDITOR|^VISUAL)$/i, (name) => `no-editor-set-${name.toUpperCase()}`],
  [/PAGER$/i, () => "cat"],
  // None: programs then say that they could not ask. Helpers that know the answer, such as git's, still give it.
  [/ASKPASS$/i, () => ""]
]

const fixed: Environment = {
  TERM: "dumb",
  GIT_TERMINAL_PROMPT: "0",
  // Windows of Git Credential Manager, a helper that also asks.
  GCM_INTERACTIVE: "never",
  SSH_ASKPASS_REQUIRE: "never",
  // Else debconf asks in a window if the user has chosen that frontend.
  DEBIAN_FRONTEND: "noninteractive"
}
