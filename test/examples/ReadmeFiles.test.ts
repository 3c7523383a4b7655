import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Script from "../../src/llama/scripted/Script.ts"
import * as Skill from "../../src/skills/Skill.ts"
import { root } from "../support/Bin.ts"

const readme = Fs.readFileSync(Path.join(root, "README.md"), "utf8")

/** The file below `<!-- file: NAME -->`, exactly as it stands there. */
const fileOf = (name: string): string => {
  const [, text] = new RegExp(`<!-- file: ${name} -->\n\`\`\`\\w+\n([^]*?\n)\`\`\`\n`).exec(readme) ?? []
  if (text === undefined) throw new Error(`README.md has no file marked ${name}`)
  return text
}

describe("the README's files", () => {
  it("are a skill that can be installed", () => {
    const { description, ...skill } = Result.getOrThrow(Skill.parse(fileOf("SKILL.md")))
    assert.deepStrictEqual(skill, {
      name: "release-notes",
      version: "1.2.0",
      requiresScripts: ["changes.sh"],
      platforms: ["darwin", "linux"]
    })
    assert.isNotEmpty(description)
  })

  it("are a script that can be played", () => {
    const parsed = Script.parse(fileOf("script.json"))
    assert.notProperty(parsed, "why")
  })

  it("spell every variable out, for there is no telling what an ending is appended to", () => {
    const [, table] = /\n\| variable \| default \| \|\n([^]*?)\n\n/.exec(readme) ?? []
    assert.include(table, "`ATOMIC_AGENT_LLAMA_COMPLETION_RETRY_BACKOFF_MS`")
    assert.notMatch(table ?? "", /`_/)
  })
})
