import { assert, describe, it } from "@effect/vitest"
import { endsWithCall } from "../../../src/session/turn/CallInText.ts"

const offered = ["fs.list", "fs.read", "shell.run", "finish"]

const json = '{"name": "fs_read", "arguments": {"path": "a.txt"}}'
const fence = (text: string, language = "json") => `\`\`\`${language}\n${text}\n\`\`\``

const calls: ReadonlyArray<readonly [string, string]> = [
  ["Hermes", `<tool_call>\n${json}\n</tool_call>`],
  ["Hermes, two of them", `<tool_call>${json}</tool_call>\n<tool_call>${json}</tool_call>`],
  ["Hermes, behind words", `I look.\n\n<tool_call>\n${json}\n</tool_call>\n`],
  ["Hermes, without its end", `<tool_call>\n${json}`],
  ["Hermes, of a tool that there is not", '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>'],
  ["Hermes, with JSON that is wrong", `<tool_call>{'name': "fs_read", "arguments": {'path': 'a',}}</tool_call>`],
  ["Hermes, with its marker in an argument", `<tool_call>${json.replace("a.txt", "<tool_call> x")}</tool_call>`],
  ["Qwen", "<tool_call>\n<function=fs_read>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>"],
  ["Qwen, without the outer tag", "<function=fs_read>\n<parameter=path>\na.txt\n</parameter>\n</function>"],
  ["GLM", "<tool_call>fs_read\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>"],
  ["Mistral", `[TOOL_CALLS][${json}]`],
  ["Mistral, newer", '[TOOL_CALLS]fs_read[ARGS]{"path": "a.txt"}'],
  ["Mistral, newest", '[TOOL_CALLS]fs_read{"path": "a.txt"}'],
  ["Llama", '{"name": "fs_read", "parameters": {"path": "a.txt"}}'],
  ["Llama, with its token", `<|python_tag|>${json}`],
  ["Llama, in Python", '<|python_tag|>fs_read.call(path="a.txt")'],
  ["Gemma", fence('fs_read(path="a.txt")', "tool_code")],
  [
    "DeepSeek",
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>fs_read\n${fence('{"path": "a.txt"}')}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`
  ],
  [
    "DeepSeek, newer",
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>fs_read<｜tool▁sep｜>{"path": "a.txt"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
  ],
  [
    "Kimi",
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.fs_read:0<|tool_call_argument_begin|>{"path": "a.txt"}<|tool_call_end|><|tool_calls_section_end|>'
  ],
  ["gpt-oss", '<|channel|>commentary to=functions.fs_read <|constrain|>json<|message|>{"path": "a.txt"}<|call|>'],
  [
    "XML",
    '<function_calls>\n<invoke name="fs_read">\n<parameter name="path">a</parameter>\n</invoke>\n</function_calls>'
  ],
  ["bare JSON", json],
  ["bare JSON behind words", `I will read it: ${json}`],
  ["bare JSON, its arguments first", '{"arguments": {"path": "a.txt"}, "name": "fs_read"}'],
  ["bare JSON with arguments as text", String.raw`{"name": "fs.read", "arguments": "{\"path\": \"a.txt\"}"}`],
  ["bare JSON in the form of a request", `{"type": "function", "function": ${json}}`],
  ["bare JSON in the form of an answer", `{"tool_calls": [{"id": "1", "type": "function", "function": ${json}}]}`],
  ["an array of calls", `[${json}, {"name": "fs_list", "arguments": {"path": "."}}]`],
  ["one call a line", `${json}\n${json}`],
  ["another key for the name", '{"tool": "shell.run", "args": {"command": "ls"}}'],
  ["arguments with such keys", '{"name": "finish", "arguments": {"summary": "{\\"name\\": \\"x\\"}", "name": "y"}}'],
  ["a fenced block", fence(json)],
  ["a fenced block behind words", `I read it now.\n\n${fence(json)}\n`],
  ["a fenced block without a language", fence(json, "")],
  ["a name in another spelling", '{"name": "functions.FS_Read", "arguments": {}}']
]

const words: ReadonlyArray<readonly [string, string]> = [
  ["nothing", ""],
  ["words", "I have read it."],
  ["words with a name", "You can call fs_read with a path."],
  ["words with a marker", "Qwen writes <tool_call> before a call."],
  ["words with both markers", "A call stands between <tool_call> and </tool_call>"],
  ["words with a marker of Mistral", "Mistral writes [TOOL_CALLS] in front."],
  ["words behind a call", `<tool_call>${json}</tool_call>\nis what I would send.`],
  ["words behind JSON", `${json}\n\nThat is how a call looks.`],
  ["words behind a fenced block", `${fence(json)}\nThat is how a call looks.`],
  ["JSON of another kind", '{"name": "left-pad", "version": "1.0.0"}'],
  ["JSON with arguments of something else", '{"name": "weather_today", "arguments": {"city": "Bern"}}'],
  ["JSON with a tool's name and no arguments", '{"name": "finish"}'],
  ["JSON with a tool's name elsewhere", '{"file": "fs_read", "arguments": {}}'],
  ["an array of JSON", '[{"name": "a", "input": 1}, {"name": "b", "input": 2}]'],
  ["an array of calls and others", `[${json}, {"name": "b", "input": 2}]`],
  ["a block of JSON", fence('{"a": [1, 2, {"name": "x"}]}')],
  ["code", fence('fs_read(path="a.txt")', "python")],
  ["code that ends with a brace", fence("function fs_read() {\n  return {}\n}", "js")],
  ["a closing tag alone", "</tool_call>"],
  ["a marker alone", "<tool_call>"],
  ["HTML", "<div><p>fs_read</p></div>"]
]

describe("CallInText", () => {
  it.each(calls)("knows a call of %s", (_, text) => {
    assert.isTrue(endsWithCall(text, offered))
  })

  it.each(words)("knows no call in %s", (_, text) => {
    assert.isFalse(endsWithCall(text, offered))
  })

  it.each([
    ["blanks", " ".repeat(1_000_000)],
    ["blanks in words", `<tool_call>a${" ".repeat(1_000_000)}b`],
    ["beginnings", '{"name":'.repeat(100_000)],
    ["beginnings and ends", `${'{"name":'.repeat(50_000)}${"}".repeat(50_000)}`],
    ["markers", "<tool_call>{".repeat(50_000)],
    ["ends", "</tool_call>\n".repeat(50_000)],
    ["names", `[TOOL_CALLS]${"json".repeat(100_000)}`]
  ])("looks at many %s in no time", (_, text) => {
    assert.isFalse(endsWithCall(text, offered))
  })
})
