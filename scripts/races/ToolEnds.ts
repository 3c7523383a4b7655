import * as Effect from "effect/Effect"
import { ToolFailure } from "../../src/tools/Tool.ts"

/** How a gated tool ends. */
export const toolEnds = {
  finish: Effect.succeed({ text: "ok" }),
  fail: Effect.fail(new ToolFailure({ detail: "it did not work" })),
  die: Effect.die(new Error("a bug in a tool"))
}
