/**
 * What a call does, as the data that grants are compared with (contract 9, `grants`). A call without one is covered by no
 * grant.
 */
export type GrantSubject =
  /** Real paths. */
  | { readonly kind: "read" | "write"; readonly paths: ReadonlyArray<string> }
  /** The commands of a line that need a grant: all but those that only read. */
  | { readonly kind: "command"; readonly commands: ReadonlyArray<GrantableCommand> }
  /** As in `URL.host`. */
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "script"; readonly skill: string; readonly script: string }
  | { readonly kind: "mcp"; readonly server: string; readonly tool: string }

/** A command whose words are final: the shell that runs it makes nothing else of them. */
export interface GrantableCommand extends CommandReach {
  readonly argv: ReadonlyArray<string>
}

/** How far a grant for the first words of a command may reach. */
export interface CommandReach {
  /** True if the command runs what its words say: only a grant of all of them covers it. */
  readonly isExact: boolean
  /** How many of its words a grant must have at least: those up to the last option that names code. */
  readonly atLeast: number
  /** How many of its words name a class of commands that is safe to offer; absent if none does. */
  readonly classLength?: number
}
