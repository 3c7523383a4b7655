import type { Usage } from "../../llama/LlamaClient.ts"
import type { ModelAnswer } from "./ModelStep.ts"
import { StepFailure } from "./TurnOutcome.ts"

/** The failure of a step whose answer says nothing. */
export const emptyAnswer = ({ reason }: ModelAnswer) =>
  new StepFailure({
    category: "model",
    detail:
      reason === "length"
        ? "the model was cut off by the length limit before it said anything usable"
        : "the model gave an empty answer"
  })

export const nothingUsable = "the model asked twice in a row for nothing but tool calls that cannot be read"

/** The closing reply of a turn whose steps are used up, where the model has none. */
export const outOfSteps = (steps: number): string =>
  `I stopped after ${steps} ${steps === 1 ? "step" : "steps"}, the limit of this turn, before the work was done. Send another message and I will continue.`

/** The tokens of a turn with those of one more step. */
export const sumOf = (before: Usage | undefined, step: Usage): Usage => ({
  promptTokens: (before?.promptTokens ?? 0) + step.promptTokens,
  cachedTokens: (before?.cachedTokens ?? 0) + step.cachedTokens,
  completionTokens: (before?.completionTokens ?? 0) + step.completionTokens
})
