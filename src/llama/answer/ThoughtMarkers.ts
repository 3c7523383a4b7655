/** A part of an answer between marks; the marks belong to neither. */
export interface Section {
  readonly is: "reasoning" | "text"
  readonly open: string
  readonly close: ReadonlyArray<string>
}

/**
 * The marks of a family of models. Where `text` is marked too, sections follow one another; else there is one of
 * reasoning, and all behind it is text.
 */
export interface Family {
  /** Who writes the marks. */
  readonly models: string
  readonly sections: ReadonlyArray<Section>
}

const reasoning = (open: string, ...close: ReadonlyArray<string>): Section => ({ is: "reasoning", open, close })
const text = (open: string, ...close: ReadonlyArray<string>): Section => ({ is: "text", open, close })

/** A section with and without the role in front, which servers mostly put into the prompt. */
const message = (role: string, section: Section): ReadonlyArray<Section> => [
  section,
  { ...section, open: role + section.open }
]

/**
 * The marks around reasoning that servers without a parser for the model leave in the content. Plain words ("Here is my
 * thought process:", of Granite 3.2) and tags around the answer alone (`<response>`, `<answer>`) are not among them, since
 * they may be what the user has asked for. No mark that opens a section is the beginning of another one.
 */
export const families: ReadonlyArray<Family> = [
  {
    models: "Qwen, DeepSeek, GLM, Nemotron, Granite 3.3, Kimi K2, MiniMax M2, SmolLM, EXAONE 4 and most others",
    sections: [reasoning("<think>", "</think>")]
  },
  { models: "Apriel 1.5", sections: [reasoning("<thinking>", "</thinking>")] },
  { models: "EXAONE Deep", sections: [reasoning("<thought>", "</thought>")] },
  { models: "Magistral, Ministral 3", sections: [reasoning("[THINK]", "[/THINK]")] },
  { models: "Seed-OSS", sections: [reasoning("<seed:think>", "</seed:think>")] },
  { models: "MiniMax M3", sections: [reasoning("<mm:think>", "</mm:think>")] },
  { models: "Hunyuan 3", sections: [reasoning("<think:opensource>", "</think:opensource>")] },
  { models: "LongCat Flash", sections: [reasoning("<longcat_think>", "</longcat_think>")] },
  { models: "Kimi VL, Kimi Dev", sections: [reasoning("◁think▷", "◁/think▷")] },
  { models: "Apertus", sections: [reasoning("<|inner_prefix|>", "<|inner_suffix|>")] },
  { models: "Gemma 4", sections: [reasoning("<|channel>thought\n", "<channel|>")] },
  {
    models: "Command R7B, Command A",
    sections: [
      reasoning("<|START_THINKING|>", "<|END_THINKING|>"),
      text("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
      text("<|START_TEXT|>", "<|END_TEXT|>")
    ]
  },
  {
    models: "Kimi K3",
    sections: [
      reasoning("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
      text("<|open|>response<|sep|>", "<|close|>response<|sep|>")
    ]
  },
  {
    // A message of the commentary channel without a recipient is what the user reads before calls.
    models: "gpt-oss",
    sections: [
      reasoning("<|channel|>analysis<|message|>", "<|end|>", "<|return|>"),
      text("<|channel|>commentary<|message|>", "<|end|>", "<|return|>"),
      text("<|channel|>final<|message|>", "<|end|>", "<|return|>")
    ].flatMap((section) => message("<|start|>assistant", section))
  },
  {
    models: "Solar Open",
    sections: [reasoning("<|think|>", "<|end|>"), text("<|content|>", "<|end|>")].flatMap((section) =>
      message("<|begin|>assistant", section)
    )
  },
  {
    models: "Muse Glimmer",
    sections: [
      reasoning("to=self<|message|>", "<|eom|>", "<|eot|>"),
      text("to=user<|message|>", "<|eom|>", "<|eot|>")
    ].flatMap((section) => message("<|start|>assistant ", section))
  }
]
