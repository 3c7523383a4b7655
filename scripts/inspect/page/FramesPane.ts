import type { Entry } from "../Entry.ts"
import { isRecord } from "../Entry.ts"
import { count, cut } from "../view/Format.ts"
import { countOf, type Ranges } from "../view/Ranges.ts"
import { byId, element } from "./Element.ts"

/** How many frames are shown of one thing. */
const most = 200
const mostText = 100_000

/** The raw frames of what was clicked, beside the conversation. */
export const framesPane = () => {
  const [pane, list, title] = [byId("frames"), byId("frames-list"), byId("frames-title")]
  let opener: HTMLElement | undefined
  let asked = 0

  const close = (): boolean => {
    if (pane.hidden) return false
    pane.hidden = true
    asked += 1
    list.replaceChildren()
    opener?.focus()
    return true
  }

  const show = async (what: string, ranges: Ranges): Promise<void> => {
    asked += 1
    const own = asked
    if (document.activeElement instanceof HTMLElement) opener = document.activeElement
    const all = countOf(ranges)
    title.textContent = `${what}: ${count(all)} frame${all === 1 ? "" : "s"}`
    list.replaceChildren()
    pane.hidden = false
    list.focus()
    let shown = 0
    for (const [first, last] of ranges) {
      if (shown >= most) break
      const entries = await fetchFrames(first, Math.min(last - first + 1, most - shown))
      if (own !== asked) return
      const wanted = entries.filter(({ number }) => number >= first && number <= last)
      list.append(...wanted.map(drawEntry))
      shown += Math.max(wanted.length, 1)
    }
    if (shown < all) list.append(element("p", "dim", `${count(all - shown)} more, or no longer kept`))
  }

  byId("frames-close").addEventListener("click", close)
  return { show: (what: string, ranges: Ranges) => void show(what, ranges), close }
}

const fetchFrames = async (from: number, howMany: number): Promise<ReadonlyArray<Entry>> => {
  try {
    const response = await fetch(`frames?from=${from}&count=${howMany}`)
    return response.ok ? await response.json() : []
  } catch {
    return []
  }
}

const drawEntry = ({ at, frame, from, number }: Entry): HTMLElement => {
  const time = at === undefined ? "" : new Date(at).toISOString().slice(11, 23)
  const type = isRecord(frame) ? String(frame["type"] ?? frame["kind"] ?? "") : "no JSON"
  const head = element(
    "div",
    "frame-head",
    element("span", `from ${from}`, from === "host" ? "host →" : "← sidecar"),
    element("strong", "", type),
    element("span", "dim", `#${number} ${time}`)
  )
  const text = typeof frame === "string" ? frame : JSON.stringify(frame, null, 2)
  return element("article", "frame", head, element("pre", "", cut(text, mostText)))
}
