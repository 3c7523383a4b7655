import { assert, describe, it } from "@effect/vitest"
import * as ThinkSplitter from "../../../src/llama/answer/ThinkSplitter.ts"
import { families } from "../../../src/llama/answer/ThoughtMarkers.ts"

const split = (pieces: ReadonlyArray<string>) => {
  let state = ThinkSplitter.start
  let [reasoning, text] = ["", ""]
  for (const piece of pieces) {
    const step = ThinkSplitter.push(state, piece)
    state = step.state
    reasoning += step.reasoning
    text += step.text
  }
  const rest = ThinkSplitter.finish(state)
  return { reasoning: reasoning + rest.reasoning, text: text + rest.text }
}

/** Every way to cut a text into at most three pieces, and the one into characters. */
const cuts = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const all: Array<ReadonlyArray<string>> = [text.split("")]
  for (let one = 0; one <= text.length; one += 1) {
    for (let two = one; two <= text.length; two += 1)
      all.push([text.slice(0, one), text.slice(one, two), text.slice(two)])
  }
  return all
}

type Row = readonly [what: string, content: string, reasoning: string, text: string]

const analysis = "<|channel|>analysis<|message|>"
const commentary = "<|channel|>commentary<|message|>"
const final = "<|channel|>final<|message|>"
const assistant = "<|start|>assistant"

const harmony: ReadonlyArray<Row> = [
  ["a thought and an answer", `${analysis}Hm.<|end|>${assistant}${final}Hi.<|return|>`, "Hm.", "Hi."],
  ["a role in front", `${assistant}${analysis}Hm.<|end|>${assistant}${final}Hi.`, "Hm.", "Hi."],
  ["no end of the thought", `${analysis}Hm.${final}Hi.`, "Hm.", "Hi."],
  ["no end of the thought and a role", `${analysis}Hm.${assistant}${final}Hi.`, "Hm.", "Hi."],
  ["white space around the marks", `\n${analysis} Hm. <|end|>\n${assistant}${final}\n\nHi.`, "Hm. ", "Hi."],
  ["no mark of the answer", `${analysis}Hm.<|end|>Hi.`, "Hm.", "Hi."],
  ["an answer alone", `${final}Hi.<|end|>`, "", "Hi."],
  ["a preamble alone", `${commentary}I look.<|end|>`, "", "I look."],
  [
    "a preamble and an answer",
    `${analysis}Hm.<|end|>${assistant}${commentary}I look.<|end|>${assistant}${final}Hi.`,
    "Hm.",
    "I look.\n\nHi."
  ],
  [
    "two thoughts",
    `${analysis}One.<|end|>${assistant}${analysis}<|end|>${assistant}${analysis}Two.<|end|>${assistant}${final}Hi.`,
    "One.\n\nTwo.",
    "Hi."
  ],
  ["a thought without an end", `${analysis}Hm. <|en`, "Hm. <|en", ""],
  ["nothing behind the thought", `${analysis}Hm.<|end|>${assistant}`, "Hm.", ""],
  ["an answer that is cut in its marks", `${final}Hi.<|end|>${assistant}`, "", "Hi."],
  ["an answer that is cut in a mark", `${final}Hi.<|en`, "", "Hi.<|en"],
  [
    "marks in the words",
    `${final}Write <|end|> or ${analysis} or <|return|>!`,
    "",
    `Write <|end|> or ${analysis} or <|return|>!`
  ],
  ["marks in the words, with an end", `${final}<|end|> is its end<|end|><|return|>`, "", "<|end|> is its end<|end|>"],
  [
    "a call",
    `${analysis}Hm.<|end|>${assistant}<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|>`,
    "Hm.",
    `${assistant}<|channel|>commentary to=functions.x <|constrain|>json<|message|>{}<|call|>`
  ],
  ["a channel of another kind", "<|channel|>other<|message|>Hi.", "", "<|channel|>other<|message|>Hi."],
  ["marks behind a word", `So ${analysis}Hm.<|end|>`, "", `So ${analysis}Hm.<|end|>`],
  ["marks behind a thought of others", `<think>Hm.</think>${final}Hi.`, "Hm.", `${final}Hi.`]
]

