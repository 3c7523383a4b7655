import * as Path from "node:path"
import * as LlamaAnswers from "../../src/testing/LlamaAnswers.ts"
import type { Dice } from "./Dice.ts"

const commands = [
  "true",
  "echo one; sleep 0.02; echo two",
  "sleep 600",
  "sleep 600 & echo left",
  "(trap '' TERM; sleep 600) & echo deaf",
  "trap '' TERM; sleep 600; sleep 601",
  "sleep 0.01; exit 3",
  "head -c 300000 /dev/zero | tr '\\0' x"
]

const call = (dice: Dice, workingDir: string) => {
  switch (dice.below(7)) {
    case 0:
      return { name: "fs_read", arguments: { path: "here.txt" } }
    case 1:
      return { name: "fs_list", arguments: { path: dice.one([".", "/etc"]) } }
    case 2:
      return { name: "fs_write", arguments: { path: `new-${dice.below(3)}.txt`, content: "written" } }
    case 3:
      return { name: "fs_write", arguments: { path: Path.join(workingDir, "../beside.txt"), content: "beside" } }
    case 4:
      return dice.one([
        { name: "fs_write", arguments: "{broken" },
        { name: "no_such_tool", arguments: {} },
        { name: "finish", arguments: { summary: "done" } }
      ])
    default:
      return { name: "shell_run", arguments: { command: dice.one(commands) } }
  }
}

/** What a model might say: words, calls of tools that ask and tools that last, nothing at all, nonsense. */
export const answer = (dice: Dice, workingDir: string): LlamaAnswers.Answer => {
  const how = { headDelayMs: dice.below(10), pieceDelayMs: dice.below(3) }
  switch (dice.below(10)) {
    case 0:
    case 1:
      return LlamaAnswers.say({ reasoning: "well", text: "These are some words." }, how)
    case 2:
      return dice.one<LlamaAnswers.Answer>([
        { pieces: [], ending: "hang" },
        { ...LlamaAnswers.say({ text: "cut" }), ending: "hang" },
        { pieces: [LlamaAnswers.chunk({ content: "cut" })], ending: "cut" },
        LlamaAnswers.refuse(400, "no")
      ])
    default: {
      const toolCalls = Array.from({ length: 1 + dice.below(3) }, () => call(dice, workingDir))
      return LlamaAnswers.say({ ...(dice.chance(0.3) ? { text: "A note." } : {}), toolCalls }, how)
    }
  }
}
