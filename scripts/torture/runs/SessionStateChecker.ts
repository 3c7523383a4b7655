import type { SidecarFrame } from "../../../src/protocol/Frame.ts"
import type { SessionState } from "../../../src/protocol/SessionState.ts"
import { type Exchange, eventsOf, lastMessage, resultOf, type Run } from "./HostRun.ts"

/**
 * Checks what `get_session` returned after the last message: it is what the events of the session said, and no deleted
 * session comes back.
 */
export const stateViolations = (
  exchanges: ReadonlyArray<Exchange>,
  { frames, hasStoreFailed }: Run
): ReadonlyArray<string> => {
  const over = exchanges.findIndex(({ payload }) => payload["text"] === lastMessage)
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
  const wrong: Array<string> = []
  const compare = (what: string, stored: unknown, announced: unknown) => {
    if (JSON.stringify(stored) === JSON.stringify(announced)) return
    wrong.push(
      `session ${state.id} keeps ${what} ${JSON.stringify(stored)}, the events say ${JSON.stringify(announced)}`
    )
  }
  compare("turns", state.turnCount, eventsOf(frames, "turn_started").length)
  compare("steps", state.stepCount, eventsOf(frames, "step_started").length)
  compare("records", resultsInOrder(state.turns.flatMap(wordsOfRecord)), resultsInOrder(frames.flatMap(wordsOfFrame)))
  if (state.status === "running" || state.status === "awaiting_approval") {
    wrong.push(`session ${state.id} is ${state.status} at rest`)
  }
  return wrong
}

/**
 * Results of reads that ran side by side may be kept in another order than their events came: neighbours are sorted.
 */
const resultsInOrder = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
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
      // What had streamed when a turn was cut off is kept, and has no event of its own.
      return record.interrupted === true ? [] : [`reply ${record.text}`]
    case "assistant_tool_call":
      return [`call ${record.callId}`]
    case "tool_result":
      return [`result ${record.callId} ${record.status} ${record.summary}`]
  }
}
