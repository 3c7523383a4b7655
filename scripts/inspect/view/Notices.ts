import type { Entry } from "../Entry.ts"
import { type Block, limits, longText, type NoticeBlock, type View } from "./View.ts"

/** With one block more at the end. */
export const withBlock = (view: View, block: Block): View => {
  const blocks = [...view.blocks, block]
  const over = Math.max(0, blocks.length - limits.blocks)
  return { ...view, blocks: blocks.slice(over), forgotten: view.forgotten + over }
}

export const notice = (view: View, entry: Entry, level: NoticeBlock["level"], title: string, detail = ""): View =>
  withBlock(view, {
    kind: "notice",
    key: `notice-${entry.number}`,
    at: entry.at,
    frames: [[entry.number, entry.number]],
    level,
    title,
    detail: longText(detail, limits.short)
  })
