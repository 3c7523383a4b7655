export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)

/** The value below which this part of the values lies, interpolated; NaN where there are none. */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const low = sorted[Math.floor(at)] ?? Number.NaN
  const high = sorted[Math.ceil(at)] ?? Number.NaN
  return low + (high - low) * (at - Math.floor(at))
}

/** NaN where a figure is not above 0: a difference may be nothing, or less, in a noisy moment. */
export const ratio = (value: number, other: number): number => (value > 0 && other > 0 ? value / other : Number.NaN)
