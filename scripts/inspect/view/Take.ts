import { type Entry, isRecord } from "../Entry.ts"
import { answered, asked } from "./Requests.ts"
import { happened } from "./Happened.ts"
import { notice } from "./Notices.ts"
import type { View } from "./View.ts"

/** The conversation with one line more. Whatever the line is, it fits: what is unknown is shown as such. */
export const take = (view: View, entry: Entry): View => {
  if (entry.number <= view.last) return view
  const missed = view.missed + (entry.number - view.last - 1)
  return shown({ ...view, last: entry.number, missed }, entry)
}

const shown = (view: View, entry: Entry): View => {
  const { frame, from } = entry
  if (!isRecord(frame)) {
    const text = typeof frame === "string" ? frame : JSON.stringify(frame)
    return notice(view, entry, "warn", `No frame, from the ${from}`, text)
  }
  if (from === "host") return asked(view, entry, frame)
  if (frame["kind"] === "response") return answered(view, entry, frame)
  const { payload, type } = frame
  if (frame["kind"] !== "event" || typeof type !== "string" || !isRecord(payload)) {
    return notice(view, entry, "warn", "No frame of the protocol", JSON.stringify(frame))
  }
  return happened(view, entry, type, payload)
}
