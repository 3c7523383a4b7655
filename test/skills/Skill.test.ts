import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { isSkillName, parse, scriptPath, type Skill } from "../../src/skills/Skill.ts"

const good: Skill = {
  name: "pdf-forms",
  description: "Fills in forms.",
  version: "0.0.0",
  requiresScripts: [],
  platforms: undefined
}

const file = (...front: ReadonlyArray<string>) => `---\n${front.join("\n")}\n---\n\n# Body\n`

const named = (...more: ReadonlyArray<string>) => file("name: pdf-forms", "description: Fills in forms.", ...more)

describe("a skill's name", () => {
  it.each(["ab", "a1", "1a", "2048", "a-b", "a--b", "a".repeat(64), "con"])("may be %j", (name) => {
    assert.isTrue(isSkillName(name))
  })

  it.each([
    "",
    "a",
    "-a",
    "a-",
    "--",
    "A1",
    "a_b",
    "a.b",
    "a b",
    "ab\n",
    "\nab",
    "ab\u2028",
    "ä1",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "a\0b",
    "a".repeat(65)
  ])("may not be %j", (name) => {
    assert.isFalse(isSkillName(name))
  })
})

describe("a SKILL.md", () => {
  it.each<[string, string, Partial<Skill>]>([
    ["needs no more than a name and a description", named(), {}],
    ["may have CRLF at the ends of lines", named("version: 1.2.3").replaceAll("\n", "\r\n"), { version: "1.2.3" }],
    ["may begin with a byte order mark", `\uFEFF${named()}`, {}],
    ["may have a byte order mark and CRLF", `\uFEFF${named().replaceAll("\n", "\r\n")}`, {}],
    ["may end with its front matter", "---\nname: pdf-forms\ndescription: Fills in forms.\n---", {}],
    ["may have blanks after the dashes", "--- \nname: pdf-forms\ndescription: Fills in forms.\n---\t\nx", {}],
    ["may have a rule of dashes in its body", `${named()}\n---\nname: other\n---\n`, {}],
    ["may quote", file(`name: "pdf-forms"`, `description: 'It''s: "this"'`), { description: `It's: "this"` }],
    ["may have comments", named("# version: 9", "version: 1.0.0 # the first"), { version: "1.0.0" }],
    ["may have other keys", named("license: MIT", "metadata:", "  author: {name: x}"), {}],
    ["keeps a version that looks like a number as it is written", named("version: 1.10"), { version: "1.10" }],
    ["keeps a name that looks like a number", file("name: 2048", "description: x"), { name: "2048", description: "x" }],
    [
      "keeps one that is a number with an exponent",
      file("name: 1e5", "description: x"),
      { name: "1e5", description: "x" }
    ],
    [
      "keeps one that is a number in base 16",
      file("name: 0x1f # x", "description: x"),
      { name: "0x1f", description: "x" }
    ],
    ["keeps a version with a comment", named("version: 1.10 # the tenth"), { version: "1.10" }],
    ["may leave keys empty", named("version:", "requires_scripts:", "platforms: ~"), {}],
    ["may have no scripts", named("requires_scripts: []"), {}],
    [
      "names scripts with or without their folder, once each",
      named("requires_scripts: [scripts/a.sh, ./scripts/a.sh, a.sh, lib/b.py]"),
      { requiresScripts: ["a.sh", "lib/b.py"] }
    ],
    ["names platforms", named("platforms: [linux, darwin]"), { platforms: ["linux", "darwin"] }],
    [
      "may fold its description",
      file("name: pdf-forms", "description: >-", "  Fills in", "  forms."),
      { description: "Fills in forms." }
    ],
    [
      "may have a description of several lines",
      file("name: pdf-forms", "description: |", "  One.", "  Two."),
      { description: "One.\nTwo." }
    ],
    [
      "may hold line separators as ordinary characters",
      file("name: pdf-forms", "description: One\u2028two:\u2029three \u2028# four"),
      { description: "One\u2028two:\u2029three \u2028# four" }
    ],
    [
      "does not end a line at a line separator",
      file("name: pdf-forms", "description: 'One\u2028---\u2028version: 9'"),
      { description: "One\u2028---\u2028version: 9" }
    ],
    [
      "may be in any script",
      file("name: pdf-forms", "description: 填写表格 👩‍👩‍👧 استمارة"),
      { description: "填写表格 👩‍👩‍👧 استمارة" }
    ],
    ["is not misled by the names of an object's own", named("__proto__: {version: 6.6.6}", "constructor: x"), {}]
  ])("%s", (_, text, expected) => {
    assert.deepStrictEqual(parse(text), Result.succeed({ ...good, ...expected }))
  })

  it.each<[string, string, string | RegExp]>([
    ["an empty file", "", /expected a first line ---/],
    ["no front matter", "# PDF\n\nname: pdf-forms\n", /expected a first line ---/],
    ["front matter after a blank line", `\n${named()}`, /expected a first line ---/],
    ["more than three dashes", named().replaceAll("---", "----"), /expected a first line ---/],
    ["front matter that is not ended", "---\nname: pdf-forms\ndescription: x\n", /not ended by a line ---/],
    ["dashes that a line separator sets apart", "---\u2028name: pdf-forms\u2028---\n", /expected a first line ---/],
    ["empty front matter", "---\n---\nbody", "expected the front matter to be keys with values"],
    ["a list as front matter", file("- name", "- description"), "expected the front matter to be keys with values"],
    ["a text as front matter", file("pdf-forms"), "expected the front matter to be keys with values"],
    ["no name", file("description: x"), /^name: expected .*got nothing$/],
    ["a blank name", file("name:", "description: x"), /^name: expected .*got null$/],
    ["no description", file("name: pdf-forms"), /^description: expected .*got nothing$/],
    [
      "a blank description",
      file("name: pdf-forms", `description: "  "`),
      /^description: .*not blank.*got a blank string$/
    ],
    [
      "a description of a line separator",
      file("name: pdf-forms", `description: "\u2028"`),
      /^description: .*not blank/
    ],
    ["a name that climbs", file("name: ../evil", "description: x"), /^name: expected 2 to 64 .*, got "..\/evil"$/],
    ["a name in capitals", file("name: PDF", "description: x"), /^name: expected 2 to 64/],
    ["a name of one letter", file("name: p", "description: x"), /^name: expected 2 to 64/],
    ["a name with a line separator", file("name: pdf\u2028forms", "description: x"), /^name: expected 2 to 64/],
    ["a name with a line separator at its end", file("name: pdf\u2028", "description: x"), /^name: expected 2 to 64/],
    ["a name that is a list", file("name: [pdf]", "description: x"), /^name: expected 2 to 64 .*, got array$/],
    ["a name that is true", file("name: true", "description: x"), /^name: expected 2 to 64 .*, got boolean$/],
    ["a description that is a number", file("name: ab", "description: 7"), /^description: expected .*, got number$/],
    ["a description that is an object", file("name: ab", "description: {a: b}"), /^description: .*got object$/],
    ["a version that is a list", named("version: [1]"), /^version: expected .*got array$/],
    ["scripts that are one text", named("requires_scripts: a.sh"), /^requires_scripts: expected .*got "a.sh"$/],
    ["a script that is a number", named("requires_scripts: [7]"), /^requires_scripts\[0\]: expected .*, got number$/],
    [
      "a script that climbs",
      named("requires_scripts: [a.sh, ../../b.sh]"),
      /^requires_scripts\[1\]: .*below scripts\//
    ],
    ["an absolute script", named("requires_scripts: [/bin/sh]"), /^requires_scripts\[0\]: .*below scripts\//],
    ["an unknown platform", named("platforms: [macos]"), /^platforms\[0\]: expected .*"darwin".*got "macos"$/],
    ["a platform that is one text", named("platforms: linux"), /^platforms: expected .*got "linux"$/],
    ["a colon that wants quotes", file("name: ab", "description: Use when: always"), /not valid YAML: .*at line 3$/],
    ["a key that stands twice", named("name: other"), /not valid YAML: Duplicate key 'name' at line 4$/],
    ["a quote that is not closed", file("name: ab", `description: "x`), /not valid YAML: Unterminated/],
    ["a list that is nested without end", named(`x: ${"[".repeat(12_000)}`), /not valid YAML: /],
    ["a key that only the prototype has", file("name: pdf-forms", "__proto__: {description: x}"), /^description: /]
  ])("is refused for %s", (_, text, expected) => {
    const found = parse(text)
    assert.isTrue(Result.isFailure(found), JSON.stringify(found))
    const why = Result.isFailure(found) ? found.failure : ""
    if (typeof expected === "string") assert.strictEqual(why, expected)
    else assert.match(why, expected)
  })

  it("is not expanded where it refers to itself a million times over", () => {
    const levels = Array.from({ length: 60 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`)
    assert.deepStrictEqual(parse(named("a0: &a0 x", ...levels)), Result.succeed(good))
  })
})

describe("the path of a script", () => {
  it.each([
    ["run.sh", "run.sh"],
    ["scripts/run.sh", "run.sh"],
    ["./run.sh", "run.sh"],
    ["./scripts/lib/run.sh", "lib/run.sh"],
    ["scripts/scripts/run.sh", "scripts/run.sh"],
    ["with blank.sh", "with blank.sh"],
    ["-rf", "-rf"],
    ["...", "..."]
  ])("takes %j for %j", (declared, path) => {
    assert.strictEqual(scriptPath(declared), path)
  })

  it.each([
    "",
    ".",
    "..",
    "/bin/sh",
    "scripts/",
    "scripts//a",
    "../a",
    "a/../../b",
    "a/..",
    "scripts/../../b",
    "a\\b",
    "..\\a",
    "C:\\a",
    "C:a",
    "a\0",
    "a\nb",
    "a\u2028b"
  ])("refuses %j", (declared) => {
    assert.isUndefined(scriptPath(declared))
  })
})
