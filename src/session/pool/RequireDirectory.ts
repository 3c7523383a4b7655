import * as Effect from "effect/Effect"
import { visibleLine } from "../../domain/VisibleText.ts"
import * as WorkingDir from "../WorkingDir.ts"
import { CannotStart } from "./CannotStart.ts"

/** Fails unless a session can work at the path; `key` and `given` name it as the host does. */
export const mustBeDirectory = (key: string, path: string, given: string) =>
  Effect.gen(function* () {
    // It would stand for the process's own directory.
    const isEmpty = given.trim() === ""
    const instead = isEmpty ? "nothing" : yield* WorkingDir.notADirectory(path)
    if (instead === undefined) return
    const shown = isEmpty ? "an empty string" : visibleLine(given)
    const expected =
      instead === "nothing" ? `an existing directory, got ${shown}` : `a directory, got the file ${shown}`
    return yield* new CannotStart({ detail: `${key}: expected ${expected}` })
  })
