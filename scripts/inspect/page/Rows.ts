import { count, plural } from "../view/Format.ts"
import type { CallRow, Row, Span, TextRow } from "../view/View.ts"
import type { Actions } from "./Actions.ts"
import { approvalCard } from "./ApprovalCard.ts"
import { makeBar } from "./Bar.ts"
import { element, setClass, setText } from "./Element.ts"
import type { Drawn } from "./Keyed.ts"

/** A row of a turn: a head to click, a bar, and what it holds. `clock` tells when now is, where time still runs. */
export const drawRow = (
  first: Row,
  turn: () => Span,
  clock: () => number | undefined,
  actions: Actions
): Drawn<Row> & {
  readonly tick: () => void
} => {
  let row = first
  const [title, hint] = [element("span", "title"), element("span", "hint")]
  const head = element("button", "head", title, hint)
  head.type = "button"
  const bar = makeBar()
  const body = element("div", "body")
  const node = element("div", "", head, bar.track, bar.length, body)
  head.addEventListener("click", () => actions.showFrames(titleOf(row), row.frames))

  const text = element("div", "said")
  const more = element("p", "dim")
  let card: ReturnType<typeof approvalCard> | undefined

  const tick = () => {
    const knownMs = row.kind === "step" ? row.durationMs : undefined
    bar.draw(turn(), isOver(row) ? { at: row.at, endedAt: row.endedAt ?? row.at } : row, clock(), knownMs)
    if (row.kind === "call" && row.approval !== undefined) card?.update(row.approval, clock())
  }
  const update = (next: Row) => {
    row = next
    setClass(node, `row ${classOf(row)}`)
    setText(title, titleOf(row))
    setText(hint, hintOf(row))
    const { remaining, shown } = bodyOf(row)
    if (shown !== "" && !text.isConnected) body.prepend(text)
    setText(text, shown)
    if (remaining > 0) {
      more.textContent = `${plural(remaining, "character")} more`
      text.after(more)
    }
    if (row.kind === "call" && row.approval !== undefined && card === undefined) {
      card = approvalCard(row.approval, row.tool, actions)
      body.append(card.node)
    }
    body.hidden = body.childElementCount === 0
    tick()
  }
  update(first)
  if (row.kind === "call" || row.kind === "thinking") {
    // Long ones scroll, and scrolling must not need a mouse.
    text.tabIndex = 0
    text.setAttribute("role", "region")
    text.setAttribute("aria-label", row.kind === "call" ? `Result of ${row.tool}` : "Thinking")
  }
  return { node, update, tick }
}

const classOf = (row: Row): string => {
  if (row.kind === "call") return `call ${row.status ?? "open"}`
  return row.kind === "steer" ? `steer ${row.state}` : row.kind
}

const names: Readonly<Record<TextRow["kind"], string>> = {
  thinking: "Thinking",
  text: "Text",
  note: "Note",
  reply: "Reply"
}

const titleOf = (row: Row): string => {
  switch (row.kind) {
    case "step":
      return `Step ${row.index + 1}`
    case "call":
      return row.tool
    case "steer":
      return "Steer"
    case "error":
      return "Error"
    default:
      return names[row.kind]
  }
}

const hintOf = (row: Row): string => {
  switch (row.kind) {
    case "step": {
      const prompt = row.promptTokens === undefined ? [] : [`prompt ${count(row.promptTokens)}`]
      const cache = row.cacheReused ? ["cache"] : []
      const tokens = row.tokens === undefined || row.tokens === 0 ? [] : [plural(row.tokens, "token")]
      return [...(row.progress === undefined ? [] : [row.progress]), ...prompt, ...cache, ...tokens].join(" · ")
    }
    case "call":
      return row.args
    case "steer":
      return row.state
    default:
      return ""
  }
}

const bodyOf = (row: Row): { readonly shown: string; readonly remaining: number } => {
  switch (row.kind) {
    case "step":
      return { shown: "", remaining: 0 }
    case "call":
      return { shown: resultOf(row), remaining: row.summary.more }
    case "steer":
    case "error":
      return { shown: row.text, remaining: 0 }
    default: {
      const files = row.attachments.map((path) => `\n📎 ${path}`).join("")
      return { shown: row.text.trim() + files, remaining: row.more }
    }
  }
}

const resultOf = ({ summary, truncated }: CallRow): string =>
  summary.text.trimEnd() + (truncated ? "\n(the result was cut for the model)" : "")

const isOver = (row: Row): boolean => {
  if (row.kind === "step") return row.done
  if (row.kind === "call") return row.endedAt !== undefined
  return true
}
