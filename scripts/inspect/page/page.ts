import type { Entry } from "../Entry.ts"
import { plural } from "../view/Format.ts"
import { take } from "../view/Take.ts"
import { asking, type Block, empty, running, type View } from "../view/View.ts"
import { type Actions, post } from "./Actions.ts"
import { drawBlock } from "./Blocks.ts"
import { composer } from "./Composer.ts"
import { byId, element, setClass, setText } from "./Element.ts"
import { framesPane } from "./FramesPane.ts"
import { keyed } from "./Keyed.ts"

let view: View = empty
let live: boolean | undefined
const [timeline, state, about, complaint] = ["timeline", "state", "about", "complaint"].map(byId) as [
  HTMLElement,
  HTMLElement,
  HTMLElement,
  HTMLElement
]
const complain = (text: string) => void (complaint.textContent = text)
const send = (type: string, payload: object) => void post(type, payload, complain)

const pane = framesPane()
const writer = composer({ view: () => view, post: send })
const actions: Actions = { live: () => live === true, post: send, showFrames: pane.show }

// What still runs in a conversation that has ended runs no more: its time stands still.
const clock = () => (live === true ? Date.now() : lastAt)
let lastAt: number | undefined

const ticks = new Map<string, () => void>()
const before = element("p", "dim")
const drawBlocks = keyed<Block>(timeline, (block) => {
  const drawn = drawBlock(block, clock, actions)
  ticks.set(block.key, drawn.tick)
  return drawn
})

const draw = () => {
  due = false
  const atEnd = timeline.scrollHeight - timeline.scrollTop - timeline.clientHeight < 80
  drawBlocks(view.blocks)
  const keys = new Set(view.blocks.map(({ key }) => key))
  for (const key of ticks.keys()) if (!keys.has(key)) ticks.delete(key)
  const lost = [
    ...(view.forgotten > 0 ? [`${plural(view.forgotten, "entry")} before`] : []),
    ...(view.missed > 0 ? [`${plural(view.missed, "frame")} no longer kept`] : [])
  ]
  if (lost.length > 0) {
    before.textContent = lost.join(", ")
    timeline.prepend(before)
  }
  const [name, look] = status()
  setText(state, name)
  setClass(state, `pill ${look}`)
  setText(about, [view.workingDir, view.model].filter((text) => text !== undefined).join(" · "))
  writer.update(live === true)
  if (atEnd) timeline.scrollTop = timeline.scrollHeight
}

const status = (): readonly [name: string, look: string] => {
  if (live === undefined) return ["connecting", ""]
  if (!live) return ["ended", ""]
  if (asking(view).length > 0) return ["asks for approval", "asks"]
  return running(view) === undefined ? ["ready", "ready"] : ["running", "running"]
}

let due = false
const soon = () => {
  if (due) return
  due = true
  requestAnimationFrame(draw)
}

const source = new EventSource("stream")
source.addEventListener("message", ({ data }: MessageEvent<string>) => {
  const entries: ReadonlyArray<Entry> = JSON.parse(data)
  for (const entry of entries) {
    view = take(view, entry)
    lastAt = entry.at ?? lastAt
  }
  soon()
})
source.addEventListener("live", ({ data }: MessageEvent<string>) => {
  live = data === "true"
  for (const tick of ticks.values()) tick()
  soon()
})
source.addEventListener("error", () => {
  if (source.readyState === EventSource.CLOSED) complain("The inspector is gone.")
})

setInterval(() => {
  if (live !== true || running(view) === undefined || document.hidden) return
  for (const block of view.blocks.slice(-3)) ticks.get(block.key)?.()
}, 100)

document.addEventListener("keydown", (event) => {
  if (event.isComposing) return
  if (event.key === "Escape") {
    if (!pane.close() && live === true && running(view) !== undefined) writer.stop()
    return
  }
  const focused = document.activeElement
  const isHead = focused instanceof HTMLElement && focused.matches("#timeline .head")
  if (!isHead || (event.key !== "ArrowDown" && event.key !== "ArrowUp")) return
  event.preventDefault()
  const heads = [...timeline.querySelectorAll<HTMLElement>(".head")]
  heads[heads.indexOf(focused) + (event.key === "ArrowDown" ? 1 : -1)]?.focus()
})
