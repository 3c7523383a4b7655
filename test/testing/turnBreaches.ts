import type { SidecarFrame } from "../../src/protocol/Frame.ts"
import {
  again,
  both,
  change,
  changeFrame,
  cutAfter,
  double,
  drop,
  type Breach,
  type Edit,
  endFor,
  frameOf,
  insert,
  move,
  onlyResponses
} from "./edits.ts"

const sent = "→ send_message"

const withError = (name: string) =>
  changeFrame(name, 0, (frame) => ({ ...frame, error: { ...frame.error, code: "oops" } }))

/** The second session is announced and answered under the id of the first. */
const sameSession: Edit = (recording) => {
  const { sessionId } = frameOf(recording, "session_started").payload
  return both(change("session_started", { sessionId }, 1), change("→ start_session", { sessionId }, 1))(recording)
}

/** The copy has the id of its source. */
const forkedItself: Edit = (recording) => {
  const { sessionId } = frameOf(recording, "session_started").payload
  return change("→ fork_session", { sessionId })(recording)
}

/** The two messages are answered in each other's place. */
const swapAnswers: Edit = (recording) => {
  const ids = [0, 1].map((nth) => frameOf(recording, sent, nth).correlationId as string)
  return recording.frames.map((frame): SidecarFrame => {
    if (frame.kind === "event" || !ids.includes(frame.correlationId)) return frame
    return { ...frame, correlationId: ids.find((id) => id !== frame.correlationId) ?? "" }
  })
}

