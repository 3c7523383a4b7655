import type { Script } from "./Script.ts"

/** A conversation that demonstrates the sidecar to a host without a model. It starts again after its last turn. */
export const demoScript: Script = {
  model: "built-in script",
  turns: [
    {
      steps: [
        {
          prefill: [
            { processed: 256, total: 812 },
            { processed: 812, total: 812 }
          ],
          reasoning:
            "The user has just arrived. I should see where we are before I say anything about it: " +
            "the folder, and the files that usually tell what a project is.\n",
          text: "Let me look around first.",
          delayMs: 12,
          toolCalls: [
            { name: "fs.list", arguments: { path: ".", limit: 20 } },
            { name: "fs.glob", arguments: { pattern: "*.{md,json}", limit: 20 } }
          ]
        },
        {
          reasoning: "A README is the shortest way to know a place. If there is none, I will say so.\n",
          delayMs: 12,
          toolCalls: [{ name: "fs.read", arguments: { path: "README.md", limit: 12 } }]
        },
        {
          text: [
            "## Hello from the built-in script 👋",
            "",
            "No model is running: these words are **scripted**, but all else is real. What you have just seen:",
            "",
            "1. `fs.list` and `fs.glob`, side by side, in your working directory",
            "2. `fs.read` of a `README.md`, after both had answered",
            "3. this reply, piece by piece, as a model would send it",
            "",
            "Every character arrives whole, whichever way it is cut: 日本語, 한국어, naïve café, 👩‍💻, 🇯🇵, 🚀.",
            "",
            "```sh",
            "llama-server -m model.gguf --jinja --port 8080   # then I am a real one",
            "```",
            ""
          ].join("\n"),
          delayMs: 12
        }
      ]
    },
    {
      steps: [
        {
          reasoning: "A second message. I will search this time, to show another tool.\n",
          delayMs: 12,
          toolCalls: [{ name: "fs.grep", arguments: { pattern: "TODO|FIXME", limit: 5 } }]
        },
        {
          text:
            "I searched for open ends (`TODO`, `FIXME`), and what I found stands above. " +
            "A real model would now tell you what it thinks of them — 我只会背台词 😄.\n",
          delayMs: 12
        }
      ]
    },
    {
      steps: [
        {
          text:
            "That is all that I have by heart. Send another message and I begin anew, " +
            "or start a `llama-server` and set `localModels.url`. 再见!\n",
          delayMs: 12
        }
      ]
    }
  ],
  otherwise: "loop"
}
