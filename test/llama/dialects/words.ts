import type { Row } from "./Row.ts"
import { delta, done, event, length, named, ok, reasoning, stop, text, toolCalls, listed } from "./Row.ts"

/** How events are framed. */
export const framing: ReadonlyArray<Row> = [
  ["events, a reason and [DONE]", text("Hi") + text(" you") + stop + done, ok],
  ["CRLF line ends", (text("Hi") + text(" you") + stop + done).replaceAll("\n", "\r\n"), ok],
  ["pings between events", `:\n\n${text("Hi")}: ping\n\n${text(" you")}:\n\n${stop}${done}`, ok],
  ["blank data", `data:\n\n${text("Hi")}data: \n\n${text(" you")}${stop}${done}`, ok],
  ["no space behind the colon", (text("Hi") + text(" you") + stop + done).replaceAll("data: ", "data:"), ok],
  ["no [DONE]", text("Hi") + text(" you") + stop, ok],
  ["no blank line at the end", (text("Hi") + text(" you") + stop).trimEnd(), ok],
  ["no blank lines between events", (text("Hi") + text(" you") + stop + done).replaceAll("\n\n", "\n"), ok],
  ["the text with its reason in one event", text("Hi") + delta({ content: " you" }, "stop") + done, ok],
  ["something behind [DONE]", text("Hi you") + stop + done + text("no"), ok],
  ["events of other kinds", `event: ping\ndata: {"type":"ping"}\n\n${text("Hi you")}${stop}`, ok],
  ["named events", `event: message\n${text("Hi you")}event: message\n${stop}`, ok],
  ["ids and a retry", `id: 1\nretry: 1000\n${text("Hi you")}id: 2\n${stop}`, ok],
  ["JSON over several lines", `data: {"choices":\ndata: [{"delta":{"content":"Hi you"}}]}\n\n${stop}`, ok],
  ["a byte order mark", `\uFEFF${text("Hi you")}${stop}`, ok]
]