/** Breaches of the order of turns and of what stands around them. */
export const breachesOfTurns: ReadonlyArray<Breach> = [
  // Frames and responses (contract 3).
  ["a frame id that was used before", "reply", (r) => r.frames.toSpliced(1, 0, r.frames[0]!), /frame id .* twice/],
  [
    "an event that there is not",
    "reply",
    changeFrame("llm_request", 0, (frame) => ({ ...frame, type: "pong" })),
    /no event pong/
  ],
  ["a response that is missing", "reply", drop(sent), /responses to request r1 are missing/],
  ["a response that came twice", "reply", double(sent), /response 2 to request r1, which was sent 1 times/],
  [
    "a response to nobody",
    "reply",
    changeFrame(sent, 0, (frame) => ({ ...frame, correlationId: "r99" })),
    /request r99, which was sent 0 times/
  ],
  ["a handler that failed in silence", "sessions", drop("error"), /without its error event before it/],
  ["an error event without its response", "sessions", drop(`${sent} failed`), /without its response behind it/],
  [
    "something between an error and its response",
    "sessions",
    move("→ no_such_request failed", 0, `${sent} failed`),
    /without/
  ],
  [
    "a failed response with a payload",
    "sessions",
    change(`${sent} failed`, { a: 1 }),
    /failed response with a payload/
  ],
  ["a failed response with an odd code", "sessions", withError(`${sent} failed`), /failed with oops/],
  ["an ok response with an error", "sessions", withError(sent), /ok has an error/],
  // Extensions (contract 1, 9).
  ["an event of an extension before hello", "work", drop("→ hello"), /turn_queued, and queue was not granted/],
  [
    "an event of another extension",
    "work",
    change("→ hello", { extensions: ["queue"] }),
    /llm_progress was not granted/
  ],
  // Sessions.
  ["a start that told no session_started", "reply", drop("session_started"), /without its session_started/],
  [
    "a start that was answered first",
    "reply",
    move("→ start_session", 0, "session_started"),
    /without its session_started/
  ],
  [
    "a session that is answered under another id",
    "reply",
    change("→ start_session", { sessionId: "s-x" }),
    /session s-x/
  ],
  ["a new session of an old id", "sessions", sameSession, /is not a new one/],
  ["a fork of an old id", "sessions", forkedItself, /is not a new session/],
  [
    "a turn of a session that is not active",
    "reply",
    change("turn_started", { sessionId: "s-x" }),
    /s-x, which is not active/
  ],
  [
    "a session that starts into a turn",
    "sessions",
    move("session_started", 1, "turn_finished"),
    /before the turn of the old one/
  ],
  [
    "a turn before its session's response",
    "reply",
    move("→ start_session", 0, "turn_started"),
    /before the response to the start/
  ],
  ["a start that is never answered", "reply", cutAfter("session_started"), /its request was not answered/],
  // Turns.
  ["a turn that is never answered", "reply", cutAfter("turn_finished", 1), /has no response/],
  [
    "a turn that begins before the one before is answered",
    "reply",
    move(sent, 0, "turn_started", 1),
    /before the response of turn/
  ],
  ["a turn that begins twice", "reply", again("user_message", 0, "user_message", 1), /began twice/],
  ["a turn that is queued when it plays", "work", move("turn_queued", 0, "step_started"), /turn_queued after/],
  [
    "a turn that is queued for another session",
    "work",
    change("turn_queued", { sessionId: "s-x" }),
    /s-x, which is not active/
  ],
  ["a turn that is queued twice", "work", double("turn_queued"), /queued twice/],
  [
    "a word after the response",
    "reply",
    move("step_finished", 0, "user_message", 1),
    /step_finished .* after its response/
  ],
  ["a turn without a user_message", "reply", drop("user_message"), /without a user_message/],
  ["a turn that ended without ever playing", "reply", onlyResponses, /ended reply without a user_message/],
  ["a step before turn_started", "reply", move("step_started", 0, "turn_started"), /step_started before turn_started/],
  ["turn_started twice", "reply", double("turn_started"), /turn_started twice/],
  ["a turnIndex that skips", "reply", change("turn_started", { turnIndex: 4 }, 1), /turn 4 after 1 turns/],
  ["a first turn that is not turn 0", "reply", change("turn_started", { turnIndex: 1 }), /turn 1 after 0 turns/],
  ["a turn_finished of another turnIndex", "reply", change("turn_finished", { turnIndex: 4 }), /says turn 4/],
  ["a turn_finished of other steps", "reply", change("turn_finished", { stepCount: 4 }), /says 4 steps/],
  ["a response of another reason", "reply", change(sent, { reason: "finish" }), /says reply, the response finish/],
  ["a response of another turnCount", "reply", change(sent, { turnCount: 4 }), /turnCount 4/],
  ["a response of other steps of the session", "reply", change(sent, { stepCount: 4 }), /stepCount 4/],
  ["a response before turn_finished", "reply", move(sent, 0, "turn_finished"), /before its turn_finished/],
  ["a message that is answered before an older one", "reply", swapAnswers, /before an older one/],
  [
    "a queued turn of another turnCount",
    "sessions",
    change(sent, { turnCount: 0 }, 1),
    /turnCount 0 of a turn that never/
  ],
  ["a queued turn of other steps", "sessions", change(sent, { stepCount: 0 }, 1), /stepCount 0 of a turn that never/],
  // The end of a turn (contract 6).
  [
    "session_completed after a reply",
    "reply",
    insert("session_completed", () => ({ reason: "reply" }), "turn_finished"),
    /turn_finished reply, and before it/
  ],
  ["no session_completed after max_steps", "ends", drop("session_completed"), /max_steps, and before it: none/],
  ["no session_completed after a finish", "ends", drop("session_completed", 1), /finish, and before it: none/],
  ["a session_completed of another reason", "ends", change("session_completed", { reason: "finish" }), /says finish/],
  ["no session_failed", "ends", drop("session_failed"), /failed, and before it: error/],
  ["no step_error", "ends", drop("error"), /session_failed without a step_error/],
  ["a session_failed of another category", "ends", change("session_failed", { category: "tool" }), /step_error differ/],
  ["a session_failed in other words", "ends", change("session_failed", { error: "oops" }), /step_error differ/],
  ["a step_error of no category", "ends", change("error", { code: "step_error:odd" }), /an error step_error:odd/],
  [
    "a step_error after the closing reply",
    "reply",
    insert("error", () => ({ message: "oops", code: "step_error:tool" }), "step_finished"),
    /a step_error after the closing reply/
  ],
  ["a step after a step_error", "ends", again("step_started", 0, "session_failed"), /step_started after a step_error/],
  ["words after turn_finished", "reply", move("assistant_reply", 0, sent), /assistant_reply after turn_finished/],
  ["a reply without a closing reply", "reply", drop("assistant_reply"), /reply without a closing reply/],
  ["max_steps without a closing reply", "ends", drop("assistant_reply"), /max_steps without a closing reply/],
  ["a finish that did not hold", "ends", change("tool_call_result", { status: "error" }), /no finish held/],
  ["a reply to a step with calls", "ends", endFor("reply", 2), /reply after a step with calls/],
  ["a cancelled turn with a closing reply", "reply", endFor("cancelled", 0), /cancelled after the closing reply/],
  ["an end inside a step", "reply", drop("step_finished"), /turn_finished inside a step/],
  ["a failed turn without an error", "reply", endFor("failed", 0), /failed, and before it: none/],
  // Steers (contract 5).
  ["a steer that is applied late", "work", move("steer_applied", 0, "llm_response", 2), /steer_applied in the phase/],
  [
    "a steer that is applied in another step",
    "work",
    change("steer_applied", { stepIndex: 0 }),
    /names step 0 in step 2/
  ],
  ["a steer that is lost", "work", drop("steer_applied"), /1 steers were accepted, 0 applied, 0 undelivered/],
  ["a steer that is applied twice", "work", double("steer_applied"), /1 steers were accepted, 2 applied/],
  [
    "a steer that was refused and applied",
    "work",
    change("→ steer_message", { steered: false }),
    /0 steers were accepted/
  ],
  [
    "a steer that is undelivered too soon",
    "cancel",
    move("steer_undelivered", 0, "turn_finished"),
    /before turn_finished/
  ],
  ["a steer that is undelivered too late", "cancel", move("steer_undelivered", 0, "→ cancel"), /after its response/],
  // The end of the process.
  [
    "a turn after shutdown",
    "sessions",
    move("→ shutdown", 0, "step_finished", 2),
    /step_finished after the response to shutdown/
  ],
  [
    "a session that starts after shutdown",
    "sessions",
    move("→ shutdown", 0, "session_started", 2),
    /a session started after/
  ],
  ["a shutdown that is answered first", "sessions", move("→ shutdown", 0, sent, 3), /before the running turn/],
  ["a request that is served after shutdown", "sessions", move("→ shutdown", 0, sent, 3), /served after the response/]
]
