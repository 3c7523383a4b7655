import { Buffer } from "node:buffer"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { comparedBytes, takeSnapshot, type FileSnapshot, writeAtomically } from "../../files/AtomicWrite.ts"
import { attempt } from "../../files/FileErrors.ts"
import { binaryKind, sniffBytes } from "../../files/BinaryKind.ts"
import { changePreview } from "./ChangePreview.ts"
import { noChange } from "./NoChange.ts"
import { applyEdit, emptyOldText, type TextEdit } from "./edit/TextEdit.ts"
import * as Tool from "../Tool.ts"
import { noted, readNeed, type Workspace, writeNeed } from "../Workspace.ts"
import { refuse } from "../../files/Refused.ts"

/** Replaces text in a file (runtime, Tools). */
export const fsEdit = (workspace: Workspace["Service"]) =>
  Tool.make({
    name: "fs.edit",
    description: "Replace oldText, which must occur exactly once unless replaceAll, by newText in a file.",
    parameters: Schema.Struct({
      path: Schema.String.annotateKey({ documentation: "The text file, UTF-8" }),
      oldText: Schema.String.annotateKey({
        documentation: "The text to replace, to the letter; what small models get wrong is forgiven, see below"
      }),
      newText: Schema.String.annotateKey({ documentation: "The text in its place" }),
      replaceAll: Schema.optionalKey(Schema.Boolean).annotateKey({
        documentation: "Replace it wherever it occurs; otherwise it must occur exactly once"
      })
    }),
    reads: false,
    plan: Effect.fnUntraced(function* ({ newText, oldText, path: given, replaceAll = false }, context) {
      const edit = { oldText, newText, replaceAll }
      if (oldText === "") return yield* refuse(emptyOldText)
      // An edit reads first: it takes what a reader would.
      const found = yield* workspace.reading(given, context)
      const location = yield* workspace.writing(found.note === undefined ? given : found.path, context)
      const { path, real } = location
      const looked = yield* Effect.result(attempt(() => prepare(path, real, edit)))
      if (looked._tag === "Failure") {
        // The reason shows what is in the file, so this is a read; nothing is written.
        const { need } = readNeed(found, `tell why an edit of ${path} fails`)
        const run = Effect.fail(looked.failure)
        return need === undefined ? yield* run : { need, run }
      }
      const { edited, snapshot } = looked.success
      const after = Buffer.from(edited.text, "utf8")
      const run = attempt(async () => {
        await writeAtomically(real, snapshot, after)
        const apart = edited.apartFrom === undefined ? "" : `; oldText was found apart from ${edited.apartFrom}`
        return { text: `edited ${path}: ${edited.lines.length} replaced, ${places(edited.lines)}${apart}` }
      })
      const need = writeNeed(
        [location],
        `edit ${path}${real === path ? "" : `, which is ${real}`}`,
        changePreview(path, snapshot?.content, after)
      )
      if (snapshot?.content?.equals(after) === true) {
        return noChange(location, found, after, need)
      }
      return { need, run: noted([found], Effect.uninterruptible(run)) }
    })
  })

const prepare = async (path: string, real: string, edit: TextEdit) => {
  const snapshot = await takeSnapshot(real)
  const before = textOf(snapshot)
  if (before._tag === "NoText") throw refuse(`${path} ${before.why}`)
  const edited = applyEdit(before.text, edit)
  if (edited._tag === "Failed") throw refuse(`${path}: ${edited.why}`)
  return { edited, snapshot }
}

const textOf = (
  snapshot: FileSnapshot
): { readonly _tag: "Text"; readonly text: string } | { readonly _tag: "NoText"; readonly why: string } => {
  if (snapshot === undefined) return { _tag: "NoText", why: "does not exist; to make a file use fs_write" }
  const { content } = snapshot
  if (content === undefined) return { _tag: "NoText", why: `is larger than ${comparedBytes} bytes` }
  const kind = binaryKind(content.subarray(0, sniffBytes))
  if (kind !== undefined) return { _tag: "NoText", why: `is not text: ${kind}, ${content.length} bytes` }
  try {
    return { _tag: "Text", text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content) }
  } catch {
    return { _tag: "NoText", why: "is not UTF-8: an edit would damage it" }
  }
}

const places = (lines: ReadonlyArray<number>): string =>
  lines.length === 1 ? `line ${lines[0]}` : `lines ${lines.slice(0, 20).join(", ")}${lines.length > 20 ? ", …" : ""}`
