import * as Schema from "effect/Schema"
import { cutText } from "../domain/CutText.ts"

/** A setting that cannot be used: the process reports it with one `error` frame and exits 78 (contract 10). */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  /** The file, with the line if that is known, or `environment variable X`. */
  source: Schema.String,
  /** The key in the file; absent if the source alone names the setting. */
  key: Schema.optionalKey(Schema.String),
  expected: Schema.String,
  /** The value; absent if it is or may be a secret. */
  actual: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const place = this.key === undefined ? this.source : `${this.source}: ${this.key}`
    return `${place}: expected ${this.expected}${this.actual === undefined ? "" : `, got ${this.actual}`}`
  }
}

/** A value as JSON, cut after 100 characters. Of a list or an object only the type, since anything may be in it. */
export const shown = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (Array.isArray(value)) return "array"
  if (typeof value === "object" && value !== null) return "object"
  // JSON text may have a number that is too large, but `JSON.stringify` writes null for it.
  const text = typeof value === "number" ? String(value) : JSON.stringify(value)
  return text.length > 100 ? `${cutText(text, 100)}…` : text
}

/** True for a text that may be a URL with a user name, a query or a fragment, even an invalid one. */
export const mayHoldPassword = (value: unknown): boolean =>
  typeof value === "string" && /@|[:/].*[?#].|[?#].*=/s.test(value)
