/** A construct of a command line beyond words, pipes and lists. */
export type Feature =
  | "substitution"
  | "variable"
  | "redirection"
  | "background"
  | "compound"
  | "function"
  | "comment"
  | "braces"
  | "oddity"
  | "broken"
  /** Nested deeper than the parser follows. */
  | "depth"

/** One word without its quotes; expansions are kept as written. */
export interface Word {
  readonly text: string
  /** Index of the first unquoted `*`, `?` or `[`, which stand for file names; -1 if there is none. */
  readonly globAt: number
  /** No part of it is quoted: only then can it be a keyword, or a `~` a home directory. */
  readonly isBare: boolean
  readonly parts: ReadonlyArray<Part>
}

/** A piece of a word. */
export interface Part {
  readonly text: string
  readonly isQuoted: boolean
  /** The shell replaces it: `$x`, `${x:-y}`, `$(x)`. */
  readonly isExpansion: boolean
}

/** Stands before each value of an array, and between the fields that one word becomes. */
export const separator = "\uE001"

/** A simple command, or what stands around some: a command without words marks where a compound one starts or ends. */
export interface Command {
  readonly words: ReadonlyArray<Word>
  /** Targets of `>`, `>>` and the like. */
  readonly writes: ReadonlyArray<Word>
  /** Targets of `<`. */
  readonly reads: ReadonlyArray<Word>
  /** `2>&1` and the like, in order: they join streams that exist anyway. */
  readonly joins: ReadonlyArray<string>
  /** The text of a here-document or here-string that it reads. */
  readonly input: string
  /** The operator before it: `|`, `&&`, `||`, or `;` for any other. */
  readonly joint: string
  /** The subshells that it runs in, outermost first, each by a number of its own: `( … )` and substitutions. */
  readonly shells: ReadonlyArray<number>
  /** The head of a loop, which is not run: its words are a name, `in`, and the values of the name. */
  readonly isLoop: boolean
  /** The keywords before it, and the parentheses of the subshells that start or end there. */
  readonly keywords: ReadonlyArray<string>
  /** The name of the function whose body starts here, or with the next command; empty if none does. */
  readonly defines: string
}

export interface Script {
  /** All simple commands in the order of their starts, including those in substitutions and compound commands. */
  readonly commands: ReadonlyArray<Command>
  readonly features: ReadonlySet<Feature>
}

/** A command as it would run, after all expansions; `tool` is its name without a path. */
export interface Run {
  readonly tool: string
  readonly args: ReadonlyArray<string>
  /** The lines of its standard input, as far as they are known. */
  readonly input: ReadonlyArray<string>
  /** Files of `>` and of `<`. */
  readonly targets: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
}
