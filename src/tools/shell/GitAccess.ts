import * as Effect from "effect/Effect"
import * as NodePath from "node:path"
import type * as Scope from "effect/Scope"
import { gitIsSafe } from "./GitSafety.ts"

export type GitAccess =
  | { readonly _tag: "Unsafe" }
  | {
      readonly _tag: "Reads"
      readonly env: { readonly [name: string]: string }
      readonly outside: ReadonlyArray<string>
      readonly index: string | undefined
    }

export const gitAccess = async (cwd: string, workingDir: string): Promise<GitAccess> =>
  (await gitIsSafe(cwd, workingDir))
    ? {
        _tag: "Reads",
        outside: [],
        index: undefined,
        env: {
          GIT_OPTIONAL_LOCKS: "0",
          GIT_CONFIG_GLOBAL: "/dev/null",
          GIT_CONFIG_COUNT: "1",
          GIT_CONFIG_KEY_0: "diff.ignoreSubmodules",
          GIT_CONFIG_VALUE_0: "all",
          GIT_CEILING_DIRECTORIES: NodePath.dirname(workingDir),
          GIT_PAGER: "cat",
          GIT_TERMINAL_PROMPT: "0"
        }
      }
    : { _tag: "Unsafe" }

export const gitWords = (words: ReadonlyArray<string>): ReadonlyArray<string> => words

export const privateIndex = (
  _index: string | undefined
): Effect.Effect<{ readonly GIT_INDEX_FILE?: string }, never, Scope.Scope> => Effect.succeed({})
