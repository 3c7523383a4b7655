import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { comparedBytes, takeSnapshot, writeAtomically } from "../../files/AtomicWrite.ts"
import { shownName } from "../../domain/ShownName.ts"
import { twinOf } from "../../files/NearName.ts"
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
      const looked = yield* Effect.result(attempt(() => snapshotOf(path, real)))
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

/** What is at the path. A new file must not be a twin of one that is there: the model means that one, or will take it for this. */
const snapshotOf = async (path: string, real: string) => {
  const snapshot = await takeSnapshot(real)
  if (snapshot !== undefined) return snapshot
  const twin = await twinOf(path)
  if (twin === undefined) return snapshot
  throw refuse(
    `there is ${shownName(twin.path)} already, which differs by ${twin.differsBy}; write that one by its own name, or choose a name that looks different`
  )
}
