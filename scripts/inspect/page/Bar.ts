import { duration, elapsed, place } from "../view/Format.ts"
import type { Span } from "../view/View.ts"
import { element } from "./Element.ts"

/** When a part of a turn was, as a bar below the turn's own length, and how long it took. */
export const makeBar = () => {
  const fill = element("i", "")
  const track = element("span", "track", fill)
  track.ariaHidden = "true"
  const length = element("span", "length")
  const draw = (whole: Span, part: Span, now: number | undefined, knownMs?: number): void => {
    const placed = place(whole, part, now)
    fill.hidden = placed === undefined
    if (placed !== undefined) {
      // Set by script, which the page's policy allows where it forbids style attributes.
      fill.style.left = `${placed.left}%`
      fill.style.width = `${placed.width}%`
    }
    const text = duration(knownMs ?? elapsed(part, now))
    if (length.textContent !== text) length.textContent = text
  }
  return { track, length, draw }
}
