import type { GrantableCommand } from "../../domain/GrantSubject.ts"
import { parse } from "../Parser.ts"
import { planReads } from "../reads/ReadOnly.ts"
import type { PlannedCommand } from "../reads/ReadPlan.ts"
import type { Command, Word } from "../Syntax.ts"
import { reachOf } from "./CommandReach.ts"

/** A command of a line that grants may cover. */
export interface LineCommand {
  /** As it is compared with grants; absent if no grant ever covers it. */
  readonly grantable?: GrantableCommand
  /** What it reads, if it is on the read-only list. */
  readonly reads?: PlannedCommand
}

/**
 * The commands of a line, if grants may cover it: simple commands of final words, joined by pipes and lists. Undefined for a
 * line with anything else: a substitution, a variable, a redirection to or from a file, an assignment, a pattern of file names, a
 * home directory, a loop, a function, a comment, a background command, or what the parser does not understand.
 */
export const grantableLine = (source: string): ReadonlyArray<LineCommand> | undefined => {
  const { commands, features } = parse(source)
  if (commands.length === 0 || features.size > 0 || !source.isWellFormed()) return undefined
  const read = commands.map(commandOf)
  return read.every((command) => command !== undefined) ? read : undefined
}

const commandOf = (command: Command): LineCommand | undefined => {
  const { joint, words } = command
  const [program] = words
  // An assignment may have its sign in quotes, and a name in quotes is written so for a reader's eyes.
  if (program?.isBare !== true || program.text.includes("=") || !words.every(isFinal)) return undefined
  const argv = words.map(({ text }) => text)
  const reach = reachOf(argv)
  const [reads] = planReads({ commands: [command], features: new Set() }) ?? []
  // What is piped into a program that runs what it is told may be its program.
  const isFed = joint === "|" && reach?.isExact === true
  const grantable = reach === undefined || isFed ? undefined : { argv, ...reach }
  if (grantable === undefined && reads === undefined) return undefined
  return { ...(grantable === undefined ? {} : { grantable }), ...(reads === undefined ? {} : { reads }) }
}

/** True for a word that the shell makes nothing else of. */
const isFinal = ({ globAt, parts }: Word): boolean =>
  globAt === -1 &&
  parts.every(
    ({ isExpansion, isQuoted, text }, index) => !isExpansion && (isQuoted || index > 0 || !text.startsWith("~"))
  )
