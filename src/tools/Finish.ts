import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { NotBlank } from "../protocol/Checks.ts"
import * as Tool from "./Tool.ts"

/** Returns its summary. The turn ends with it as the closing reply (contract 6). */
export const finish = Tool.make({
  name: "finish",
  description: "End the turn when the task is done; summary is the closing answer to the user.",
  parameters: Schema.Struct({
    summary: NotBlank.annotateKey({ documentation: "The closing answer, not blank" })
  }),
  reads: false,
  plan: ({ summary }) => Effect.succeed({ run: Effect.succeed({ text: summary }) })
})
