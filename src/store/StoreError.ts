import * as Schema from "effect/Schema"
import type { SqlError } from "effect/sql/SqlError"
import { whyNot } from "./SqliteFailure.ts"

/** The database would not do it; the message says what it was doing and why not. */
export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  doing: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `${this.doing}: ${this.why}`
  }
}

/** What SQLite refused, in words. */
export const refused =
  (doing: string) =>
  (error: SqlError): StoreError =>
    new StoreError({ doing, why: whyNot(error) })
