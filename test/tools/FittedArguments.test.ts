import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { fitted } from "../../src/tools/FittedArguments.ts"
import * as Tool from "../../src/tools/Tool.ts"
import { specOf } from "../../src/tools/ToolSpecs.ts"

const { parameters } = specOf(
  Tool.make({
    name: "test",
    description: "",
    parameters: Schema.Struct({
      text: Schema.String,
      int: Schema.optionalKey(Schema.Int),
      number: Schema.optionalKey(Schema.Number),
      flag: Schema.optionalKey(Schema.Boolean),
      texts: Schema.optionalKey(Schema.Array(Schema.String)),
      ints: Schema.optionalKey(Schema.Array(Schema.Int)),
      headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
      nested: Schema.optionalKey(Schema.Struct({ n: Schema.optionalKey(Schema.Int) })),
      either: Schema.optionalKey(Schema.Union([Schema.Int, Schema.String])),
      nothing: Schema.optionalKey(Schema.NullOr(Schema.Int)),
      any: Schema.optionalKey(Schema.Unknown)
    }),
    reads: true,
    plan: () => undefined as never
  })
)

/** What is sent for a key, and what the schema wants; without it the value stays as it is. */
const rows: ReadonlyArray<readonly [string, sent: unknown, wanted?: unknown]> = [
  ["int", "130", 130],
  ["int", " -5 ", -5],
  ["int", "130.0", 130],
  ["int", "1.5"],
  ["int", "12 lines"],
  ["int", "007"],
  ["int", ""],
  ["int", "9007199254740993"],
  ["int", "true"],
  ["int", "null"],
  ["int", true],
  ["number", "0.5", 0.5],
  ["number", "1e3", 1000],
  ["number", "1e999"],
  ["number", "NaN"],
  ["flag", "true", true],
  ["flag", "False", false],
  ["flag", "yes"],
  ["flag", "1"],
  ["flag", 1],
  ["texts", '["a", "b"]', ["a", "b"]],
  ["texts", "[]", []],
  ["texts", "a.txt"],
  ["texts", "a, b"],
  ["texts", '["a", '],
  ["ints", '["1", 2]', [1, 2]],
  ["ints", ["1", "x"], [1, "x"]],
  ["headers", '{"accept": "text/html"}', { accept: "text/html" }],
  ["headers", "accept: text/html"],
  ["nested", '{"n": "3"}', { n: 3 }],
  ["nested", { n: null }, {}],
  ["text", "130"],
  ["text", "true"],
  ["text", '["a"]'],
  ["text", 130],
  ["either", "130"],
  ["nothing", null],
  ["nothing", "3", 3],
  ["any", "130"],
  ["any", null],
  ["unknown", "130"]
]

describe("FittedArguments", () => {
  it.each(rows.map((row) => ({ row })))("$row.0: $row.1", ({ row: [key, sent, wanted = sent] }) => {
    assert.deepStrictEqual(fitted({ [key]: sent }, parameters), { [key]: wanted })
  })

  it("leaves out null for a key that may be left out, and for no other", () => {
    assert.deepStrictEqual(fitted({ text: null, int: null, flag: null, texts: null }, parameters), { text: null })
  })
})
