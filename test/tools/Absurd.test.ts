import * as NodePath from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { Toolbox } from "../../src/tools/Toolbox.ts"
import { plan, plant, temporaryDirectory, toolbox } from "./fixture.ts"

const tools = [
  "fs.list",
  "fs.read",
  "fs.write",
  "fs.edit",
  "fs.glob",
  "fs.grep",
  "shell.run",
  "http.request",
  "attach",
  "finish"
]

const strings = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    "",
    ".",
    "..",
    "/",
    "//",
    "~",
    "\0",
    "a\0b",
    "\u2028",
    "file",
    "dir",
    "CON",
    "C:\\x",
    "\\\\?\\x",
    "-rf",
    "--",
    "$(x)"
  ),
  fc.constantFrom(
    "x".repeat(5000),
    "../".repeat(2000),
    "(".repeat(3000),
    "(a{1,999}){1,999}",
    "{a,b}".repeat(500),
    "**/".repeat(500),
    "[".repeat(1000)
  )
)

const values = fc.oneof(
  strings,
  fc.constantFrom(0, -1, 1, 1.5, 1e21, -1e15, Number.MAX_SAFE_INTEGER, null, true, false),
  fc.array(strings, { maxLength: 3 }),
  fc.dictionary(strings, strings, { maxKeys: 3 })
)

const keys =
  "path paths content oldText newText replaceAll pattern glob ignoreCase context depth limit offset command cwd timeoutMs url method headers body summary __proto__ constructor".split(
    " "
  )

/** The right keys of a tool, with values of all kinds. */
const argumentsOf = (properties: ReadonlyArray<string>) =>
  fc.oneof(
    fc.record(Object.fromEntries(properties.map((key) => [key, values]))),
    fc.record(Object.fromEntries(properties.map((key) => [key, strings])), { requiredKeys: [] }),
    fc.dictionary(fc.constantFrom(...keys), values)
  )

describe("any tool, given anything", () => {
  it.effect.each(tools)("%s is planned or refused, and reads at most what it may", (tool) =>
    Effect.gen(function* () {
      const root = yield* temporaryDirectory
      plant(root, { "ws/file": "text\n", "ws/dir/file": "more text\n", outside: "" })
      const { reads, specs } = yield* Toolbox
      const properties = Object.keys(specs.find(({ name }) => name === tool)?.parameters["properties"] ?? {})
      assert.isNotEmpty(properties)
      for (const args of fc.sample(argumentsOf(properties), { numRuns: 150, seed: 7 })) {
        const planned = yield* plan(tool, args, NodePath.join(root, "ws"))
        if (planned._tag === "Refused") assert.isNotEmpty(planned.why)
        // What changes something, or lies outside, is looked at but not done.
        else if (planned.need === undefined && (reads(tool) || tool === "finish")) {
          const { summary } = yield* planned.run
          assert.isBelow(summary.length, 100_000)
        }
      }
    }).pipe(Effect.scoped, Effect.provide(toolbox()))
  )
})
