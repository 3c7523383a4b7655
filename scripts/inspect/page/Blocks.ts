import { count, duration, elapsed, plural } from "../view/Format.ts"
import type { Block, NoticeBlock, RequestBlock, Row, TurnBlock } from "../view/View.ts"
import type { Actions } from "./Actions.ts"
import { element, setClass, setText } from "./Element.ts"
import { type Drawn, keyed } from "./Keyed.ts"
import { drawRow } from "./Rows.ts"

export type DrawnBlock = Drawn<Block> & { readonly tick: () => void }

export const drawBlock = (block: Block, clock: () => number | undefined, actions: Actions): DrawnBlock =>
  block.kind === "turn" ? drawTurn(block, clock, actions) : drawLine(block, actions)

const drawTurn = (first: TurnBlock, clock: () => number | undefined, actions: Actions): DrawnBlock => {
  let turn = first
  const ticks = new Map<string, () => void>()
  const [name, facts] = [element("span", "title"), element("span", "facts")]
  const head = element("button", "head", name, facts)
  head.type = "button"
  const message = element("p", "message")
  const rows = element("div", "rows")
  const more = element("p", "dim")
  const node = element("article", "turn", head, message, rows)
  head.addEventListener("click", () => actions.showFrames(titleOf(turn), turn.frames))

  const drawRows = keyed<Row>(rows, (row) => {
    const drawn = drawRow(row, () => turn, clock, actions)
    ticks.set(row.key, drawn.tick)
    return drawn
  })
  const tick = () => {
    setText(facts, factsOf(turn, clock()))
    for (const draw of ticks.values()) draw()
  }
  const update = (next: Block) => {
    if (next.kind !== "turn") return
    const isLonger = next.endedAt !== turn.endedAt
    turn = next
    setClass(node, `turn ${turn.reason ?? "running"}`)
    setText(name, titleOf(turn))
    setText(
      message,
      turn.message.text + (turn.message.more > 0 ? ` … ${plural(turn.message.more, "character")} more` : "")
    )
    if (turn.forgotten > 0) {
      more.textContent = `${plural(turn.forgotten, "row")} before`
      rows.before(more)
    }
    drawRows(turn.rows)
    const keys = new Set(turn.rows.map(({ key }) => key))
    for (const key of ticks.keys()) if (!keys.has(key)) ticks.delete(key)
    if (isLonger) tick()
    else setText(facts, factsOf(turn, clock()))
  }
  update(first)
  return { node, update, tick }
}

const drawLine = (first: RequestBlock | NoticeBlock, actions: Actions): DrawnBlock => {
  let block: Block = first
  const [name, hint, length] = [element("span", "title"), element("span", "hint"), element("span", "length")]
  const head = element("button", "head", name, hint, length)
  head.type = "button"
  const node = element("div", "", head)
  head.addEventListener("click", () => actions.showFrames(name.textContent, block.frames))
  const update = (next: Block) => {
    block = next
    if (next.kind === "request") {
      setClass(node, `line request ${next.ok === false ? "failed" : ""}`)
      setText(name, next.type)
      setText(hint, [next.asked, next.answer].filter((text) => text !== "").join("  →  "))
      setText(length, next.ok === undefined ? "…" : duration(elapsed(next, undefined)))
    } else if (next.kind === "notice") {
      setClass(node, `line notice ${next.level}`)
      setText(name, next.title)
      setText(hint, next.detail.text)
    }
  }
  update(first)
  return { node, update, tick: () => {} }
}

const titleOf = ({ index }: TurnBlock): string => (index === undefined ? "Turn" : `Turn ${index + 1}`)

const factsOf = (turn: TurnBlock, now: number | undefined): string => {
  const steps = turn.stepCount ?? turn.rows.filter(({ kind }) => kind === "step").length
  const length = duration(turn.durationMs ?? elapsed(turn, turn.reason === undefined ? now : undefined))
  return [
    turn.reason ?? "running",
    plural(steps, "step"),
    ...(turn.tokens === undefined ? [] : [`${count(turn.tokens)} tokens`]),
    ...(length === "" ? [] : [length])
  ].join(" · ")
}
