import type { Meaning, Row } from "./Row.ts"
import { call, delta, event, length, listed, more, named, stop, text, toolCalls } from "./Row.ts"

/** How one call is told. */
export const identity: ReadonlyArray<Row> = [
  ["in one piece", named("fs_list", '{"path":"a"}') + toolCalls, listed],
  ["in pieces", named("fs_list", '{"') + more('path":') + more('"a"}') + toolCalls, listed],
  ["under the dotted name", named("fs.list", '{"path":"a"}') + toolCalls, listed],
  [
    "of a tool that does not exist",
    named("made_up", "{}") + toolCalls,
    { calls: ["made_up({})"], reason: "tool_calls" }
  ],
  [
    "that names no tool",
    call({ index: 0, id: "a", function: { arguments: '{"path":' } }) + more('"a"}') + toolCalls,
    { calls: ['!{"path":"a"}'], reason: "tool_calls" }
  ],
  ["that says nothing", call({ index: 0 }) + toolCalls, { calls: ["!"], reason: "tool_calls" }],
  [
    "without a type",
    call({ index: 0, id: "a", function: { name: "fs_list", arguments: '{"path":"a"}' } }) + toolCalls,
    listed
  ],
  [
    "without an id",
    call({ index: 0, function: { name: "fs_list", arguments: '{"pa' } }) + more('th":"a"}') + toolCalls,
    listed
  ],
  [
    "without an index",
    call({ id: "a", function: { name: "fs_list", arguments: '{"pa' } }) +
      call({ id: "a", function: { arguments: 'th":"a"}' } }) +
      toolCalls,
    listed
  ],
  [
    "without index or id",
    call({ function: { name: "fs_list", arguments: '{"pa' } }) +
      call({ function: { arguments: 'th":"a"}' } }) +
      toolCalls,
    listed
  ],
  [
    "with the name in each piece",
    named("fs_list", '{"pa') + named("fs_list", 'th":"') + named("fs_list", 'a"}') + toolCalls,
    listed
  ],
  [
    "with another id in each piece",
    named("fs_list", '{"pa', { id: "1" }) + more('th":"', { id: "2" }) + more('a"}', { id: "3" }) + toolCalls,
    listed
  ],
  ["with the name in pieces", named("fs_", "") + named("list", '{"path":"a"}') + toolCalls, listed],
  [
    "with empty names behind the first",
    named("fs_list", "") + call({ index: 0, id: "", function: { name: "", arguments: '{"path":"a"}' } }) + toolCalls,
    listed
  ],
  [
    "as an object in place of a list",
    delta({ tool_calls: { index: 0, id: "a", function: { name: "fs_list", arguments: '{"path":"a"}' } } }) + toolCalls,
    listed
  ],
  [
    "in the old field",
    delta({ function_call: { name: "fs_list", arguments: '{"path"' } }) +
      delta({ function_call: { arguments: ':"a"}' } }) +
      delta({}, "function_call"),
    listed
  ],
  [
    "flat, without a function",
    call({ index: 0, id: "a", name: "fs_list", arguments: '{"path":"a"}' }) + toolCalls,
    listed
  ],
  ["with the reason stop", named("fs_list", '{"path":"a"}') + stop, listed],
  [
    "with words before it",
    text("I look.") + named("fs_list", '{"path":"a"}') + toolCalls,
    { ...listed, text: "I look." }
  ],
  [
    "repeated whole at the end",
    named("fs_list", '{"pa') +
      more('th":"a"}') +
      delta(
        { tool_calls: [{ index: 0, id: "a", function: { name: "fs_list", arguments: '{"path":"a"}' } }] },
        "tool_calls"
      ),
    listed
  ],
  [
    "repeated whole at the end, without a name",
    named("fs_list", '{"path":"a"}') + more('{"path":"a"}') + toolCalls,
    listed
  ],
  [
    "in pieces that each repeat all before",
    named("fs_list", '{"pa') + named("fs_list", '{"path":') + named("fs_list", '{"path":"a"}') + toolCalls,
    listed
  ],
  [
    "followed by a whole message",
    named("fs_list", '{"path":"a"}') +
      event({
        choices: [
          {
            message: {
              content: null,
              tool_calls: [{ id: "a", index: 0, function: { name: "fs_list", arguments: '{"path":"a"}' } }]
            },
            finish_reason: "tool_calls"
          }
        ]
      }),
    listed
  ]
]

