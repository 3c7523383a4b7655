import { type Breach, change, double, drop, frameOf, insert, move } from "./edits.ts"

/** A second question while the first one is open. */
const askToo = insert(
  "approval_request",
  (recording) => ({
    approvalId: "a-2",
    callId: frameOf(recording, "tool_call_started", 1).payload.callId,
    tool: "read",
    reason: "because"
  }),
  "→ steer_message"
)

/** Breaches of the order within a step. */
export const breachesOfSteps: ReadonlyArray<Breach> = [
  ["a step that starts inside another", "work", drop("step_finished"), /before the one before had finished/],
  ["a step that skips a number", "work", change("step_started", { stepIndex: 2 }, 1), /step 2 after 1 steps/],
  [
    "a step that finishes under another number",
    "work",
    change("step_finished", { stepIndex: 2 }),
    /step 2 did not start last/
  ],
  ["a step that finishes twice", "work", double("step_finished"), /step_finished without a step/],
  [
    "a step after the closing reply",
    "work",
    change("assistant_reply", { progressNote: undefined }),
    /a step after the closing reply/
  ],
  [
    "a step after one without an end",
    "work",
    move("step_finished", 1, "llm_response", 1),
    /a step after one that was cut off/
  ],
  [
    "a step after a second one that says nothing",
    "silence",
    drop("tool_call_started", 1),
    /a step after a second one without a word/
  ],
  [
    "an event of another kind inside a step",
    "reply",
    insert("log", () => ({ level: "info", message: "oops" }), "step_finished"),
    /log inside a step/
  ],
  ["words outside a step", "reply", move("assistant_delta", 0, "step_started"), /assistant_delta outside a step/],
  ["llm_request twice", "reply", double("llm_request"), /llm_request twice/],
  ["llm_response without llm_request", "reply", drop("llm_request"), /without an llm_request/],
  ["llm_response twice", "reply", double("llm_response"), /llm_response in the phase/],
  [
    "words after llm_response",
    "reply",
    move("assistant_delta", 0, "assistant_reply"),
    /assistant_delta in the phase "answered"/
  ],
  ["reasoning of another step", "reply", change("reasoning_delta", { stepIndex: 3 }), /names step 3 in step 0/],
  ["prefill before its llm_request", "work", move("llm_progress", 0, "llm_request"), /prefill before/],
  [
    "a reply before llm_response",
    "reply",
    move("assistant_reply", 0, "llm_response"),
    /assistant_reply in the phase "words"/
  ],
  ["a reply that was not streamed", "reply", change("assistant_reply", { text: "Hullo" }), /not what was streamed/],
  ["a note that was not streamed", "work", change("assistant_reply", { text: "Me" }), /not what was streamed/],
  ["two replies", "reply", double("assistant_reply"), /assistant_reply in the phase "replied"/],
  [
    "a progressNote that is false",
    "reply",
    change("assistant_reply", { progressNote: false }),
    /progressNote is false/
  ],
  ["a note with attachments", "work", change("assistant_reply", { attachments: ["/a"] }), /note on the way carries/],
  // Calls.
  ["a call without a result", "work", drop("tool_call_result"), /has no result/],
  ["a result without a call", "work", drop("tool_call_started", 2), /a result without an open call/],
  ["a result that came twice", "work", double("tool_call_result"), /a result without an open call/],
  ["a call that was announced twice", "work", double("tool_call_started"), /announced twice/],
  [
    "a call that is announced late",
    "work",
    move("tool_call_started", 1, "tool_call_result", 1),
    /after its batch had begun/
  ],
  ["a call before llm_response", "work", move("llm_response", 1, "approval_request"), /tool_call_started in the phase/],
  ["a call without the text that came with it", "work", drop("assistant_reply"), /no assistant_reply before them/],
  ["a call of another step", "work", change("tool_call_started", { step: 1 }), /names step 1 in step 0/],
  ["a result of another step", "work", change("tool_call_result", { step: 1 }), /names step 1 in step 0/],
  ["a call with a stepIndex", "work", change("tool_call_started", { stepIndex: 0 }), /stepIndex of a tool event/],
  ["a result with a stepIndex", "work", change("tool_call_result", { stepIndex: 0 }), /stepIndex of a tool event/],
  ["a result of another tool", "work", change("tool_call_result", { tool: "x" }), /another tool than its call/],
  ["a result of another place", "work", change("tool_call_result", { batchIndex: 1 }), /another place in the batch/],
  ["a batch out of order", "work", change("tool_call_started", { batchIndex: 1 }), /call 1 of 2 came as number 0/],
  ["a batch that changes its size", "work", change("tool_call_started", { batchSize: 3 }, 1), /changed its size/],
  ["a batch that is not whole", "work", drop("tool_call_started", 1), /1 calls of a batch of 2/],
  [
    "a solo call with batch numbers",
    "work",
    change("tool_call_started", { batchIndex: 0, batchSize: 1 }, 2),
    /call 0 of 1/
  ],
  [
    "a second call without numbers",
    "work",
    change("tool_call_started", { batchIndex: undefined, batchSize: undefined }, 1),
    /second call without/
  ],
  [
    "a closing reply while a call is open",
    "ends",
    move("assistant_reply", 1, "tool_call_result"),
    /while calls are open/
  ],
  // Approvals (contract 7).
  [
    "an approval of no call",
    "work",
    change("approval_request", { callId: "c-x" }),
    /approval_request without an open call/
  ],
  ["an approval of another tool", "work", change("approval_request", { tool: "x" }), /names another tool/],
  ["an approval after its result", "work", move("approval_request", 0, "step_finished", 1), /without an open call/],
  ["two approvals of one call", "work", double("approval_request"), /two approval_requests for one call/],
  ["an approval that was asked before", "work", double("approval_request"), /was asked twice/],
  ["an approval beside another one", "cancel", askToo, /while another one is open/],
  ["an approval that is left open", "cancel", drop("tool_call_result"), /was left open/],
  ["an approval that is resolved twice", "work", double("approval_resolved"), /which is not open/],
  ["an approval that is never resolved", "work", drop("approval_resolved"), /before the approval_resolved/]
]