const others: ReadonlyArray<Row> = [
  ["Command R", "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Hi.<|END_RESPONSE|>", "Hm.", "Hi."],
  ["Command A", "<|START_THINKING|><|END_THINKING|><|START_TEXT|>Hi.<|END_TEXT|>", "", "Hi."],
  ["Kimi K3", "<|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>Hi.", "Hm.", "Hi."],
  ["Solar Open", "<|think|>Hm.<|end|><|begin|>assistant<|content|>Hi.<|end|>", "Hm.", "Hi."],
  ["Muse Glimmer", " to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>Hi.<|eot|>", "Hm.", "Hi."],
  ["Gemma without a thought", "<|channel>thought\n<channel|>Hi.", "", "Hi."],
  ["an end of another family", "[THINK]a</think>b[/THINK]Hi.", "a</think>b", "Hi."],
  ["an end without a begin", "Hm.[/THINK]Hi.", "", "Hm.[/THINK]Hi."],
  ["tags that a user asked for", "<think>Hm.</think><answer>Hi.</answer>", "Hm.", "<answer>Hi.</answer>"],
  ["plain words", "Here is my thought process: Hm.", "", "Here is my thought process: Hm."],
  ["a text that only begins like a mark", "to=selfish", "", "to=selfish"],
  ["a text that is the beginning of a mark", "<|channel", "", "<|channel"],
  ["an indented text that begins like a mark", "\n\n   <|channel: x", "", "   <|channel: x"]
]

const opening = families.flatMap(({ models, sections }): ReadonlyArray<Row> =>
  sections.flatMap(({ close, is, open }) => {
    if (is === "text") return close.map((end): Row => [`${models}: ${open}`, `\n${open}\nHi.${end}`, "", "Hi."])
    return close.map((end): Row => [`${models}: ${open}`, `\n${open} Hm.\n${end}\n\nHi.`, "Hm.\n", "Hi."])
  })
)

const inside = families.flatMap(({ models, sections }): ReadonlyArray<Row> =>
  sections.map(({ close: [end = ""], open }): Row => {
    const words = `Write ${open}x${end} here.`
    return [`${models}: ${open}`, words, "", words]
  })
)

const tables: ReadonlyArray<readonly [title: string, rows: ReadonlyArray<Row>]> = [
  ["the marks of gpt-oss, with", harmony],
  ["the marks of other families, with", others],
  ["marks that open the content are dropped:", opening],
  ["marks in the middle are text:", inside]
]

for (const [title, rows] of tables) {
  describe(title, () => {
    it.each(rows)("%s", (_, content, reasoning, text) => {
      assert.deepStrictEqual(split([content]), { reasoning, text })
      for (const pieces of cuts(content)) assert.deepStrictEqual(split(pieces), { reasoning, text }, pieces.join("·"))
    })
  })
}

it("no mark is the beginning of another one that may stand there", () => {
  const opens = families.flatMap(({ sections }) => sections.map(({ open }) => open))
  for (const one of opens)
    assert.deepStrictEqual(
      opens.filter((other) => other.startsWith(one)),
      [one]
    )
})

describe("white space before the first word", () => {
  it("is held back in a small space, however long it goes on", () => {
    let state = ThinkSplitter.start
    for (const piece of ["\n\n", " ".repeat(100), "\t\n"]) {
      for (let count = 0; count < 1000; count += 1) {
        const step = ThinkSplitter.push(state, piece)
        assert.deepStrictEqual([step.text, step.reasoning], ["", ""])
        assert.isAtMost(step.state.held.length, 1000)
        state = step.state
      }
    }
    assert.strictEqual(ThinkSplitter.push(state, "  a").text, "  a")
    assert.deepInclude(ThinkSplitter.push(state, "  <think>a</think> b"), { reasoning: "a", text: "b" })
  })
})