const both = { calls: ['fs.list({"path":"a"})', 'fs.read({"path":"b"})'], reason: "tool_calls" }
const twice = { calls: ['fs.list({"path":"a"})', 'fs.list({"path":"b"})'], reason: "tool_calls" }

/** How several calls are told apart. */
export const several: ReadonlyArray<Row> = [
  [
    "by their indexes",
    named("fs_list", '{"path":"a"}') +
      named("fs_read", '{"pa', { index: 1, id: "b" }) +
      more('th":"b"}', { index: 1 }) +
      toolCalls,
    both
  ],
  [
    "in one event",
    delta({
      tool_calls: [
        { index: 0, id: "a", function: { name: "fs_list", arguments: '{"path":"a"}' } },
        { index: 1, id: "b", function: { name: "fs_read", arguments: '{"path":"b"}' } }
      ]
    }) + toolCalls,
    both
  ],
  [
    "whose pieces alternate",
    named("fs_list", '{"pa') +
      named("fs_read", '{"pa', { index: 1, id: "b" }) +
      more('th":"a"}') +
      more('th":"b"}', { index: 1 }) +
      toolCalls,
    both
  ],
  [
    "of one index and two ids",
    named("fs_list", '{"path":"a"}') + named("fs_read", '{"path":"b"}', { id: "b" }) + toolCalls,
    both
  ],
  [
    "of one index, one tool and two ids",
    named("fs_list", '{"path":"a"}') + named("fs_list", '{"pa', { id: "b" }) + more('th":"b"}') + toolCalls,
    twice
  ],
  [
    "of one id and two indexes",
    named("fs_list", '{"path":"a"}') + named("fs_list", '{"path":"b"}', { index: 1 }) + toolCalls,
    twice
  ],
  ["of one index and one id", named("fs_list", '{"path":"a"}') + named("fs_list", '{"path":"b"}') + toolCalls, twice],
  [
    "without index or id",
    call({ function: { name: "fs_list", arguments: { path: "a" } } }) +
      call({ function: { name: "fs_read", arguments: { path: "b" } } }) +
      toolCalls,
    both
  ],
  [
    "alike, with two ids",
    named("fs_list", '{"path":"a"}') + named("fs_list", '{"path":"a"}', { id: "b" }) + toolCalls,
    { calls: ['fs.list({"path":"a"})', 'fs.list({"path":"a"})'], reason: "tool_calls" }
  ],
  [
    "without indexes, by their ids",
    call({ id: "a", function: { name: "fs_list", arguments: '{"pa' } }) +
      call({ id: "b", function: { name: "fs_read", arguments: '{"pa' } }) +
      call({ id: "a", function: { arguments: 'th":"a"}' } }) +
      call({ id: "b", function: { arguments: 'th":"b"}' } }) +
      toolCalls,
    both
  ],
  [
    "with indexes from one",
    named("fs_list", '{"path":"a"}', { index: 1 }) +
      named("fs_read", '{"path":"b"}', { index: 2, id: "b" }) +
      toolCalls,
    both
  ]
]

const calling = (raw: string, reason = "tool_calls"): Meaning => ({ calls: [`fs.list!${raw}`], reason })

const deep = `{"a":${"[".repeat(200)}${"]".repeat(200)}}`
const deepest = `{"a":${"[".repeat(199)}${"]".repeat(199)}}`

