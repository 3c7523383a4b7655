/** The parts of the system prompt, as they were when the session started. */
export interface PromptParts {
  readonly workingDir: string
  readonly platform: string
  /** `2026-11-30`: the day the session started. */
  readonly date: string
  readonly skills: ReadonlyArray<{ readonly name: string; readonly description: string }>
  /** The head of the working directory's `AGENTS.md`. */
  readonly agents: string | undefined
  /** `agent.instructions`. */
  readonly instructions: string | undefined
}

/** The system prompt: short, since a small model reads all of it before the first message, and byte-stable. */
export const systemPrompt = ({ agents, date, instructions, platform, skills, workingDir }: PromptParts): string =>
  [
    `You are a capable agent working for a user on their own machine. You act by calling tools and you answer in plain language.

Working directory: ${workingDir}
Platform: ${platform}
Date: ${date}

Rules:
- Look before you answer: read files and search instead of guessing. Ask for several independent reads in one step.
- Paths are relative to the working directory. Stay inside it unless the user asks otherwise.
- Some tools ask the user first. A denial is an answer: respect it, and do not try the same thing another way.
- A tool's error tells you what to change. Do not repeat a call that failed without changing it.
- When the work is done, answer the user directly and briefly. Call finish only to end a longer task with a summary.`,
    skills.length === 0
      ? undefined
      : `Skills (read one with skill_view before you use it):\n${skills.map((skill) => `- ${skill.name}: ${skill.description}`).join("\n")}`,
    agents === undefined || agents.trim() === "" ? undefined : `From AGENTS.md in the working directory:\n${agents}`,
    instructions === undefined || instructions.trim() === "" ? undefined : instructions
  ]
    .filter((part) => part !== undefined)
    .join("\n\n")
