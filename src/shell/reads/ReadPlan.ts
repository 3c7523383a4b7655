import type { Part, Word } from "../Syntax.ts"

/** What a word of a command that only reads is to it; no word means anything else to the shell that runs it. */
export type PlannedWord =
  /** An option or a text, passed as it is: a pattern in it is for the program, not for file names. */
  | { readonly _tag: "Text"; readonly text: string }
  /** One file name in an option's value, passed as it is behind the text before it in the same word (`--file=`). */
  | { readonly _tag: "Name"; readonly prefix: string; readonly name: string }
  /** An operand: a file name, or with `isPattern` a pattern of file names. One that is only printed is not opened. */
  | {
      readonly _tag: "Operand"
      readonly parts: ReadonlyArray<Part>
      readonly isPattern: boolean
      readonly isPrinted: boolean
    }

export interface PlannedCommand {
  /** The operator before it: `|`, `&&`, `||` or `;`. */
  readonly joint: string
  /** The name of the program. */
  readonly tool: string
  readonly words: ReadonlyArray<PlannedWord>
  /** `2>&1` and the like, in order. */
  readonly joins: ReadonlyArray<string>
}

export const plainText = (text: string): PlannedWord => ({ _tag: "Text", text })

export const operand = ({ globAt, parts }: Word, isPrinted = false): PlannedWord => ({
  _tag: "Operand",
  parts,
  isPattern: globAt !== -1,
  isPrinted
})

/** True if a path, by its name, stays below the working directory: not absolute, no `~`, no `..`. */
export const isBelow = (path: string): boolean =>
  !path.startsWith("/") && !path.startsWith("~") && !path.split(/[/:=]/).includes("..")
