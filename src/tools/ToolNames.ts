import { wireName } from "../domain/Transcript.ts"

/**
 * The offered tool that a model means by a name: it may be written in another case, with other marks between its words,
 * with `functions.` before it, with `:0` or a special token (`<|channel|>…`) behind. Undefined where none or several fit.
 */
export const toolNamed = (name: string, offered: ReadonlyArray<string>): string | undefined => {
  const bare = name
    .replace(/<[|\uff5c][^]*$/u, "")
    .trim()
    .replace(/:\d+$/, "")
  const meant = [bare, bare.replace(/^functions?[._]/i, "")]
  for (const each of [name, ...meant]) {
    const exact = offered.find((tool) => tool === each || wireName(tool) === each)
    if (exact !== undefined) return exact
  }
  for (const letters of meant.map(lettersOf)) {
    const alike = letters === "" ? [] : offered.filter((tool) => lettersOf(tool) === letters)
    if (alike.length === 1) return alike[0]
  }
  return undefined
}

/** The most names that a model is told. */
const maxNearest = 12

/** The offered names, at most twelve, those first that resemble an unknown one most. */
export const nearestTo = (name: string, offered: ReadonlyArray<string>): ReadonlyArray<string> => {
  const letters = lettersOf(name)
  return offered
    .map((tool) => ({ tool, likeness: likeness(letters, lettersOf(tool)) }))
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, maxNearest)
    .map(({ tool }) => tool)
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** The share of pairs of neighbouring letters that two words have in common, from 0 to 1. */
const likeness = (one: string, other: string): number => {
  const [ones, others] = [pairsOf(one), pairsOf(other)]
  const common = [...ones].filter((pair) => others.has(pair)).length
  return (2 * common) / Math.max(1, ones.size + others.size)
}

const pairsOf = (word: string): ReadonlySet<string> =>
  new Set(Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => word.slice(at, at + 2)))
