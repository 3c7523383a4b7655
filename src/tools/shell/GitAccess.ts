import { lstat } from "node:fs/promises"
import * as NodePath from "node:path"
import { isWithin } from "../../files/PathScope.ts"
import { hasOnlyOwnFiles } from "./git/GitFolder.ts"
import { hasPlainConfig } from "./git/GitConfig.ts"
import { findRepository, type Repository } from "./git/GitRepository.ts"

export { privateIndex } from "./git/PrivateIndex.ts"

/** What git may do in a folder without a question. */
export type GitAccess =
  | { readonly _tag: "Unsafe" }
  | {
      readonly _tag: "Reads"
      /** The repository that git gets, so that it does not look for one, and what keeps it to reading. */
      readonly env: { readonly [name: string]: string }
      /** Real folders of the repository outside the working directory: git reads them too, so this read asks. */
      readonly outside: ReadonlyArray<string>
      /** The repository's index, for `privateIndex`; undefined where there is no repository. */
      readonly index: string | undefined
    }

const unsafe: GitAccess = { _tag: "Unsafe" }

/**
 * How git reads the repository of `cwd`, which is a real path, without running, reaching or writing anything. Unsafe if the
 * repository, which the agent may be able to write, is not one of files alone: a setting that is not known to be harmless,
 * a link, objects of another repository. Its other folders are found as git finds them, and handed to git.
 */
export const gitAccess = async (cwd: string, workingDir: string): Promise<GitAccess> => {
  const repository = await findRepository(cwd)
  if (repository === "unclear") return unsafe
  if (repository === "none") {
    return { _tag: "Reads", env: { ...quiet, GIT_DIR: NodePath.join(cwd, ".git") }, outside: [], index: undefined }
  }
  const { common, folder, top } = repository
  for (const each of whole([folder, common])) if (!(await hasOnlyOwnFiles(each))) return unsafe
  for (const each of new Set([folder, common])) if (!(await hasPlainConfig(each))) return unsafe
  const index = NodePath.join(folder, "index")
  if (await isTooLarge(index)) return unsafe
  return {
    _tag: "Reads",
    env: { ...quiet, GIT_DIR: folder, GIT_COMMON_DIR: common, GIT_WORK_TREE: top },
    outside: whole([top, folder, common]).filter((each) => !isWithin(workingDir, each)),
    index
  }
}

/** The folders without those that lie in another one. */
const whole = (folders: ReadonlyArray<Repository["folder"]>): ReadonlyArray<string> =>
  folders.filter(
    (folder, at) =>
      folders.indexOf(folder) === at && !folders.some((other) => other !== folder && isWithin(other, folder))
  )

/** An index beyond this, of about half a million files, is not copied for each command. */
const maxIndexBytes = 64 * 1024 * 1024

const isTooLarge = (index: string): Promise<boolean> =>
  lstat(index).then(
    ({ size }) => size > maxIndexBytes,
    () => false
  )

/**
 * Keeps git to reading: no configuration of the user or the system (older versions know them by `HOME` alone), no fetch of
 * missing objects, no connection, no lock, no terminal, no program of its own choice.
 */
const quiet: { readonly [name: string]: string } = {
  HOME: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: ":",
  GIT_SEQUENCE_EDITOR: ":",
  GIT_ASKPASS: "true",
  SSH_ASKPASS: "true"
}

/**
 * Settings that git gets as options, which win over the repository's, in every version and in what git itself starts. An
 * empty `core.fsmonitor` is off; in older versions `false` is the name of a program. An index of several packs names files
 * by paths. A nested repository has a configuration of its own, so git does not look into it.
 */
const settings = [
  "core.fsmonitor=",
  "core.hooksPath=/dev/null",
  "core.multiPackIndex=false",
  "log.showSignature=false",
  "status.submoduleSummary=false",
  "diff.submodule=short",
  "submodule.recurse=false"
].flatMap((setting) => ["-c", setting])

/** Options of each command. That of submodules wins over `.gitmodules`, as the setting does not. */
const options: { readonly [command: string]: ReadonlyArray<string> } = {
  status: ["--ignore-submodules=all"],
  diff: ["--ignore-submodules=all", "--no-ext-diff", "--no-textconv"],
  log: ["--no-ext-diff", "--no-textconv"],
  show: ["--no-ext-diff", "--no-textconv"]
}

/** True if `git` with these words writes what it learns about files into the index, whatever the locks: only `diff` does. */
export const refreshesIndex = (words: ReadonlyArray<string>): boolean =>
  words.find((word) => !word.startsWith("-")) === "diff"

/** The words behind `git`, of a line that only reads, with what is forced on them. */
export const gitWords = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = words.findIndex((word) => !word.startsWith("-"))
  const command = words[at]
  const forced = command !== undefined && Object.hasOwn(options, command) ? (options[command] ?? []) : []
  return ["--no-pager", ...settings, ...words.slice(0, at + 1), ...forced, ...words.slice(at + 1)]
}
