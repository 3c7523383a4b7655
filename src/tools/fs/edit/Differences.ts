/** A part of a text, and the part of the new one that takes its place. */
export interface Difference {
  readonly from: number
  readonly to: number
  readonly fromNew: number
  readonly toNew: number
}

/**
 * What must be replaced to turn one text into the other, in order: line by line where both have as many, else from the first
 * to the last character that differs. What they have in common stays as it is in the file.
 */
export const differences = (before: string, after: string): ReadonlyArray<Difference> => {
  const [old, made] = [before.split("\n"), after.split("\n")]
  if (old.length !== made.length) return within(before, after, 0, 0)
  let [at, atNew] = [0, 0]
  return old.flatMap((line, index) => {
    const other = made[index] ?? ""
    const parts = within(line, other, at, atNew)
    at += line.length + 1
    atNew += other.length + 1
    return parts
  })
}

const within = (before: string, after: string, at: number, atNew: number): ReadonlyArray<Difference> => {
  if (before === after) return []
  const most = Math.min(before.length, after.length)
  let same = 0
  while (same < most && before[same] === after[same]) same++
  let sameEnd = 0
  while (sameEnd < most - same && before.at(-1 - sameEnd) === after.at(-1 - sameEnd)) sameEnd++
  return [
    {
      from: at + same,
      to: at + before.length - sameEnd,
      fromNew: atNew + same,
      toNew: atNew + after.length - sameEnd
    }
  ]
}
