import { lstat, realpath } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt } from "../files/FileErrors.ts"
import { kindOf } from "../files/RegularFile.ts"
import * as Tool from "./Tool.ts"
import { noted, readNeed, type Workspace } from "./Workspace.ts"
import { refuse } from "../files/Refused.ts"

const maxPaths = 100

/** Hands files over with the closing reply of the turn (runtime, Tools). */
export const attach = (workspace: Workspace["Service"]) =>
  Tool.make({
    name: "attach",
    description: "Hand files over to the user with the closing answer.",
    parameters: Schema.Struct({
      paths: Schema.Array(Schema.String)
        .check(
          Schema.isMinLength(1, { expected: "an array of at least one path" }),
          Schema.isMaxLength(maxPaths, { expected: `an array of at most ${maxPaths} paths` })
        )
        .annotateKey({ documentation: "The files" })
    }),
    reads: true,
    plan: Effect.fnUntraced(function* ({ paths }, context) {
      const locations = yield* Effect.forEach(paths, (path) => workspace.reading(path, context))
      const outside = locations.filter(({ scope }) => scope !== "inside")
      const run = attempt(async () => {
        for (const { path, real } of locations) {
          const stats = await lstat(real)
          if ((await realpath(real)) !== real) throw refuse(`${path} now leads elsewhere than when it was looked at`)
          if (!stats.isFile()) throw refuse(`${path} is ${kindOf(stats)}, not a regular file`)
        }
        // Real paths: a link may lead elsewhere when the host opens it.
        const attachments = [...new Set(locations.map(({ real }) => real))]
        return { text: `Attached to the closing answer:\n${attachments.join("\n")}`, attachments }
      })
      const first = outside.find(({ scope }) => scope === "trust") ?? outside[0]
      if (first === undefined) return { run: noted(locations, run) }
      const { need } = readNeed(first, "hand over files from outside the working directory")
      return need === undefined
        ? { run: noted(locations, run) }
        : { need: { ...need, affectedResources: outside.map(({ real }) => real) }, run: noted(locations, run) }
    })
  })
