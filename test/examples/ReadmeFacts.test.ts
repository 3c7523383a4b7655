import * as Fs from "node:fs"
import * as Path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import { ConfigFile } from "../../src/config/ConfigFile.ts"
import { root } from "../support/Bin.ts"
import { toolbox, toolsIn } from "../tools/fixture.ts"
import { documentAt } from "./Documents.ts"

const sources = (pattern: string): string =>
  Fs.globSync(pattern, { cwd: root })
    .map((path) => Fs.readFileSync(Path.join(root, path), "utf8"))
    .join("\n")

/** The paths of a schema's keys that hold a value, with dots. */
const leaves = (ast: unknown, path = ""): ReadonlyArray<string> => {
  if (!isObject(ast) || ast["_tag"] !== "Objects") return [path]
  const signatures = ast["propertySignatures"] as ReadonlyArray<{ readonly name: PropertyKey; readonly type: unknown }>
  return signatures.flatMap(({ name, type }) => leaves(type, path === "" ? String(name) : `${path}.${String(name)}`))
}

const missing = (text: string, names: Iterable<string>): ReadonlyArray<string> =>
  [...names].filter((name) => !text.includes(`\`${name}\``))

const sectionOf = (document: string, heading: string): string => {
  const [, section] = new RegExp(`\n## ${heading}\n([^]*?)(?:\n## |$)`).exec(documentAt(document)) ?? []
  if (section === undefined) throw new Error(`${document} has no section ${heading}`)
  return section
}

describe("the documents name", () => {
  it("every key of config.json", () => {
    const keys = leaves(ConfigFile.ast)
    assert.include(keys, "agent.approvalRequired")
    assert.deepStrictEqual(missing(documentAt("docs/configuration.md"), keys), [])
  })

  it("every variable, spelled out", () => {
    const names = new Set(sources("src/config/*.ts").match(/\b(ATOMIC_AGENT|OTEL)_[A-Z_]+[A-Z]\b/g))
    assert.isAbove(names.size, 20)
    assert.deepStrictEqual(missing(documentAt("docs/configuration.md"), names), [])
    assert.notMatch(documentAt("docs/configuration.md"), /`_/)
  })

  it("every metric", () => {
    const names = [...sources("src/session/**/*.ts").matchAll(/\bmetric\("([\w.]+)"/g)].map(([, name = ""]) => name)
    assert.isAtLeast(names.length, 5)
    assert.deepStrictEqual(missing(sectionOf("docs/configuration.md", "Metrics"), names), [])
  })

  it("every field of a session's state and of its records", () => {
    const { definitions } = JSON.parse(sources("docs/protocol.schema.json"))
    const records: ReadonlyArray<string> = Object.keys(definitions).filter(
      (name) => /.Record$/.test(name) && "properties" in definitions[name]
    )
    assert.strictEqual(records.length, 4)
    const fields = ["SessionState", ...records].flatMap((name) =>
      Object.keys(definitions[name].properties).flatMap((key) => [key, `${key}?`].slice(0, 1))
    )
    const section = sectionOf("docs/runtime.md", "SessionState").replaceAll("?`", "`")
    assert.deepStrictEqual(missing(section, fields), [])
  })

  it.effect("every tool with its arguments", () =>
    Effect.gen(function* () {
      const { specs } = yield* toolsIn("/")
      const section = sectionOf("docs/runtime.md", "Tools").replaceAll("?`", "`")
      for (const { name, parameters } of specs) {
        const args = Object.keys(isObject(parameters["properties"]) ? parameters["properties"] : {})
        assert.deepStrictEqual(missing(section, [name, ...args]), [], name)
      }
    }).pipe(Effect.provide(toolbox()))
  )

  it.effect("every tool in the README, and no other", () =>
    Effect.gen(function* () {
      const { specs } = yield* toolsIn("/")
      const [, list = ""] = /^The model has ([^:]*):/m.exec(sectionOf("README.md", "Tools")) ?? []
      const named = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name)
      assert.sameMembers(
        named,
        specs.map(({ name }) => name)
      )
    }).pipe(Effect.provide(toolbox()))
  )

  it("every folder of src, and no other", () => {
    const section = sectionOf("docs/architecture.md", "The folders of `src`")
    const named = [...section.matchAll(/^\| `(\w+)\/` \|/gm)].map(([, name]) => name)
    const folders = Fs.readdirSync(Path.join(root, "src"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory()
    )
    assert.deepStrictEqual(named.toSorted(), folders.map(({ name }) => name).toSorted())
  })
})
