import { assert, describe, it } from "@effect/vitest"
import { type PromptParts, systemPrompt } from "../../src/session/SystemPrompt.ts"

const bare: PromptParts = {
  workingDir: "/work",
  platform: "linux",
  date: "2026-11-30",
  skills: [],
  agents: undefined,
  instructions: undefined
}

describe("the system prompt", () => {
  it("says where, on what and when", () => {
    for (const line of ["Working directory: /work", "Platform: linux", "Date: 2026-11-30"]) {
      assert.include(systemPrompt(bare).split("\n"), line)
    }
  })

  it("says nothing of what there is not, and of what is blank", () => {
    for (const absent of [{ ...bare }, { ...bare, agents: " \n", instructions: "\t" }]) {
      assert.strictEqual(systemPrompt(absent), systemPrompt(bare))
    }
    assert.notMatch(systemPrompt(bare), /Skills \(|AGENTS\.md/)
  })

  it("ends with skills, AGENTS.md and the user's own instructions, in this order", () => {
    const skills = [
      { name: "pdf", description: "Reads PDF files." },
      { name: "tidy", description: "Tidies up." }
    ]
    const whole = systemPrompt({ ...bare, skills, agents: "Run the tests.", instructions: "Answer in French." })
    assert.isTrue(whole.startsWith(systemPrompt(bare)))
    assert.deepStrictEqual(whole.slice(systemPrompt(bare).length).split("\n\n"), [
      "",
      "Skills (read one with skill_view before you use it):\n- pdf: Reads PDF files.\n- tidy: Tidies up.",
      "From AGENTS.md in the working directory:\nRun the tests.",
      "Answer in French."
    ])
  })
})
