import * as fc from "fast-check"

const strings = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", ".", "..", "/", "~", "\0", "a\0b", "\u2028", "old.txt", "dir", "-rf", "--", "$(x)"),
  fc.constantFrom("x".repeat(5000), "../".repeat(2000), "(".repeat(3000), "(a{1,999}){1,999}", "**/".repeat(500))
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

const argumentsOf = (names: ReadonlyArray<string>) =>
  fc.oneof(
    fc.record(Object.fromEntries(names.map((name) => [name, values]))),
    fc.record(Object.fromEntries(names.map((name) => [name, strings])), { requiredKeys: [] }),
    fc.dictionary(fc.constantFrom(...keys), values)
  )

/** Random values of all kinds for the arguments of a tool, right names and others; the same ones every time. */
export const absurd = (names: ReadonlyArray<string>) => fc.sample(argumentsOf(names), { numRuns: 150, seed: 7 })
