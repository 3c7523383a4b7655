import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { isDamage, isLocked, toSqlError, whyNot } from "../../src/store/SqliteFailure.ts"

/** What `node:sqlite` throws with one of SQLite's numbers. */
const thrown = (errcode: number) => Object.assign(new Error("told"), { code: "ERR_SQLITE_ERROR", errcode })

describe("SqliteFailure", () => {
  it.each([
    ["a lock", 5, "another process has held the database locked for more than 5 seconds (told)"],
    [
      "a lock while another recovers",
      261,
      "another process has held the database locked for more than 5 seconds (told)"
    ],
    ["a lock of the same process", 6, "another process has held the database locked for more than 5 seconds (told)"],
    ["no permission", 3, "the database may not be written (told)"],
    ["a read-only file", 8, "the database may not be written (told)"],
    ["a read-only directory", 1544, "the database may not be written (told)"],
    ["a broken disk", 10, "the disk could not be read or written (told)"],
    ["a damaged file", 11, "the database is damaged (told)"],
    ["a full disk", 13, "the disk is full (told)"],
    ["a missing directory", 14, "the database cannot be opened: is its directory there, and may it be written? (told)"],
    ["a file that is something else", 26, "the database is damaged (told)"],
    ["anything else", 1, "told"]
  ])("says what %s means", (_, errcode, words) => {
    const error = toSqlError(thrown(errcode), "SELECT 1")
    assert.strictEqual(whyNot(error), words)
    assert.strictEqual(isLocked(error), words.includes("locked"))
    assert.strictEqual(isDamage(error), words.includes("damaged"))
  })

  it("classifies what SQLite really throws", () => {
    const database = new DatabaseSync(":memory:")
    database.exec("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)")
    let error: unknown
    try {
      database.exec("INSERT INTO t VALUES (1)")
    } catch (cause) {
      error = cause
    }
    database.close()
    const { reason } = toSqlError(error, "INSERT")
    assert.strictEqual(reason._tag, "UniqueViolation")
    assert.strictEqual(reason.operation, "INSERT")
  })

  it("takes what is no error at all", () => {
    assert.strictEqual(toSqlError("odd", "SELECT 1").message, "odd")
  })
})
