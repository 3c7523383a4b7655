/** A table; a `|` in a cell must be escaped already. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** A text as code, or a dash where there is none. */
export const code = (text: string | undefined): string => (text === undefined ? "–" : `\`${text}\``)
