/** Numbers of frames, as runs of neighbours: `[[1, 3], [7, 7]]` is 1, 2, 3 and 7. */
export type Ranges = ReadonlyArray<readonly [first: number, last: number]>

/** More runs than that are not kept apart: the last one then spans what lies between. */
const most = 200

/** With one number more, which is higher than all before. */
export const extended = (ranges: Ranges, number: number): Ranges => {
  const last = ranges.at(-1)
  if (last === undefined) return [[number, number]]
  if (number <= last[1]) return ranges
  const joins = number === last[1] + 1 || ranges.length >= most
  return joins ? [...ranges.slice(0, -1), [last[0], number]] : [...ranges, [number, number]]
}

export const countOf = (ranges: Ranges): number => ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
