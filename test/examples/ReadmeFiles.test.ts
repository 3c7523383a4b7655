import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as ConfigFile from "../../src/config/ConfigFile.ts"
import * as Script from "../../src/llama/scripted/Script.ts"
import * as Skill from "../../src/skills/Skill.ts"
import { root } from "../support/Bin.ts"
import { type Fence, fences, markedAs, placeOf } from "./Documents.ts"

/** What is wrong with a file of this name, if anything. */
const readers: { readonly [name: string]: (text: string) => string | undefined } = {
  "SKILL.md": (text) => {
    const { description, ...skill } = Result.getOrThrow(Skill.parse(text))
    assert.deepStrictEqual(skill, {
      name: "release-notes",
      version: "1.2.0",
      requiresScripts: ["changes.sh"],
      platforms: ["darwin", "linux"]
    })
    return description === "" ? "no description" : undefined
  },
  "script.json": (text) => {
    const parsed = Script.parse(text)
    return "why" in parsed ? parsed.why : undefined
  },
  "config.json": (text) => {
    const parsed = ConfigFile.parse("config.json", text)
    if (Result.isFailure(parsed)) return parsed.failure.message
    // Unknown keys are ignored, so a misspelled one would pass.
    assert.deepStrictEqual(parsed.success, JSON.parse(text))
    return undefined
  },
  "tauri.conf.json": (text) => {
    const example = Path.join(root, "scripts/examples/tauri/src-tauri/tauri.conf.json")
    const { externalBin } = JSON.parse(Fs.readFileSync(example, "utf8")).bundle
    assert.deepStrictEqual(JSON.parse(text), { bundle: { externalBin } })
    return undefined
  }
}

describe("files in the documents", () => {
  for (const [name, fence] of markedAs("file")) {
    it(`${placeOf(fence)}: ${name} can be read`, () => {
      const read = readers[name]
      assert.isDefined(read, `nothing reads ${name}`)
      assert.isUndefined(read?.(fence.code))
    })
  }

  it("are marked with their names, so that they are read", () => {
    const isUnread = ({ language, mark }: Fence) => ["json", "md"].includes(language) && !mark.startsWith("file: ")
    assert.deepStrictEqual(fences.filter(isUnread).map(placeOf), [])
  })
})