/** What arguments look like. */
export const args: ReadonlyArray<Row> = [
  ["with any white space", named("fs_list", '{"path"\n\n : "a" }\n') + toolCalls, listed],
  ["as an object", named("fs_list", { path: "a" }) + toolCalls, listed],
  ["as an object, repeated", named("fs_list", { path: "a" }) + named("fs_list", { path: "a" }) + toolCalls, listed],
  [
    "absent",
    call({ index: 0, id: "a", function: { name: "fs_list" } }) + toolCalls,
    { calls: ["fs.list({})"], reason: "tool_calls" }
  ],
  ["empty", named("fs_list", "") + toolCalls, { calls: ["fs.list({})"], reason: "tool_calls" }],
  ["null", named("fs_list", null) + toolCalls, calling("null")],
  ["null, and then text", named("fs_list", null) + more('{"path":"a"}') + toolCalls, listed],
  ["the text null", named("fs_list", "null") + toolCalls, calling("null")],
  ["an array", named("fs_list", [1]) + toolCalls, calling("[1]")],
  ["the text of an array", named("fs_list", '[{"path":"a"}]') + toolCalls, calling('[{"path":"a"}]')],
  ["a number", named("fs_list", 7) + toolCalls, calling("7")],
  [
    "as deep as they may be",
    named("fs_list", deepest) + toolCalls,
    { calls: [`fs.list(${deepest})`], reason: "tool_calls" }
  ],
  [
    "deeper than anything is meant",
    named("fs_list", deep.slice(0, 99)) + more(deep.slice(99)) + toolCalls,
    calling(deep)
  ],
  ["deeper than anything is meant, as an object", named("fs_list", JSON.parse(deep)) + toolCalls, calling(deep)],
  ["with a comma too many", named("fs_list", '{"path":"a",}') + toolCalls, calling('{"path":"a",}')],
  ["that are no JSON", named("fs_list", "path=a") + toolCalls, calling("path=a")],
  ["that end too early", named("fs_list", '{"path":"a') + toolCalls, calling('{"path":"a')],
  ["cut by the limit", named("fs_list", '{"path":"a') + length, calling('{"path":"a', "length")],
  ["not even begun at the limit", named("fs_list", "") + length, calling("", "length")],
  ["whole when the limit came", named("fs_list", '{"path":"a"}') + length, { ...listed, reason: "length" }],
  [
    "of which only the last are cut by the limit",
    named("fs_list", '{"path":"a"}') + named("fs_read", '{"p', { index: 1, id: "b" }) + length,
    { calls: ['fs.list({"path":"a"})', 'fs.read!{"p'], reason: "length" }
  ],
  [
    "that hold an object that looks whole",
    named("fs_list", '{"a":') + more('{"b":1}') + length,
    calling('{"a":{"b":1}', "length")
  ],
  [
    "with pieces that begin alike",
    named("fs_list", '{"a":') + more('{"a":1}') + more("}") + toolCalls,
    { calls: ['fs.list({"a":{"a":1}})'], reason: "tool_calls" }
  ],
  [
    "that are no JSON and end in an object",
    named("fs_list", '{"a": oops, ') + more('{"b":1}') + toolCalls,
    calling('{"a": oops, {"b":1}')
  ],
  [
    "that may be a repetition, cut by the limit",
    named("fs_list", '{"a":') + more('{"a":1}') + length,
    calling('{"a":{"a":1}', "length")
  ],
  [
    "absent, before those that are cut by the limit",
    named("fs_list", "") + named("fs_read", '{"p', { index: 1, id: "b" }) + length,
    { calls: ["fs.list({})", 'fs.read!{"p'], reason: "length" }
  ],
  [
    "with characters of every width",
    named("fs_list", '{"path":"é') + more("日🚀") + more('"}') + toolCalls,
    { calls: ['fs.list({"path":"é日🚀"})'], reason: "tool_calls" }
  ]
]
