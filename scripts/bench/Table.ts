import type { Aim, Row } from "./Bench.ts"

/** The rows as one table for a terminal. */
export const tableOf = (rows: ReadonlyArray<Row>): string => {
  const cells = [
    ["", "sidecar", "beside", "", "ratio", "aim", ""],
    ...rows.map((row) => [
      row.name,
      amount(row.value, row.unit),
      row.beside === undefined ? "" : amount(row.beside.value, row.unit),
      row.beside?.name ?? "",
      Number.isNaN(ratioOf(row)) ? "" : times(ratioOf(row)),
      row.aims.map((aim) => aimText(aim, row.unit)).join(", "),
      row.aims.length === 0 ? "" : row.aims.every((aim) => isMet(aim, row)) ? "✓" : "✗"
    ])
  ]
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? []
  const alignRight = new Set([1, 2, 4])
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          alignRight.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
        )
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

export const isMet = ({ of, most, least }: Aim, row: Row): boolean => {
  const value = of === "value" ? row.value : ratioOf(row)
  return value <= (most ?? Infinity) && value >= (least ?? -Infinity)
}

/** None where there is nothing beside it: what is a difference may be nothing, or less, in a noisy moment. */
export const ratioOf = ({ value, beside }: Row): number =>
  beside === undefined || beside.value <= 0 ? Number.NaN : value / beside.value

const amount = (value: number, unit: string): string => {
  const digits = value >= 1000 ? 0 : value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`
}

const times = (ratio: number): string => `${ratio.toFixed(2)}×`

const aimText = ({ of, most, least }: Aim, unit: string): string => {
  const bound = most ?? least ?? 0
  return `${most === undefined ? "≥" : "≤"} ${of === "ratio" ? `${bound}×` : `${bound.toLocaleString("en")} ${unit}`}`
}
