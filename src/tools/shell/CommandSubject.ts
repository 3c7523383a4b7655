import { constants } from "node:fs"
import { access, realpath } from "node:fs/promises"
import * as NodePath from "node:path"
import type { GrantableCommand, GrantSubject } from "../../domain/GrantSubject.ts"
import { isWithin } from "../../files/PathScope.ts"
import { grantableLine } from "../../shell/grants/GrantableLine.ts"
import type { PlannedCommand } from "../../shell/reads/ReadPlan.ts"
import { unattendedRun } from "./UnattendedShell.ts"

/** Where a command line runs: real paths. */
export interface CommandPlace {
  readonly cwd: string
  readonly workingDir: string
  readonly home: string | undefined
  /** True if one of some paths leads to the agent's own files. */
  readonly leadsToOwn: (paths: ReadonlyArray<string>) => Promise<boolean>
}

/** A line with more words is not covered by grants: each may be looked up on the disk. */
const maxWords = 200
const maxBytes = 8192

/**
 * What grants are compared with for a command line that asks; undefined if none may cover it: beyond what `grantableLine`
 * refuses, a line that runs outside the working directory, or that names the agent's own files.
 */
export const commandSubject = async (line: string, place: CommandPlace): Promise<GrantSubject | undefined> => {
  // Grants are about `sh`: `cmd` gives the same characters other meanings.
  if (process.platform === "win32" || line.length > maxBytes) return undefined
  const read = grantableLine(line)
  if (read === undefined || !isWithin(place.workingDir, place.cwd)) return undefined
  const commands: Array<GrantableCommand> = []
  for (const { grantable, reads } of read) {
    if (reads !== undefined && (await onlyReads(reads, place))) continue
    if (grantable === undefined) return undefined
    commands.push(grantable)
  }
  if (commands.length === 0) return undefined
  const words = commands.flatMap(({ argv }) => argv)
  if (words.length > maxWords || words.some((word) => /\.atomic-agent/i.test(word))) return undefined
  const paths = [...new Set([".", ...words.flatMap(pathsIn)])].map((path) => NodePath.resolve(place.cwd, path))
  return (await place.leadsToOwn(paths)) ? undefined : { kind: "command", commands }
}

/** The texts in a word that could be paths: `--file=x`, `-fx`, `host:x`, `@x`. */
const pathsIn = (word: string): ReadonlyArray<string> => {
  const texts = [word, ...(/^-[A-Za-z]/.test(word) ? [word.slice(2)] : []), ...word.split(/[=:,;@\s]/)]
  return texts.filter(
    (text) => text !== "" && !text.includes("\0") && text.split("/").every((name) => name.length <= 255)
  )
}

/**
 * True if a command of the read-only list reads the same where the shell runs it as it is: nothing is forced on it, its program is
 * the one that the PATH finds, and all that it names is inside the working directory.
 */
const onlyReads = async (
  plan: PlannedCommand,
  { cwd, home, leadsToOwn, workingDir }: CommandPlace
): Promise<boolean> => {
  const run = await unattendedRun([plan], cwd, workingDir, home)
  const [given] = run?.given ?? []
  const [program = "", ...words] = run?.commands[0]?.words ?? []
  if (run === undefined || given === undefined || run.outside.length > 0) return false
  const isAsWritten = words.length === given.words.length && words.every((word, index) => word === given.words[index])
  if (!isAsWritten || (await leadsToOwn(given.names.map((name) => NodePath.resolve(cwd, name))))) return false
  return (await firstInPath(plan.tool)) === (await realpath(program))
}

/** The real path of the program that a shell finds by a name; undefined if that depends on its working directory. */
const firstInPath = async (name: string): Promise<string | undefined> => {
  for (const folder of (process.env["PATH"] ?? "").split(NodePath.delimiter)) {
    if (!NodePath.isAbsolute(folder)) return undefined
    const path = NodePath.join(folder, name)
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false
    )
    if (isThere) return realpath(path)
  }
  return undefined
}
