import { stat } from "node:fs/promises"
import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt } from "../../files/FileErrors.ts"
import { climbs } from "./FsGlob.ts"
import type { GrepRequest } from "./GrepReport.ts"
import { grep } from "./Grep.ts"
import { requireDirectory } from "../../files/RegularFile.ts"
import { resolveReal } from "../../files/RealPath.ts"
import { AtLeastOne, AtLeastZero } from "../../protocol/Checks.ts"
import * as Tool from "../Tool.ts"
import { noted, readNeed, type Workspace } from "../Workspace.ts"
import { refuse } from "../../files/Refused.ts"

const defaultLimit = 100
const maxLimit = 1000
const maxContext = 20

/** Finds lines that match a regular expression (runtime, Tools). */
export const fsGrep = (workspace: Workspace["Service"]) =>
  Tool.make({
    name: "fs.grep",
    description: "Search files for lines that match a regular expression.",
    parameters: Schema.Struct({
      pattern: Schema.String.check(Schema.isMinLength(1, { expected: "a pattern that is not empty" })).annotateKey({
        documentation: "A regular expression of JavaScript, not empty"
      }),
      path: Schema.optionalKey(Schema.String).annotateKey({
        documentation: "The directory or file to search; the working directory unless given"
      }),
      glob: Schema.optionalKey(Schema.String).annotateKey({
        documentation: "Which files to search, as in `fs.glob`; all unless given"
      }),
      ignoreCase: Schema.optionalKey(Schema.Boolean).annotateKey({ documentation: "Whether `a` matches `A` too" }),
      context: Schema.optionalKey(AtLeastZero).annotateKey({
        documentation: `How many lines to show before and after each match; 0 unless given, ${maxContext} at most`
      }),
      limit: Schema.optionalKey(AtLeastOne).annotateKey({
        documentation: `How many matches; ${defaultLimit} unless given, ${maxLimit} at most`
      })
    }),
    reads: true,
    plan: Effect.fnUntraced(function* (args, context) {
      const { glob, limit = defaultLimit, path = "." } = args
      if (glob !== undefined && climbs(glob)) {
        return yield* refuse("the glob must be relative and without ..; name the directory to search in path")
      }
      const location = yield* workspace.reading(path, context)
      const privateFiles = yield* workspace.privateFiles
      const run = attempt(async (signal) => {
        const isDirectory = (await stat(location.real)).isDirectory()
        if (isDirectory) await requireDirectory(location.real, location.path)
        const top = (await resolveReal(context.workingDir)) ?? context.workingDir
        const request: GrepRequest = {
          ...args,
          root: isDirectory ? location.real : NodePath.dirname(location.real),
          file: isDirectory ? undefined : NodePath.basename(location.real),
          privateFiles,
          top,
          shown: isDirectory ? path : NodePath.dirname(path),
          context: Math.min(args.context ?? 0, maxContext),
          limit: Math.min(limit, maxLimit)
        }
        return (await grep(request, signal)).output()
      })
      return { ...readNeed(location, "search files outside the working directory"), run: noted([location], run) }
    })
  })
