import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { isObject } from "effect/Predicate"
import * as Yaml from "effect/encoding/Yaml"
import { cutText } from "../domain/CutText.ts"
import { NotBlank } from "../protocol/Checks.ts"
import { firstFault, pathText, typeName } from "../protocol/Explain.ts"

/** The front matter of a `SKILL.md` (docs/skills.md). */
export interface Skill {
  readonly name: string
  readonly description: string
  readonly version: string
  /** The scripts that may be run, as paths below the skill's `scripts/`, with `/`. */
  readonly requiresScripts: ReadonlyArray<string>
  /** The platforms that it works on; undefined if on all. */
  readonly platforms: ReadonlyArray<NodeJS.Platform> | undefined
}

/** The front matter must end within this many bytes. */
export const headBytes = 16 * 1024

/** True for 2 to 64 characters of a–z, 0–9 and `-`, without a dash at the ends (docs/skills.md). */
export const isSkillName = (name: string): boolean => namePattern.test(name)

/** The rule of `isSkillName`, in words. */
export const nameRule = "2 to 64 of a-z, 0-9 and -, no dash at the ends"

const namePattern = /^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$/

/** Parses the front matter of a `SKILL.md`, given at least its first `headBytes`. Fails with what is wrong with it. */
export const parse = (text: string): Result.Result<Skill, string> => {
  const lines = text.replace(/^\uFEFF/, "").split("\n")
  if (!isFence(lines[0])) return Result.fail("expected a first line ---, with the front matter after it")
  const end = lines.findIndex((line, index) => index > 0 && isFence(line))
  if (end === -1) return Result.fail(`the front matter is not ended by a line --- within ${headBytes} bytes`)
  const front = lines.slice(1, end)
  return Result.flatMap(readYaml(front.join("\n")), (content) => decode(content, front))
}

/** A declared script as a path below `scripts/`, with or without that prefix; undefined if it leads elsewhere. */
export const scriptPath = (declared: string): string | undefined => {
  const path = declared.replace(/^\.\//, "").replace(/^scripts\//, "")
  const isPlain = path.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  return isPlain && !/[\p{Cc}\\:\u2028\u2029]/u.test(path) ? path : undefined
}

const isFence = (line: string | undefined): boolean => line !== undefined && /^---[ \t]*\r?$/.test(line)

/** Replaced while YAML is parsed: they are ordinary characters in YAML, but white space to the parser. */
const lineSeparators = { "\u2028": "\uFFFE", "\u2029": "\uFFFF" } as const

const readYaml = (source: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(Yaml.parse(source.replaceAll(/[\u2028\u2029]/g, hide)))
  } catch (error) {
    // Every error is the fault of the file, even a stack overflow.
    const why = error instanceof Error ? error.message : String(error)
    return Result.fail(`the front matter is not valid YAML: ${why.replace(/at line (\d+)$/, lineOfFile)}`)
  }
}

const hide = (char: string): string => lineSeparators[char as keyof typeof lineSeparators]

const show = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => (typeof each === "string" ? show(each) : each))
  return typeof value === "string" ? value.replaceAll("\uFFFE", "\u2028").replaceAll("\uFFFF", "\u2029") : value
}

/** The front matter begins on the file's second line. */
const lineOfFile = (_: string, line: string): string => `at line ${Number(line) + 1}`

const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const FrontMatter = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(namePattern, { expected: nameRule })),
  description: NotBlank,
  version: optional(NotBlank),
  requires_scripts: optional(
    Schema.Array(
      Schema.String.check(
        Schema.makeFilter((declared) => scriptPath(declared) !== undefined, {
          expected: "a path below scripts/, with / and without .."
        })
      )
    )
  ),
  platforms: optional(Schema.Array(Schema.Literals(["darwin", "linux", "win32"])))
})

const keys = ["name", "description", "version", "requires_scripts", "platforms"] as const

const decode = (content: unknown, front: ReadonlyArray<string>): Result.Result<Skill, string> => {
  if (!isObject(content) || Array.isArray(content))
    return Result.fail("expected the front matter to be keys with values")
  const known = Object.fromEntries(
    keys.flatMap((key) => {
      const value = Reflect.getOwnPropertyDescriptor(content, key)?.value
      return value === undefined ? [] : [[key, show(asWritten(key, value, front))]]
    })
  )
  return Result.mapBoth(SchemaParser.decodeUnknownResult(FrontMatter)(known), {
    onFailure: (issue) => {
      const { actual, expected, path } = firstFault(issue, known)
      return `${pathText("", path)}: expected ${expected}, got ${inWords(actual)}`
    },
    onSuccess: ({ description, name, platforms, requires_scripts, version }) => ({
      name,
      description: description.trim(),
      version: (version ?? "0.0.0").trim(),
      requiresScripts: [...new Set((requires_scripts ?? []).map((declared) => scriptPath(declared) ?? declared))],
      platforms: platforms ?? undefined
    })
  })
}

const inWords = (value: unknown): string =>
  typeof value === "string" && value.trim() !== "" ? JSON.stringify(cutText(value, 100)) : typeName(value)

/** In YAML `version: 1.10`, `name: 2048` and `name: 1e5` are numbers: their text is taken instead. */
const asWritten = (key: string, value: unknown, front: ReadonlyArray<string>): unknown => {
  if (typeof value !== "number" || (key !== "version" && key !== "name")) return value
  const line = front.find((each) => each.startsWith(`${key}:`))
  return /^[a-z]+:[ \t]*([A-Za-z0-9.+-]+)[ \t]*(?:#.*)?\r?$/.exec(line ?? "")?.[1] ?? value
}
