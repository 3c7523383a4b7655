import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Tool, Toolbox } from "../../src/index.ts"
import { ToolConformance } from "../../src/testing/index.ts"

const mail = Tool.make({
  name: "app.mail",
  description: "Send a mail.",
  parameters: Schema.Struct({ to: Schema.String, text: Schema.String }),
  reads: false,
  plan: ({ text, to }) =>
    Effect.succeed({
      need: { categories: ["other"], reason: `write to ${to}`, preview: text, affectedResources: [`mailto:${to}`] },
      run: Effect.succeed({ text: "sent" })
    })
})

it.effect("asks before it sends a mail", () =>
  Effect.gen(function* () {
    const violations = yield* ToolConformance.check({
      toolbox: Toolbox.layerWith([mail]),
      cases: { "app.mail": [{ args: { to: "ann@example.org", text: "Hello" }, acts: ["other"] }] }
    })
    assert.deepStrictEqual(violations, [])
  })
)
