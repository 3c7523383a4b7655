import { fileURLToPath } from "node:url"
import { refuse } from "./Refused.ts"

/** Marks that models put round a path, in pairs. */
const quotes = ['""', "''", "``", "\u201c\u201d", "\u2018\u2019", "<>"]

/**
 * A path without what models put round it: line breaks, quotes, `file://`. A name may really have such marks, so the text is
 * tried as it is first. Throws `Refused` for the URL of another machine.
 */
export const givenPath = (text: string): string => {
  const path = text.replaceAll(/[\r\n]+/g, "").trim()
  const isQuoted = quotes.some((pair) => path.length > 2 && path.startsWith(pair[0]!) && path.endsWith(pair[1]!))
  if (isQuoted) return givenPath(path.slice(1, -1))
  return /^file:\/\//i.test(path) ? fromUrl(path) : path
}

const fromUrl = (text: string): string => {
  try {
    const url = new URL(text)
    if (url.hostname === "localhost") url.hostname = ""
    return fileURLToPath(url)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw refuse(`expected a path, or a file URL of this machine, got ${text}: ${why}`)
  }
}
