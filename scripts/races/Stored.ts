import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import type { SessionState } from "../../src/protocol/SessionState.ts"
import { type Exchange, eventsOf, resultOf } from "./Exchanges.ts"
import type { Played } from "./Play.ts"

/** What `get_session` tells when all is over is what the host has seen; nothing comes back that was deleted. */
export const stored = (
  exchanges: ReadonlyArray<Exchange>,
  { frames, hasStoreFailed }: Played
): ReadonlyArray<string> => {
  const over = exchanges.findIndex(({ payload }) => payload["text"] === "the last one")
  if (over === -1 || hasStoreFailed) return []
  return exchanges.slice(over).flatMap((exchange) => {
    if (exchange.type !== "get_session" || !exchange.response.ok) return []
    const state = exchange.response.payload as SessionState | null
    const { sessionId } = exchange.payload
    const isDeleted = exchanges.some(
      (other) =>
        other.type === "delete_session" &&
        other.payload["sessionId"] === sessionId &&
        resultOf(other)["deleted"] === true
    )
    if (isDeleted) return state === null ? [] : [`session ${String(sessionId)} was deleted and is there again`]
    if (state === null) return [`session ${String(sessionId)} is not stored`]
    return differences(
      state,
      frames.filter((frame) => isOf(frame, sessionId))
    )
  })
}

const isOf = (frame: SidecarFrame, sessionId: unknown) =>
  frame.kind === "event" && "sessionId" in frame.payload && frame.payload.sessionId === sessionId

const differences = (state: SessionState, frames: ReadonlyArray<SidecarFrame>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const differ = (what: string, kept: unknown, seen: unknown) => {
    if (JSON.stringify(kept) === JSON.stringify(seen)) return
    found.push(`session ${state.id} keeps ${what} ${JSON.stringify(kept)}, the host saw ${JSON.stringify(seen)}`)
  }
  differ("turns", state.turnCount, eventsOf(frames, "turn_started").length)
  differ("steps", state.stepCount, eventsOf(frames, "step_started").length)
  differ("records", sideBySide(state.turns.flatMap(wordsOfRecord)), sideBySide(frames.flatMap(wordsOfFrame)))
  if (state.status === "running" || state.status === "awaiting_approval") {
    found.push(`session ${state.id} is ${state.status} at rest`)
  }
  return found
}

/** Results of reads that ran side by side may be kept in another order than they were told. */
const sideBySide = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const sorted: Array<string> = []
  for (const word of words) {
    let at = sorted.length
    if (word.startsWith("result")) while (sorted[at - 1]?.startsWith("result") && sorted[at - 1]! > word) at--
    sorted.splice(at, 0, word)
  }
  return sorted
}

const wordsOfFrame = (frame: SidecarFrame): ReadonlyArray<string> => {
  if (frame.kind === "response") return []
  switch (frame.type) {
    case "user_message":
      return [`user ${frame.payload.text}`]
    case "steer_applied":
      return [`steer ${frame.payload.text}`]
    case "assistant_reply":
      return [`reply ${frame.payload.text}`]
    case "tool_call_started":
      return [`call ${frame.payload.callId}`]
    case "tool_call_result":
      return [`result ${frame.payload.callId} ${frame.payload.status} ${frame.payload.summary}`]
    default:
      return []
  }
}

const wordsOfRecord = (record: SessionState["turns"][number]): ReadonlyArray<string> => {
  switch (record.kind) {
    case "user":
      return [`${record.steered === true ? "steer" : "user"} ${record.text}`]
    case "assistant_reply":
      // What had streamed when a turn was cut off is kept, and not told again.
      return record.interrupted === true ? [] : [`reply ${record.text}`]
    case "assistant_tool_call":
      return [`call ${record.callId}`]
    case "tool_result":
      return [`result ${record.callId} ${record.status} ${record.summary}`]
  }
}
