/** One thing that was counted or measured. */
export interface Figure {
  readonly name: string
  readonly value: number | string
  readonly unit: string
}

export const lineOf = ({ name, unit, value }: Figure): string =>
  `${name.padEnd(44)} ${(typeof value === "number" ? rounded(value) : value).padStart(14)} ${unit}`.trimEnd()

const rounded = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: Number.isInteger(value) ? 0 : Math.abs(value) < 10 ? 2 : 1 })

/** The value below which the share lies, 0.5 for the median. */
export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
