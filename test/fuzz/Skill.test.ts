import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { isSkillName, parse, scriptPath, type Skill } from "../../src/skills/Skill.ts"
import { holds, json, patience, text } from "./holds.ts"

/** To YAML three of them are no text. */
const name = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$/).filter((each) => !/^(null|true|false)$/.test(each))
const words = text.filter((value) => value.trim() !== "" && value.isWellFormed())
const part = fc.stringMatching(/^[A-Za-z0-9 _.äé日-]{1,12}$/).filter((value) => !/^\.\.?$/.test(value))
const script = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"))

const skill = fc.record({
  name,
  description: words.map((value) => value.trim()),
  version: words.map((value) => value.trim()),
  requiresScripts: fc.uniqueArray(
    script.map((path) => scriptPath(path) ?? "a.sh"),
    { maxLength: 3 }
  ),
  platforms: fc.option(fc.uniqueArray(fc.constantFrom<NodeJS.Platform>("darwin", "linux", "win32")), { nil: undefined })
})

/** JSON's strings and lists are YAML's too. */
const asFile = ({ description, name, platforms, requiresScripts, version }: Skill, end: string): string =>
  [
    "---",
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    `version: ${JSON.stringify(version)}`,
    `requires_scripts: ${JSON.stringify(requiresScripts.map((path) => `scripts/${path}`))}`,
    ...(platforms === undefined ? [] : [`platforms: ${JSON.stringify(platforms)}`]),
    "---",
    "# Body",
    ""
  ].join(end)

const isGood = ({ description, name, requiresScripts, version }: Skill): boolean =>
  isSkillName(name) &&
  description.trim() !== "" &&
  version.trim() !== "" &&
  requiresScripts.every((path) => scriptPath(path) === path && !path.split("/").includes(".."))

describe("SKILL.md", { timeout: patience }, () => {
  it("gives back the skill that was written down", () =>
    holds(fc.tuple(skill, fc.constantFrom("\n", "\r\n")), ([written, end]) => {
      assert.deepStrictEqual(parse(asFile(written, end)), Result.succeed(written))
    }))

  it("is a skill by the rules or refused in few words, whatever stands in its front matter", () => {
    const line = fc.oneof(
      text,
      fc
        .tuple(fc.constantFrom("name", "description", "version", "requires_scripts", "platforms", "x"), json)
        .map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
      fc
        .tuple(fc.constantFrom("name", "description", "version", "requires_scripts", "- ", "  "), text)
        .map(([key, value]) => `${key}: ${value}`),
      fc.constantFrom(
        "name: ab",
        "description: x",
        "---",
        "- a",
        "key: &a [*a]",
        "? x",
        "<<: *b",
        "!!js x",
        "|",
        ">",
        "{",
        "["
      )
    )
    holds(fc.tuple(fc.array(line, { maxLength: 8 }), fc.boolean()), ([lines, isFramed]) => {
      const parsed = parse(isFramed ? ["---", ...lines, "---", ""].join("\n") : lines.join("\n"))
      if (Result.isSuccess(parsed)) assert.isTrue(isGood(parsed.success), JSON.stringify(parsed.success))
      else assert.isAtMost(parsed.failure.length, 1000)
    })
  })

  it("survives any change of one character", () =>
    holds(fc.tuple(skill, fc.nat(), text), ([written, at, put]) => {
      const file = asFile(written, "\n")
      const parsed = parse(file.slice(0, at % file.length) + put + file.slice((at % file.length) + 1))
      if (Result.isSuccess(parsed)) assert.isTrue(isGood(parsed.success), JSON.stringify(parsed.success))
      else assert.isAtMost(parsed.failure.length, 1000)
    }))
})