/** How text comes. */
export const content: ReadonlyArray<Row> = [
  ["every width of character", text("é日") + text("🚀👩‍💻\u2028") + stop, { text: "é日🚀👩‍💻\u2028", reason: "stop" }],
  [
    "escaped characters",
    `${text("").replace('""', '"\\u65e5\\ud83d\\ude80\\n"')}${stop}`,
    { text: "日🚀\n", reason: "stop" }
  ],
  [
    "a character in two halves",
    `${text("").replace('""', '"a\\ud83d"')}${text("").replace('""', '"\\ude80b"')}${stop}`,
    { text: "a🚀b", reason: "stop" }
  ],
  [
    "a character in two halves, and reasoning between them",
    `${text("").replace('""', '"\\ud83d"')}${reasoning("").replace('""', '"\\ud83d"')}${text("").replace('""', '"\\ude80"')}${stop}`,
    { text: "🚀", reasoning: "\ufffd", reason: "stop" }
  ],
  [
    "half characters alone",
    `${text("").replace('""', '"\\ude80a\\ud83d"')}${text("").replace('""', '"\\ud83db"')}${text("").replace('""', '"c\\ud83d"')}${stop}`,
    { text: "\ufffda\ufffd\ufffdbc\ufffd", reason: "stop" }
  ],
  ["nothing but a half character", `${text("").replace('""', '"\\ud83d"')}${stop}`, { text: "\ufffd", reason: "stop" }],
  ["a role event first", delta({ role: "assistant", content: null }) + text("Hi you") + stop, ok],
  ["a role event with empty content", delta({ role: "assistant", content: "" }) + text("Hi you") + stop, ok],
  [
    "content as a list of parts",
    delta({
      content: [
        { type: "text", text: "Hi" },
        { type: "text", text: " you" }
      ]
    }) + stop,
    ok
  ],
  ["content as a list of texts", delta({ content: ["Hi", " you"] }) + stop, ok],
  ["content as one part", delta({ content: { type: "text", text: "Hi you" } }) + stop, ok],
  [
    "parts without words",
    delta({ content: [{ type: "reference", reference_ids: [1] }, null] }) + text("Hi you") + stop,
    ok
  ],
  [
    "a whole message of parts",
    event({
      choices: [
        {
          message: {
            content: [
              { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
              { type: "text", text: "Hi you" }
            ]
          },
          finish_reason: "stop"
        }
      ]
    }),
    { ...ok, reasoning: "hm" }
  ],
  [
    "choices that are not asked for",
    event({ choices: [{ index: 1, delta: { content: "no" } }] }) + text("Hi you") + stop,
    ok
  ],
  ["a choice without an index", event({ choices: [{ delta: { content: "Hi you" } }] }) + stop, ok],
  ["no choices at all", event({ id: "x", choices: [] }) + event({ choices: null }) + text("Hi you") + stop, ok],
  ["a completion's field", event({ choices: [{ text: "Hi you", index: 0, finish_reason: "stop" }] }), ok],
  ["blank lines before the first word", text("\n\n") + text("Hi you") + stop, ok],
  ["an indented first line", text("\n\n") + text("    Hi") + stop, { text: "    Hi", reason: "stop" }],
  ["white space alone", text("\n\n") + text("  ") + stop, { reason: "stop" }],
  ["a last event that repeats all text", text("Hi") + text(" you") + delta({ content: "Hi you" }, "stop") + done, ok],
  [
    "a last event with the whole message",
    text("Hi") +
      text(" you") +
      event({ choices: [{ index: 0, message: { content: "Hi you" }, finish_reason: "stop" }] }),
    ok
  ],
  [
    "a text that really ends as it began",
    text("ha") + delta({ content: "ha" }, "stop"),
    { text: "haha", reason: "stop" }
  ],
  [
    "markup of a call in plain text",
    text('<tool_call>{"name": "x"}</tool_call>') + stop,
    { text: '<tool_call>{"name": "x"}</tool_call>', reason: "stop" }
  ],
  ["JSON in prose", text('{"a": 1') + text(", and so on") + stop, { text: '{"a": 1, and so on', reason: "stop" }]
]

/** Where reasoning stands. */
export const thought: ReadonlyArray<Row> = [
  ["in its own field", reasoning("hm") + reasoning(" hm\n") + text("Hi you") + stop, { ...ok, reasoning: "hm hm\n" }],
  ["in the field of others", delta({ reasoning: "hm" }) + text("Hi you") + stop, { ...ok, reasoning: "hm" }],
  [
    "in both fields at once",
    delta({ reasoning: "hm", reasoning_content: "hm" }) + text("Hi you") + stop,
    { ...ok, reasoning: "hm" }
  ],
  [
    "in parts of the content",
    delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "h" }] }] }) +
      delta({
        content: [
          { type: "thinking", thinking: "m", closed: true },
          { type: "text", text: "Hi" }
        ]
      }) +
      text(" you") +
      stop,
    { ...ok, reasoning: "hm" }
  ],
  [
    "in parts of several kinds",
    delta({
      content: [
        { type: "reasoning", text: "h" },
        { type: "thinking", thinking: ["m", { type: "image" }, 1] }
      ]
    }) +
      text("Hi you") +
      stop,
    { ...ok, reasoning: "hm" }
  ],
  [
    "in the field and in parts",
    delta({ reasoning_content: "hm", content: [{ type: "thinking", thinking: "hm" }, { text: "Hi you" }] }) + stop,
    { ...ok, reasoning: "hm" }
  ],
  [
    "in a block, and again in a last event with the whole message",
    text("<think>hm</think>Hi") +
      text(" you") +
      event({
        choices: [{ index: 0, message: { reasoning_content: "hm", content: "Hi you" }, finish_reason: "stop" }]
      }),
    { ...ok, reasoning: "hm" }
  ],
  [
    "in the channel of another family",
    text("<|channel|>ana") +
      text("lysis<|message|>hm<|end|><|start|>assist") +
      text("ant<|channel|>final<|message|>Hi you<|return|>") +
      stop,
    { ...ok, reasoning: "hm" }
  ],
  [
    "in the field and in a channel",
    reasoning("hm") + text("<|channel|>analysis<|message|>hm<|channel|>final<|message|>Hi you") + stop,
    { ...ok, reasoning: "hm" }
  ],
  ["in the field, before blank lines", reasoning("hm") + text("\n\nHi you") + stop, { ...ok, reasoning: "hm" }],
  ["in a block that opens the content", text("<think>hm\n</think>\n\nHi you") + stop, { ...ok, reasoning: "hm\n" }],
  [
    "in a block behind white space",
    text("\n <think>\n") + text("hm</think>") + text(" \nHi you") + stop,
    { ...ok, reasoning: "hm" }
  ],
  [
    "in a block whose tags come in pieces",
    ["<", "thi", "nk>", "h", "m<", "/th", "ink", ">", "Hi", " you"].map(text).join("") + stop,
    { ...ok, reasoning: "hm" }
  ],
  [
    "in a block with what looks like its end",
    text("<think>a</thin</b <") + text("/think>Hi you") + stop,
    { ...ok, reasoning: "a</thin</b " }
  ],
  ["in an empty block", text("<think>\n\n</think>\n\nHi you") + stop, ok],
  [
    "in a block that is never closed",
    text("<think>hm") + text(" and so on</th") + stop,
    { reasoning: "hm and so on</th", reason: "stop" }
  ],
  ["in the field and in a block", reasoning("hm") + text("<think>hm</think>Hi you") + stop, { ...ok, reasoning: "hm" }],
  ["alone", reasoning("hm") + stop, { reasoning: "hm", reason: "stop" }],
  ["cut by the limit", reasoning("hm") + length, { reasoning: "hm", reason: "length" }],
  ["before a call", reasoning("hm") + named("fs_list", '{"path":"a"}') + toolCalls, { ...listed, reasoning: "hm" }],
  [
    "whose tag stands in the middle of the text",
    text("Use <think>") + text("x</think>") + stop,
    { text: "Use <think>x</think>", reason: "stop" }
  ],
  ["whose tag stands in code", text("```\n<think>\n```") + stop, { text: "```\n<think>\n```", reason: "stop" }],
  ["of which only the end is told", text("hm</think>Hi") + stop, { text: "hm</think>Hi", reason: "stop" }],
  [
    "twice, where the second is text",
    text("<think>a</think><think>b</think>") + stop,
    { reasoning: "a", text: "<think>b</think>", reason: "stop" }
  ],
  ["whose tag was not one after all", text("<thi") + text("rd>") + stop, { text: "<third>", reason: "stop" }],
  ["whose tag was never finished", text("<thi") + stop, { text: "<thi", reason: "stop" }]
]
