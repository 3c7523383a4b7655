import { element } from "./Element.ts"

/** A preview; the lines of a diff in their colours. */
export const drawPreview = (text: string): HTMLElement => {
  const isDiff = /^(---|\+\+\+|@@) /m.test(text)
  const lines = text.trimEnd().split("\n")
  const node = element(
    "pre",
    "preview",
    ...lines.map((line) => element("span", isDiff ? kindOf(line) : "", `${line}\n`))
  )
  node.tabIndex = 0
  return node
}

const kindOf = (line: string): string => {
  if (/^(---|\+\+\+) /.test(line)) return "file"
  if (line.startsWith("@@")) return "hunk"
  if (line.startsWith("+")) return "added"
  return line.startsWith("-") ? "removed" : ""
}
