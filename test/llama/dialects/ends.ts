import type { Json, Row } from "./Row.ts"
import { delta, done, event, failed, length, ok, stop, text, toolCalls } from "./Row.ts"

const withoutReason = "the answer ended without a finish reason"
const hi = text("Hi you")

/** How an answer ends. */
export const ends: ReadonlyArray<Row> = [
  ["without a reason", hi, failed("Cut", "cut", { text: "Hi you" })],
  ["without a reason, but done", hi + done, failed("Cut", withoutReason, { text: "Hi you" })],
  ["with nothing", "", failed("Cut", "cut")],
  ["done with nothing", done, failed("Cut", withoutReason)],
  ["done in other letters", `${hi}${stop}data:  [done] \n\n${text("no")}`, ok],
  ["in the middle of an event", hi + text(" and more").slice(0, 40), failed("Cut", "cut", { text: "Hi you" })],
  ["in the middle of an event, behind the reason", hi + stop + 'data: {"usa', ok],
  ["with an empty reason in each event", delta({ content: "Hi you" }, "") + stop, ok],
  ["with the reason of another server", hi + delta({}, "eos") + done, ok],
  ["at the token limit", hi + length, { ...ok, reason: "length" }],
  ["at the token limit, in another word", hi + delta({}, "max_tokens"), { ...ok, reason: "length" }],
  ["asking for tools without a call", hi + toolCalls, ok],
  [
    "with the reason error",
    hi + delta({}, "error") + done,
    failed("Rejected", 'the server ended its answer with the reason "error"', { text: "Hi you" })
  ]
]

const usage = (prompt: number, completion: number, more: Json = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  ...more
})
/** Where the numbers stand. */
export const numbers: ReadonlyArray<Row> = [
  [
    "in an event without choices",
    hi + stop + event({ choices: [], usage: usage(9, 2, { prompt_tokens_details: { cached_tokens: 4 } }) }) + done,
    { ...ok, usage: [9, 4, 2] }
  ],
  [
    "in the event of the reason",
    hi + event({ choices: [{ delta: {}, finish_reason: "stop" }], usage: usage(9, 2) }),
    { ...ok, usage: [9, 0, 2] }
  ],
  [
    "in every event",
    event({ choices: [{ delta: { content: "Hi you" } }], usage: usage(9, 1) }) +
      event({ choices: [{ delta: {}, finish_reason: "stop" }], usage: usage(9, 2) }),
    { ...ok, usage: [9, 0, 2] }
  ],
  [
    "null until the last event",
    event({ choices: [{ delta: { content: "Hi you" } }], usage: null }) +
      stop +
      event({ choices: [], usage: usage(9, 2) }),
    { ...ok, usage: [9, 0, 2] }
  ],
  [
    "in the choice",
    hi + event({ choices: [{ delta: {}, finish_reason: "stop", usage: usage(9, 2) }] }),
    { ...ok, usage: [9, 0, 2] }
  ],
  ["without choices at all", hi + stop + event({ usage: usage(9, 2) }), { ...ok, usage: [9, 0, 2] }],
  [
    "in timings alone",
    hi +
      event({ choices: [{ delta: {}, finish_reason: "stop" }], timings: { cache_n: 4, prompt_n: 5, predicted_n: 2 } }),
    { ...ok, usage: [9, 4, 2] }
  ],
  [
    "in timings that do not tell of the cache",
    hi + event({ choices: [{ delta: {}, finish_reason: "stop" }], timings: { prompt_n: 5, predicted_n: 2 } }),
    ok
  ],
  [
    "in both",
    hi + stop + event({ choices: [], usage: usage(9, 2), timings: { cache_n: 4, prompt_n: 5, predicted_n: 2 } }),
    { ...ok, usage: [9, 4, 2] }
  ],
  ["of the wrong type", hi + stop + event({ choices: [], usage: { prompt_tokens: "9", completion_tokens: -1 } }), ok],
  ["that no prompt can have", hi + stop + event({ choices: [], usage: usage(1e300, 2) }), ok],
  ["that are not whole", hi + stop + event({ choices: [], usage: usage(9, 1.5) }), ok],
  [
    "of the prompt as it is read",
    event({ choices: [], prompt_progress: { total: 9, cache: 2, processed: 2, time_ms: 0 } }) +
      event({
        choices: [{ delta: { role: "assistant", content: null } }],
        prompt_progress: { total: 9, cache: 2, processed: 9, time_ms: 5 }
      }) +
      hi +
      stop,
    {
      ...ok,
      prefill: [
        [2, 9, 2],
        [9, 9, 2]
      ]
    }
  ]
]

const streamed = { text: "Hi you" }
const boom = failed("Rejected", "boom", streamed)
/** How errors come in a stream. */
export const errors: ReadonlyArray<Row> = [
  ["as an object", hi + event({ error: { code: 500, message: "boom", type: "server_error" } }), boom],
  ["first of all", event({ error: { code: 500, message: "boom" } }), failed("Rejected", "boom")],
  [
    "in a field of its own, by an old build",
    `${hi}error: {"code":500,"message":"boom","type":"server_error"}\n\n${done}`,
    boom
  ],
  ["in a field of its own, wrapped", `${hi}error: {"error":{"message":"boom"}}\n\n${done}`, boom],
  ["in a field of its own, as words", `${hi}error: boom\n\n`, boom],
  ["under a name", `${hi}event: error\ndata: {"error":{"message":"boom"}}\n\n`, boom],
  ["under a name, as words", `${hi}event: error\ndata: boom\n\n`, boom],
  ["in a line that is no field", `${hi}{"error":{"message":"boom"}}\n`, boom],
  ["in a line that is no field, after half an event", `${hi}data: {"choi\n{"error":"boom"}\n\n`, boom],
  ["as a string", hi + event({ error: "boom" }), boom],
  ["as an object of kind error", hi + event({ object: "error", message: "boom", code: 400 }), boom],
  ["as a type of error", hi + event({ type: "error", error: { message: "boom" } }), boom],
  ["as detail", hi + event({ detail: "boom" }), boom],
  [
    "beside choices",
    hi + event({ error: { message: "boom" }, choices: [{ delta: { content: "" }, finish_reason: "error" }] }),
    boom
  ],
  [
    "inside the choice",
    hi + event({ choices: [{ delta: {}, error: { message: "boom" }, finish_reason: "stop" }] }),
    boom
  ],
  ["and then done", hi + event({ error: { message: "boom" } }) + done, boom],
  ["that is null", event({ error: null, choices: [{ delta: { content: "Hi you" } }] }) + stop, ok],
  [
    "of the context, in mid-stream",
    hi + event({ error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } }),
    failed("Overflow", "Context size has been exceeded.", streamed)
  ],
  [
    "that is no JSON",
    `${hi}data: Internal Server Error\n\n`,
    failed("Malformed", "the server sent what is no JSON: Internal Server Error", streamed)
  ],
  ["without a message", hi + event({ error: { code: 7 } }), failed("Rejected", '{"code":7}', streamed)]
]
