/** A number of tokens in a server's JSON; undefined where it is none, or more than any model can have read. */
export const tokenCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most ? value : undefined

/** The same where nought means that nobody knows. */
export const windowSize = (value: unknown): number | undefined => tokenCount(value) || undefined

const most = 1e12
