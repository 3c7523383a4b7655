import { styleText } from "node:util"

/** How things look; on anything but a terminal, plain. */
export interface Style {
  readonly user: (text: string) => string
  readonly dim: (text: string) => string
  readonly reasoning: (text: string) => string
  readonly tool: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly warn: (text: string) => string
  readonly hunk: (text: string) => string
  readonly strong: (text: string) => string
}

type Format = Parameters<typeof styleText>[0]

export const styleFor = (colours: boolean): Style => {
  const look = (format: Format) => (text: string) =>
    colours ? styleText(format, text, { validateStream: false }) : text
  return {
    user: look(["bold", "cyan"]),
    dim: look("dim"),
    reasoning: look(["dim", "italic"]),
    tool: look("blue"),
    good: look("green"),
    bad: look("red"),
    warn: look(["bold", "yellow"]),
    hunk: look("cyan"),
    strong: look("bold")
  }
}

/** A unified diff with its lines coloured; other text stays as it is. */
export const colourDiff = (preview: string, style: Style): string => {
  if (!/^(---|\+\+\+|@@) /m.test(preview)) return preview
  return preview
    .split("\n")
    .map((line) => {
      if (/^(---|\+\+\+) /.test(line)) return style.strong(line)
      if (line.startsWith("@@")) return style.hunk(line)
      if (line.startsWith("+")) return style.good(line)
      return line.startsWith("-") ? style.bad(line) : line
    })
    .join("\n")
}
