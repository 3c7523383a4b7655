import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { comparedBytes, takeSnapshot, writeAtomically } from "../../files/AtomicWrite.ts"
import { attempt } from "../../files/FileErrors.ts"
import { changePreview } from "./ChangePreview.ts"
import { noChange } from "./NoChange.ts"
import * as Tool from "../Tool.ts"
import { readNeed, type Workspace, writeNeed } from "../Workspace.ts"
import { refuse } from "../../files/Refused.ts"

/** Writes a whole file (runtime, Tools). */
export const fsWrite = (workspace: Workspace["Service"]) =>
  Tool.make({
    name: "fs.write",
    description: "Create or replace a file.",
    parameters: Schema.Struct({
      path: Schema.String.annotateKey({ documentation: "The file; folders on the way to it are made" }),
      content: Schema.String.annotateKey({ documentation: `The whole text, ${comparedBytes / 1024 ** 2} MiB at most` })
    }),
    reads: false,
    plan: Effect.fnUntraced(function* ({ content: text, path: given }, context) {
      if (/[/\\]$/.test(given) || given === "") return yield* refuse("the path names a directory, not a file")
      const content = Buffer.from(text, "utf8")
      if (content.length > comparedBytes) return yield* refuse(`the content is larger than ${comparedBytes} bytes`)
      const location = yield* workspace.writing(given, context)
      const { path, real } = location
      const looked = yield* Effect.result(attempt(() => takeSnapshot(real)))
      if (looked._tag === "Failure") {
        const { need } = readNeed(yield* workspace.reading(given, context), `write ${path}`)
        // Before the approval, nothing about a place outside may be revealed.
        const run = Effect.fail(looked.failure)
        return need === undefined
          ? yield* run
          : { need: writeNeed([location], need.reason, text === "" ? "(an empty file)" : text), run }
      }
      const snapshot = looked.success
      const verb = snapshot === undefined ? "create" : "replace"
      const run = attempt(async () => {
        await writeAtomically(real, snapshot, content)
        return { text: `${verb}d ${path}: ${content.length} bytes` }
      })
      const need = writeNeed(
        [location],
        `${verb} ${path}${real === path ? "" : `, which is ${real}`}`,
        changePreview(path, snapshot === undefined ? undefined : (snapshot.content ?? "unknown"), content)
      )
      if (snapshot?.content?.equals(content) === true) {
        return noChange(location, yield* workspace.reading(given, context), content, need)
      }
      // Uninterruptible: after a cancel it must be clear whether the file was written.
      return { need, run: Effect.uninterruptible(run) }
    })
  })
