import { type Entry, isRecord } from "../Entry.ts"
import { cut } from "./Format.ts"
import { notice, withBlock } from "./Notices.ts"
import { inTurn } from "./InTurn.ts"
import { extended } from "./Ranges.ts"
import { withTurn } from "./Turns.ts"
import { longText, type View } from "./View.ts"

type Payload = { readonly [key: string]: unknown }

/** An event: part of its turn, or a notice of its own. */
export const happened = (view: View, entry: Entry, type: string, payload: Payload): View => {
  switch (type) {
    case "user_message":
      return begun(view, entry, payload)
    case "session_started": {
      const sessionId = String(payload["sessionId"])
      const workingDir = String(payload["workingDir"])
      return notice({ ...view, sessionId, workingDir }, entry, "info", "Session", `${sessionId} in ${workingDir}`)
    }
    case "llm_state": {
      const model = [payload["model"], payload["state"], payload["url"]].filter((part) => part !== undefined)
      return { ...view, model: model.join(" · ") }
    }
    case "llm_unavailable":
      return notice(view, entry, "warn", "No model", `${String(payload["error"])}\n${String(payload["hint"])}`)
    case "skill_registry_updated":
      return notice(view, entry, "info", "Skills", JSON.stringify(payload["installed"]))
    case "log":
      return logged(view, entry, payload)
    case "metric":
    case "turn_queued":
      return view
    default:
  }
  const turnId = payload["turnId"]
  if (typeof turnId === "string") {
    return withTurn(view, entry, turnId, (turn) => inTurn(turn, entry, type, payload))
  }
  if (type === "error") {
    const title = typeof payload["code"] === "string" ? payload["code"] : "Error"
    const stack = typeof payload["stack"] === "string" ? `\n${payload["stack"]}` : ""
    return notice(view, entry, "error", title, `${String(payload["message"])}${stack}`)
  }
  return notice(view, entry, "info", type, JSON.stringify(payload))
}

/** A turn begins with its message; that of the oldest request that waits with these words. */
const begun = (view: View, entry: Entry, payload: Payload): View => {
  const [turnId, sessionId, text] = [payload["turnId"], payload["sessionId"], payload["text"]].map(String)
  const message = text ?? ""
  const request = view.pending.find(
    (each) => each.type === "send_message" && each.of === undefined && each.text === cut(message)
  )
  const pending = view.pending.map((each) => (each === request ? { ...each, of: turnId } : each))
  return withBlock(
    { ...view, pending },
    {
      kind: "turn",
      key: `turn-${turnId}`,
      turnId: turnId ?? "",
      sessionId: sessionId ?? "",
      at: entry.at,
      frames: extended(request === undefined ? [] : [[request.number, request.number]], entry.number),
      index: undefined,
      message: longText(message),
      rows: [],
      forgotten: 0,
      reason: undefined,
      stepCount: undefined,
      durationMs: undefined,
      tokens: undefined
    }
  )
}

const logged = (view: View, entry: Entry, { context, level, message }: Payload): View => {
  if (level === "debug") return view
  const detail = isRecord(context) ? JSON.stringify(context) : ""
  return notice(view, entry, level === "error" || level === "warn" ? level : "info", String(message), detail)
}
