import * as Schema from "effect/Schema"

/** A text with something in it that is not white space. */
export const NotBlank = Schema.String.check(
  Schema.makeFilter((text) => text.trim() !== "", { expected: "a string that is not blank" })
)

/** An integer ≥ 1. */
export const AtLeastOne = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1, { expected: "an integer ≥ 1" }))

/** An integer ≥ 0. */
export const AtLeastZero = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0, { expected: "an integer ≥ 0" }))

/** A session's title. Lengths are in UTF-16 units. */
export const TitleText = Schema.String.check(
  Schema.isMaxLength(1000, { expected: "a string of at most 1000 characters" })
)
