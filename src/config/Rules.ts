import * as Schema from "effect/Schema"

/** The longest time of a timer, in milliseconds: one with a longer time fires at once. */
const longest = 2_147_483_647
const largest = 256 * 1024 * 1024

const number = (expected: string, fits: (value: number) => boolean) =>
  Schema.Number.check(Schema.makeFilter(fits, { expected }))

export const integerFrom = (minimum: number) =>
  number(`an integer ≥ ${minimum}`, (value) => Number.isSafeInteger(value) && value >= minimum)

export const integerBetween = (minimum: number, maximum: number) =>
  number(
    `an integer from ${minimum} to ${maximum}`,
    (value) => Number.isInteger(value) && value >= minimum && value <= maximum
  )

export const numberFrom = (minimum: number) =>
  number(`a number ≥ ${minimum}`, (value) => Number.isFinite(value) && value >= minimum)

export const numberBetween = (minimum: number, maximum: number) =>
  number(`a number from ${minimum} to ${maximum}`, (value) => value >= minimum && value <= maximum)

export const milliseconds = integerBetween(1, longest)
export const bytes = integerBetween(1, largest)

export const url = Schema.String.check(
  Schema.makeFilter((text) => isServerUrl(text.trim()), {
    expected: "an http or https URL without user name, password, query and fragment"
  })
)

const isServerUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return /^https?:$/.test(protocol) && username + password + search + hash === ""
}

/** A server's URL without a trailing `/` or `/v1`, so that paths can be appended to it. */
export const baseUrl = (text: string): string => {
  const { origin, pathname } = new URL(text.trim())
  return origin + pathname.replace(/\/+$/, "").replace(/\/v1$/, "").replace(/\/+$/, "")
}

/** A text that can be put into an HTTP header as it is. */
export const token = Schema.String.check(
  Schema.makeFilter((text) => /^[\x21-\x7e]+$/.test(text), { expected: "visible ASCII characters only" })
)
