import * as NodePath from "node:path"
import { cutText } from "../../domain/CutText.ts"
import { shownName } from "../../domain/ShownName.ts"
import type { PrivateFiles } from "../../files/PrivateFiles.ts"
import type { ToolOutput } from "../Tool.ts"
import { LeftOut } from "./LeftOut.ts"

/** The arguments of a search with their defaults. */
export interface GrepRequest {
  readonly pattern: string
  readonly glob?: string
  readonly ignoreCase?: boolean
  /** Lines shown before and after each match. */
  readonly context: number
  /** Maximum of matches. */
  readonly limit: number
  /** The real directory that is searched, and the only file in it to search, if the path is a file. */
  readonly root: string
  readonly file: string | undefined
  /** Files that are searched only if they are the path. */
  readonly privateFiles: PrivateFiles
  /** The working directory, whose `.gitignore` files apply. */
  readonly top: string
  /** The path of the call; results begin with it. */
  readonly shown: string
}

/** Larger files, in bytes, are left out. */
export const maxFileBytes = 64 * 1024 * 1024

/** Why files are left out that nobody would search. */
export const binary = "binary"

/** The longest line that is shown, in characters. */
const maxShownLine = 400

/** Collects matches and the lines around them. */
export class GrepReport {
  readonly notes: Array<string> = []
  matches = 0
  /** What may be text and was not searched. */
  private readonly unsearched = new LeftOut()
  private readonly binary = new LeftOut()
  private readonly lines: Array<string> = []
  private readonly request: GrepRequest
  private lastFile: string | undefined
  private lastLine = 0

  constructor(request: GrepRequest) {
    this.request = request
  }

  get isFull(): boolean {
    return this.matches >= this.request.limit
  }

  /** `path` is relative to the root. */
  add(path: string, number: number, text: string, isMatch: boolean): void {
    const isApart = this.lastFile !== path || number > this.lastLine + 1
    if (isApart && this.request.context > 0 && this.lines.length > 0) this.lines.push("--")
    this.lastFile = path
    this.lastLine = number
    if (isMatch) this.matches += 1
    const mark = isMatch ? ":" : "-"
    this.lines.push(`${shownName(NodePath.join(this.request.shown, path))}${mark}${number}${mark}${cutLine(text)}`)
  }

  /** `path` is relative to the root. */
  leaveOut(path: string, why: string): void {
    const files = why === binary ? this.binary : this.unsearched
    files.add(NodePath.join(this.request.shown, path), why)
  }

  output(): ToolOutput {
    const { limit, pattern } = this.request
    const lines = this.matches === 0 ? [`No matches for ${pattern}.`] : this.lines
    const full = this.isFull ? [`stopped at ${limit} matches, there may be more`] : []
    const missing = [...full, ...this.notes, ...this.unsearched.notes]
    const notes = [...missing, ...this.binary.notes]
    const text = notes.length === 0 ? lines : [...lines, `(${notes.join("; ")})`]
    return { text: text.join("\n"), truncated: missing.length > 0 }
  }
}

const cutLine = (text: string): string => {
  const line = text.replace(/\r$/, "")
  return line.length <= maxShownLine ? line : `${cutText(line, maxShownLine)}…`
}
