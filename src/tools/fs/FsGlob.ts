import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import * as Glob from "effect/Glob"
import * as Schema from "effect/Schema"
import { attempt } from "../../files/FileErrors.ts"
import { LeftOut, unreadable } from "./LeftOut.ts"
import { requireDirectory } from "../../files/RegularFile.ts"
import { resolveReal } from "../../files/RealPath.ts"
import { shownName } from "../../domain/ShownName.ts"
import { AtLeastOne } from "../../protocol/Checks.ts"
import * as Tool from "../Tool.ts"
import { maxEntries, TreeWalk } from "../../files/TreeWalk.ts"
import { noted, readNeed, type Workspace } from "../Workspace.ts"
import { refuse } from "../../files/Refused.ts"

const defaultLimit = 200
const maxLimit = 2000

/** Finds files by their names (runtime, Tools). */
export const fsGlob = (workspace: Workspace["Service"]) =>
  Tool.make({
    name: "fs.glob",
    description: "Find files by a glob such as src/**/*.ts; without a / it matches names at any depth.",
    parameters: Schema.Struct({
      pattern: Schema.String.annotateKey({ documentation: "A relative glob without `..`" }),
      path: Schema.optionalKey(Schema.String).annotateKey({
        documentation: "The directory to search; the working directory unless given"
      }),
      limit: Schema.optionalKey(AtLeastOne).annotateKey({
        documentation: `How many files; ${defaultLimit} unless given, ${maxLimit} at most`
      })
    }),
    reads: true,
    plan: Effect.fnUntraced(function* ({ limit = defaultLimit, path = ".", pattern }, context) {
      if (climbs(pattern)) {
        return yield* refuse("the pattern must be relative and without ..; name the directory to search in path")
      }
      const location = yield* workspace.reading(path, context)
      const run = attempt(async (signal) => {
        await requireDirectory(location.real, location.path)
        const top = (await resolveReal(context.workingDir)) ?? context.workingDir
        const walk = new TreeWalk(location.real, top, signal)
        const matches = pathMatcher(pattern)
        const most = Math.min(limit, maxLimit)
        const lines: Array<string> = []
        let omitted = 0
        for await (const file of walk.files()) {
          if (!matches(file.path)) continue
          if (lines.length < most) lines.push(shownName(NodePath.join(path, file.path)))
          else omitted += 1
        }
        const notes: Array<string> = []
        if (omitted > 0) notes.push(`${omitted} more are left out (limit ${most})`)
        const leftOut = new LeftOut()
        for (const each of walk.unreadable) leftOut.add(`${NodePath.join(path, each.path)}/`, unreadable(each.error))
        notes.push(...leftOut.notes)
        if (walk.isCut) notes.push(`stopped after ${maxEntries} entries`)
        if (lines.length === 0) lines.push(`No files match ${pattern} in ${location.path}.`)
        if (notes.length > 0) lines.push(`(${notes.join("; ")})`)
        return { text: lines.join("\n"), truncated: notes.length > 0 }
      })
      return { ...readNeed(location, "search a directory outside the working directory"), run: noted([location], run) }
    })
  })

/** True if a glob leads out of its directory. */
export const climbs = (pattern: string): boolean =>
  NodePath.isAbsolute(pattern) || /^[A-Za-z]:/.test(pattern) || pattern.split(/[/\\]/).includes("..")

/** Matches relative paths with slashes against a glob; one without a slash matches names at any depth. */
export const pathMatcher = (pattern: string): ((path: string) => boolean) => {
  const isNegated = pattern.startsWith("!")
  const body = isNegated ? pattern.slice(1) : pattern
  const glob = Glob.make(body.includes("/") ? body : `**/${body}`, { dot: true })
  return (path) => Glob.match(glob, path) !== isNegated
}
