import { classifySqliteError, LockTimeoutError, SqlError } from "effect/sql/SqlError"

/** Classifies an error of `node:sqlite`. The result names the statement, but none of its parameters. */
export const toSqlError = (cause: unknown, statement: string): SqlError => {
  const code = Reflect.get(Object(cause), "errcode")
  // Effect reads SQLite's code from `errno`, but node puts it into `errcode`: without this every failure is unknown.
  if (cause instanceof Error && typeof code === "number") Object.assign(cause, { errno: code })
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError({ reason: classifySqliteError(cause, { message, operation: statement }) })
}

/** Adds the process that has the lock to the failure's message, if it is known. */
export const naming = (holder: number | undefined, error: SqlError): SqlError => {
  if (holder === undefined) return error
  const { cause, operation } = error.reason
  return new SqlError({
    reason: new LockTimeoutError({ cause, message: `${error.message} by process ${holder}`, operation })
  })
}

/** True if another process has the lock, or is recovering or closing the database. */
export const isLocked = (error: SqlError): boolean => error.reason._tag === "LockTimeoutError"

/** True if the file is not a database, or its pages contradict each other. */
export const isDamage = (error: SqlError): boolean => {
  const code = primaryCode(error)
  return code === 11 || code === 26
}

/** The reason of a failure, in words for a person who does not know SQLite. */
export const whyNot = (error: SqlError): string => {
  const detail = error.message
  switch (primaryCode(error)) {
    case 5:
    case 6:
      return `another process has held the database locked for more than 5 seconds (${detail})`
    case 3:
    case 8:
    case 23:
      return `the database may not be written (${detail})`
    case 10:
      return `the disk could not be read or written (${detail})`
    case 11:
    case 26:
      return `the database is damaged (${detail})`
    case 13:
      return `the disk is full (${detail})`
    case 14:
      return `the database cannot be opened: is its directory there, and may it be written? (${detail})`
    default:
      return detail
  }
}

/** SQLite's primary result code: without the extended code in the upper bytes. */
const primaryCode = (error: SqlError): number | undefined => {
  const code = Reflect.get(Object(error.reason.cause), "errcode")
  return typeof code === "number" ? code & 0xff : undefined
}
