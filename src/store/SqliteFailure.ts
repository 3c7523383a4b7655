import { classifySqliteError, LockTimeoutError, SqlError } from "effect/sql/SqlError"

/** What `node:sqlite` threw, classified; the statement is named, its parameters never. */
export const toSqlError = (cause: unknown, statement: string): SqlError => {
  const code = Reflect.get(Object(cause), "errcode")
  // Effect looks for SQLite's number under `errno`, node puts it under `errcode`: without this every failure is unknown.
  if (cause instanceof Error && typeof code === "number") Object.assign(cause, { errno: code })
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError({ reason: classifySqliteError(cause, { message, operation: statement }) })
}

/** The same failure, with the process that holds the lock named, where it can be. */
export const naming = (holder: number | undefined, error: SqlError): SqlError => {
  if (holder === undefined) return error
  const { cause, operation } = error.reason
  return new SqlError({
    reason: new LockTimeoutError({ cause, message: `${error.message} by process ${holder}`, operation })
  })
}

/** Another process holds the lock, or is just recovering or closing the database. */
export const isLocked = (error: SqlError): boolean => error.reason._tag === "LockTimeoutError"

/** The file is no database, or its pages contradict each other. */
export const isDamage = (error: SqlError): boolean => {
  const code = primaryCode(error)
  return code === 11 || code === 26
}

/** Why the database would not do it, in words for a person who has never heard of SQLite. */
export const whyNot = (error: SqlError): string => {
  const told = error.message
  switch (primaryCode(error)) {
    case 5:
    case 6:
      return `another process has held the database locked for more than 5 seconds (${told})`
    case 3:
    case 8:
    case 23:
      return `the database may not be written (${told})`
    case 10:
      return `the disk could not be read or written (${told})`
    case 11:
    case 26:
      return `the database is damaged (${told})`
    case 13:
      return `the disk is full (${told})`
    case 14:
      return `the database cannot be opened: is its directory there, and may it be written? (${told})`
    default:
      return told
  }
}

/** SQLite's result code without the extension in its upper bytes. */
const primaryCode = (error: SqlError): number | undefined => {
  const code = Reflect.get(Object(error.reason.cause), "errcode")
  return typeof code === "number" ? code & 0xff : undefined
}
