import type { Verdict } from "./Judge.ts"

/** One line of the table: the template, how many histories it took, and those that it refused with the reason. */
export const rowOf = (name: string, verdicts: ReadonlyArray<Verdict>, reason: string | undefined): string => {
  const failed = verdicts.filter(({ failure }) => failure !== undefined)
  const recovered = verdicts.filter((verdict) => verdict.failure === undefined && verdict.recovered > 0)
  const count = `${verdicts.length - failed.length}/${verdicts.length}`
  const again = recovered.length === 0 ? "" : `  after a refusal: ${recovered.map(({ history }) => history).join(", ")}`
  const head = `${failed.length === 0 ? "✓" : reason === undefined ? "✗" : "–"} ${name.padEnd(52)} ${count}${again}`
  const why = failed.map(({ failure, history }) => `    ${history}: ${failure}`)
  return [head, ...(failed.length > 0 && reason !== undefined ? [`    ${reason}`] : []), ...why].join("\n")
}

/** How many templates take every history; good if each other one has a reason, and at most two have. */
export const summaryOf = (
  rows: ReadonlyMap<string, ReadonlyArray<Verdict>>,
  reasons: { readonly [name: string]: string }
): { readonly line: string; readonly isGood: boolean } => {
  const failed = [...rows].filter(([, verdicts]) => verdicts.some(({ failure }) => failure !== undefined))
  const isGood = failed.every(([name]) => name in reasons) && failed.length <= 2
  return { line: `${rows.size - failed.length} of ${rows.size} templates take every history`, isGood }
}
