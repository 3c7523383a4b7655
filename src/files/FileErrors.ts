import * as Effect from "effect/Effect"
import { isSystemError, systemCode } from "../domain/SystemError.ts"
import { Refused, refuse } from "./Refused.ts"

/**
 * Runs asynchronous file work. An error of the operating system becomes a `Refused` in plain words; any other error but
 * a `Refused` is a defect. The signal is aborted on interruption: loops must check it.
 */
export const attempt = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, Refused> =>
  Effect.flatten(Effect.promise((signal) => work(signal).then((done) => Effect.succeed(done), failed)))

const failed = (error: unknown): Effect.Effect<never, Refused> => {
  if (error instanceof Refused) return Effect.fail(error)
  if (isSystemError(error)) return Effect.fail(refuse(inWords(error)))
  throw error
}

/** True for ENOENT: the file or directory does not exist. */
export const isMissing = (error: unknown): boolean => systemCode(error) === "ENOENT"

/** An error of the operating system in plain words: `<path>: no such file or directory`. */
export const inWords = (error: NodeJS.ErrnoException): string => {
  const what = reasonOf(error) ?? error.message
  return error.path === undefined || what === error.message ? what : `${error.path}: ${what}`
}

/** What an error of the operating system says, without the path; undefined for those that are not known. */
export const reasonOf = ({ code }: NodeJS.ErrnoException): string | undefined => words[code ?? ""]

const words: { readonly [code: string]: string } = {
  EACCES: "permission denied",
  EBUSY: "the file is busy",
  EEXIST: "it exists already",
  EISDIR: "it is a directory",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on the disk",
  ENOTDIR: "a part of the path is not a directory",
  ENOTEMPTY: "the directory is not empty",
  ENXIO: "it is not a regular file",
  EPERM: "the operation is not permitted",
  EROFS: "the file system is read-only"
}
