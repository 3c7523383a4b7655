import * as Schema from "effect/Schema"

/** A setting that cannot be used (contract 10): the process says so in one frame and exits 78. */
export class ConfigInvalid extends Schema.TaggedError<ConfigInvalid>()("ConfigInvalid", {
  /** The file, with the line where that is known, or `environment variable X`. */
  source: Schema.String,
  /** The key; absent where the source says it all. */
  key: Schema.optionalKey(Schema.String),
  expected: Schema.String,
  /** What stood there; absent where it is or may be a secret. */
  actual: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const place = this.key === undefined ? this.source : `${this.source}: ${this.key}`
    return `${place}: expected ${this.expected}${this.actual === undefined ? "" : `, got ${this.actual}`}`
  }
}

/** A value in the words of JSON, cut where it is long; a list or an object only by name, since anything may be in it. */
export const shown = (value: unknown): string => {
  if (value === undefined) return "nothing"
  if (Array.isArray(value)) return "array"
  if (typeof value === "object" && value !== null) return "object"
  // JSON has numbers that are too large, but no word for them.
  const text = typeof value === "number" ? String(value) : JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** A URL with a user name, a query or a fragment in it, however badly written. */
export const mayHoldPassword = (value: unknown): boolean =>
  typeof value === "string" && /@|[:/].*[?#].|[?#].*=/s.test(value)
