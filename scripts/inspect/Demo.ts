import * as Fs from "node:fs"
import * as Path from "node:path"
import type { Script } from "../../src/llama/scripted/Script.ts"

const readme = `# Moon garden

A plan for growing tomatoes where the sun shines for two weeks at a time.
`
const plan = `- [x] choose a crater
- [ ] order seeds
- [ ] find out who waters them at night
`

/** What is asked in the demonstration. */
export const message = "What is still to do for the garden? Put the next thing into the plan."

/** A turn with everything in it, up to a question that waits for a person. */
const script: Script = {
  model: "a scripted model",
  turns: [
    {
      steps: [
        {
          prefill: [{ processed: 812, total: 812 }],
          reasoning:
            "The plan should tell what is open. I will look at the folder first, and at what the README says the plan is for.",
          text: "Let me see what is there.",
          delayMs: 8,
          usage: { promptTokens: 812, cachedTokens: 0, completionTokens: 61 },
          toolCalls: [
            { name: "fs.list", arguments: { path: "." } },
            { name: "fs.grep", arguments: { pattern: "seeds|waters" } },
            { name: "fs.read", arguments: { path: "soil.md" } }
          ]
        },
        {
          prefill: [{ processed: 1034, total: 1034, cached: 812 }],
          reasoning: "Two things are open. Seeds come first: nothing can be watered that was not sown.",
          text: "Two things are open: the seeds, and who waters at night. Seeds come first, so I put a date to them.",
          delayMs: 14,
          usage: { promptTokens: 1034, cachedTokens: 812, completionTokens: 84 },
          toolCalls: [
            {
              name: "fs.edit",
              arguments: {
                path: "plan.md",
                oldText: "- [ ] order seeds\n",
                newText: "- [ ] order seeds by the next new moon\n"
              }
            }
          ]
        },
        { text: "Done: the plan now says when the seeds are due.", delayMs: 8 }
      ]
    }
  ],
  otherwise: "loop"
}

/** Puts a working directory and the script into a folder. */
export const placeDemo = (folder: string): { readonly workingDir: string; readonly script: string } => {
  const workingDir = Path.join(folder, "moon-garden")
  Fs.mkdirSync(workingDir)
  Fs.writeFileSync(Path.join(workingDir, "README.md"), readme)
  Fs.writeFileSync(Path.join(workingDir, "plan.md"), plan)
  const file = Path.join(folder, "script.json")
  Fs.writeFileSync(file, JSON.stringify(script))
  return { workingDir, script: file }
}
