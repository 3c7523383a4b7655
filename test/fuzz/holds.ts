import * as fc from "fast-check"

/** Inputs that each property is tried with; `npm run fuzz` sets it. */
const runs = Number(process.env["FUZZ_RUNS"] ?? 300)
/** The same inputs each time, unless it is said otherwise. */
const seed = Number(process.env["FUZZ_SEED"] ?? 7)

/** Longer than any number of inputs takes: a hang is a failure. */
export const patience = 60_000 + runs * 20

/** Tries a property; a failure tells the smallest input, and the seed and path that show it again. */
export const holds = <A>(inputs: fc.Arbitrary<A>, property: (input: A) => void): void =>
  fc.assert(
    fc.property(inputs, (input) => property(input)),
    { numRuns: runs, seed }
  )

/** The input in reads of the given sizes, over and over. */
export const cut = (input: Uint8Array, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const reads: Array<Uint8Array> = []
  for (let at = 0; at < input.length; at += reads.at(-1)!.length) {
    reads.push(input.subarray(at, at + sizes[reads.length % sizes.length]!))
  }
  return reads
}

export const sizes = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 })), { minLength: 1, maxLength: 6 })

/** Any text, and often one of the characters that mean something somewhere. */
export const text = fc.string({
  unit: fc.oneof(
    { weight: 2, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.constantFrom(..."{}[]:,\"'\\#-=@ \t\r\n\0\u2028\u2029\u0085\uFEFF\uD83D\uDE00é日a1") }
  ),
  maxLength: 60
})

/** Any JSON, with keys that a prototype has too. */
export const json = fc.letrec<{ readonly value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.double(), text),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(text, fc.constantFrom("__proto__", "constructor", "toString")), tie("value")), {
        maxLength: 4
      })
      .map((entries) =>
        JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`)
      )
  )
})).value
