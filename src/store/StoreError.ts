import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { whyNot } from "./SqliteFailure.ts"

/** A failed operation of the store: `doing` names it, `why` is the reason in words. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  doing: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `${this.doing}: ${this.why}`
  }
}

/** Turns a failure of SQLite into a `StoreError` of the operation `doing`. */
export const refused =
  (doing: string) =>
  (error: SqlError): StoreError =>
    new StoreError({ doing, why: whyNot(error) })
