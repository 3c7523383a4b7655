/** Something in a command line that makes it more than words, pipes and lists. */
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
  /** Nested deeper than it was followed. */
  | "depth"

/** One word after the shell has taken its quotes; what it would expand is left as it stands. */
export interface Word {
  readonly text: string
  /** Characters of `*?[` that are not quoted, and so stand for file names: where the first of them is, else -1. */
  readonly globAt: number
  /** Nothing of it is quoted: only then can it be a keyword, or a `~` a home. */
  readonly isBare: boolean
  readonly parts: ReadonlyArray<Part>
}

/** A piece of a word. */
export interface Part {
  readonly text: string
  readonly isQuoted: boolean
  /** The shell puts something else in its place: `$x`, `${x:-y}`, `$(x)`, as it is written. */
  readonly isExpansion: boolean
}

/** A simple command. */
export interface Command {
  readonly words: ReadonlyArray<Word>
  /** Targets of `>`, `>>` and the like. */
  readonly writes: ReadonlyArray<Word>
  /** Files that are its input. */
  readonly reads: ReadonlyArray<Word>
  /** The text of a here-document or here-string that it reads. */
  readonly input: string
  /** What stands between it and the command before it: `|`, `&&`, `||`; all else is `;`. */
  readonly joint: string
  /** The shells within the shell that it runs in, each by a number of its own: `( … )` and substitutions. */
  readonly shells: ReadonlyArray<number>
  /** Not run: its words are a name, `in`, and what the name will stand for. */
  readonly isLoop: boolean
}

export interface Script {
  /** All simple commands in the order they begin, those in substitutions and compound commands too. */
  readonly commands: ReadonlyArray<Command>
  readonly features: ReadonlySet<Feature>
}

/** A command as it would run: its name without a path, its arguments, the files that its output goes to. */
export interface Run {
  readonly tool: string
  readonly args: ReadonlyArray<string>
  /** Paths that it is given one by one, with all that is in them. */
  readonly each: ReadonlyArray<string>
  /** What it writes to by `>`, what it reads by `<`. */
  readonly targets: ReadonlyArray<string>
  readonly sources: ReadonlyArray<string>
}
