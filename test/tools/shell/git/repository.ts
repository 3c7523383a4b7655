import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync } from "node:fs"
import * as NodePath from "node:path"
import * as Effect from "effect/Effect"
import {
  type GitAccess,
  gitAccess,
  gitWords,
  privateIndex,
  refreshesIndex
} from "../../../../src/tools/shell/GitAccess.ts"
import { plant } from "../../fixture.ts"

const { PATH = "" } = process.env

/** What a user runs: with a name, and nothing of this machine's configuration. */
export const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(
    "git",
    ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main", ...args],
    {
      cwd,
      env: { PATH, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_EDITOR: "true" },
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8"
    }
  )

/** A repository with one commit of two files, one of which has changed since. */
export const initialize = (folder: string): void => {
  plant(folder, { a: "one\n", "sub/b": "b\n" })
  git(folder, "init", "--template=", ".")
  git(folder, "add", ".")
  git(folder, "commit", "-m", "first")
  plant(folder, { a: "two\n" })
}

/** A program that leaves the file `ran`, and its path. */
export const evil = (folder: string): string => {
  plant(folder, { evil: `#!/bin/sh\ntouch '${NodePath.join(folder, "ran")}'\n` })
  chmodSync(NodePath.join(folder, "evil"), 0o755)
  return NodePath.join(folder, "evil")
}

export const access = (cwd: string, workingDir = cwd): Effect.Effect<GitAccess> =>
  Effect.promise(() => gitAccess(cwd, workingDir))

/** One word for it: unsafe, silent, or the folders outside. */
export const judged = (cwd: string, workingDir = cwd): Effect.Effect<string> =>
  access(cwd, workingDir).pipe(
    Effect.map((given) => (given._tag === "Unsafe" ? "unsafe" : given.outside.join() || "silent"))
  )

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `git` with these words as a silent line does, with what `gitAccess` gives. The folder above is the home. */
export const silently = (given: GitAccess, cwd: string, ...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (given._tag === "Unsafe") return yield* Effect.die("unsafe")
    const index = yield* privateIndex(refreshesIndex(words) ? given.index : undefined)
    const { status, stderr, stdout } = spawnSync("git", gitWords(words), {
      cwd,
      env: { PATH, HOME: NodePath.dirname(cwd), ...given.env, ...index },
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8"
    })
    return { status, stdout, stderr } satisfies Outcome
  }).pipe(Effect.orDie, Effect.scoped)

/** Each listed command, in several forms. */
export const listed: ReadonlyArray<ReadonlyArray<string>> = [
  ["status"],
  ["status", "--short", "--branch"],
  ["status", "-v", "--show-stash", "--ignored"],
  ["log", "-p"],
  ["log", "--stat", "--graph", "--all", "--decorate"],
  ["log", "-g", "--format=%gd %h %aN"],
  ["log", "--follow", "--", "a"],
  ["log", "-L", "1,1:a"],
  ["show", "HEAD"],
  ["show", "HEAD:a"],
  ["diff"],
  ["diff", "--cached", "--stat"],
  ["diff", "HEAD", "--", "a"],
  ["--no-pager", "diff", "--word-diff"],
  ["blame", "a"],
  ["branch"],
  ["branch", "-avv"],
  ["branch", "--list", "--format=%(refname)"],
  ["rev-parse", "HEAD"],
  ["rev-parse", "--show-toplevel"],
  ["ls-files"],
  ["ls-files", "-m", "-o", "--exclude-standard"],
  ["remote", "-v"]
]
