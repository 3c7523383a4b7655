import type { ComparedRow } from "./Against.ts"
import type { Aim, Row } from "./Experiment.ts"

/** The rows of a sidecar beside its limits, as a table for a terminal. */
export const tableOf = (rows: ReadonlyArray<Row>): string =>
  columns(
    [
      ["", "sidecar", "beside", "", "ratio", "aim", ""],
      ...rows.map((row) => [
        row.name,
        amount(row.value, row.unit),
        row.beside === undefined ? "" : amount(row.beside.value, row.unit),
        row.beside?.name ?? "",
        times(row.ratio),
        row.aims.map((aim) => aimText(aim, row.unit)).join(", "),
        row.aims.length === 0 ? "" : row.aims.every((aim) => isMet(aim, row)) ? "✓" : "✗"
      ])
    ],
    [1, 2, 4]
  )

/** The rows of two builds, as a table for a terminal. */
export const comparedTableOf = (rows: ReadonlyArray<ComparedRow>): string =>
  columns(
    [
      ["", "new", "old", "new / old", "quarters of the rounds", "bare Node"],
      ...rows.map((row) => [
        row.name,
        amount(row.current, row.unit),
        amount(row.other, row.unit),
        times(row.ratio),
        row.quarters.map(times).join(" to "),
        row.limit === undefined ? "" : amount(row.limit, row.unit)
      ])
    ],
    [1, 2, 3, 4, 5]
  )

export const isMet = ({ of, most, least }: Aim, row: Pick<Row, "value" | "ratio">): boolean =>
  row[of] <= (most ?? Infinity) && row[of] >= (least ?? -Infinity)

const columns = (cells: ReadonlyArray<ReadonlyArray<string>>, right: ReadonlyArray<number>): string => {
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? []
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
        )
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

const amount = (value: number, unit: string): string => {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`
}

const times = (ratio: number): string => (Number.isNaN(ratio) ? "" : `${ratio.toFixed(2)}×`)

const aimText = ({ of, most, least }: Aim, unit: string): string => {
  const bound = most ?? least ?? 0
  return `${most === undefined ? "≥" : "≤"} ${of === "ratio" ? `${bound}×` : `${bound.toLocaleString("en")} ${unit}`}`
}
