/** A simple command whose words are final: the first is the absolute path of its program. */
export interface ComposedCommand {
  /** The operator before it: `|`, `&&`, `||` or `;`; that of the first command has no meaning. */
  readonly joint: string
  readonly words: ReadonlyArray<string>
  /** `2>&1` and the like, in order. */
  readonly joins: ReadonlyArray<string>
}

/**
 * The command line of `sh` that runs exactly these commands. Every word is in single quotes, which leaves the shell nothing to
 * expand, to split or to look up: no keyword, alias, function or builtin is named by a quoted absolute path.
 */
export const composeLine = (commands: ReadonlyArray<ComposedCommand>): string =>
  commands
    .map(({ joins, joint, words }, index) =>
      [...(index === 0 ? [] : [joint]), ...words.map(quoted), ...joins].join(" ")
    )
    .join(" ")

/** The program that runs these commands, and its arguments: that of the command itself where there is but one, else `sh`. */
export const runnerOf = (
  commands: ReadonlyArray<ComposedCommand>
): { readonly command: string; readonly args: ReadonlyArray<string> } => {
  const [first, ...others] = commands
  const [command, ...args] = first?.words ?? []
  if (command !== undefined && first?.joins.length === 0 && others.length === 0) return { command, args }
  return { command: "/bin/sh", args: ["-c", composeLine(commands)] }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The words of a command that says what a shell says of a program that is nowhere, with its exit code. `tool` is a plain name. */
export const missingProgram = (tool: string): ReadonlyArray<string> => [
  "/bin/sh",
  "-c",
  'echo "$0: command not found" >&2; exit 127',
  tool
]
