import { rename } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { attempt } from "../../../src/files/FileErrors.ts"
import * as Tool from "../../../src/tools/Tool.ts"
import { type Workspace, writeNeed } from "../../../src/tools/Workspace.ts"

/** A tool as somebody writes it who has not thought of much: one category, no preview, a plain rename. */
export const naiveMove = (workspace: Workspace["Service"]) =>
  Tool.make({
    name: "fs.move",
    description: "Move a file.",
    parameters: Schema.Struct({ from: Schema.String, to: Schema.String }),
    reads: false,
    plan: Effect.fnUntraced(function* ({ from, to }, context) {
      const source = yield* workspace.reading(from, context)
      const target = yield* workspace.writing(to, context)
      return {
        need: writeNeed([target], `move ${from} to ${to}`, ""),
        run: attempt(async () => {
          await rename(source.real, target.real)
          return { text: `moved ${from} to ${to}` }
        })
      }
    })
  })
