import * as Effect from "effect/Effect"
import { Refused } from "../../src/files/Refused.ts"

/** How a gated tool ends. */
export const toolEnds = {
  finish: Effect.succeed({ text: "ok" }),
  fail: Effect.fail(new Refused({ detail: "it did not work" })),
  die: Effect.die(new Error("a bug in a tool"))
}
