import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import type { ToolArguments } from "../../domain/ToolCall.ts"
import * as LooseJson from "./LooseJson.ts"
import * as ToolCallAssembler from "./ToolCallAssembler.ts"

/**
 * Arguments that are no JSON object, as the object that they clearly mean (contract 6): encoded twice, in a code fence, or
 * with faults of spelling which leave every key and value as it is. Else the same arguments, and why they cannot be read.
 * Not for the arguments of an answer that was cut: some servers do not say so of a call, so that a bracket at the end is
 * added only where `isHarmless` says that no harm is done by a call that lacks its last keys.
 */
export const repaired = (args: ToolArguments, isHarmless: boolean): Effect.Effect<ToolArguments> =>
  args._tag === "Parsed" ? Effect.succeed(args) : Effect.promise(() => repairedText(args, isHarmless))

const repairedText = async (
  args: Extract<ToolArguments, { _tag: "Unusable" }>,
  isHarmless: boolean
): Promise<ToolArguments> => {
  if (args.raw.length > maxLength) return args
  const text = args.raw.trim().replace(/^```\w*\s*([^]*?)\s*```$/, "$1")
  const known = decoded(text)
  if (known !== undefined) return known.text === args.raw ? args : toArguments(known)
  const read = LooseJson.read(text)
  if ("why" in read) return { ...args, why: `${args.why}: ${read.why}` }
  if (LooseJson.lacksEnd(read.pieces) && (!isHarmless || text.endsWith(","))) {
    return { ...args, why: `${args.why}: a bracket is not closed` }
  }
  if (read.pieces.length > maxPieces) return args
  const { jsonrepair } = await import("jsonrepair")
  const json = attempt(() => jsonrepair(text))
  const result = json === undefined ? undefined : LooseJson.read(json)
  if (json === undefined || result === undefined || "why" in result) return args
  const object = decoded(json)
  return object !== undefined && LooseJson.saysTheSame(read.pieces, result.pieces) ? toArguments(object) : args
}

/** In characters. */
const maxLength = 1_000_000

/** The time that a repair takes grows with the square of the pieces: it is 50 s for 100,000. */
const maxPieces = 500

interface JsonText {
  readonly text: string
  readonly value: { readonly [key: PropertyKey]: unknown }
}

/** The object of a JSON text, or of one that is encoded again as a string; the quotes of that may be missing. */
const decoded = (text: string): JsonText | undefined => {
  const value = parse(text)
  if (isObject(value)) return { text, value }
  // Where there are other escapes it cannot be told how often they are encoded.
  const inside = typeof value === "string" ? value : /^(?:[^\\]|\\")*$/.test(text) ? text.replaceAll('\\"', '"') : text
  const object = inside === text ? undefined : parse(inside)
  return isObject(object) ? { text: inside, value: object } : undefined
}

const toArguments = ({ text, value }: JsonText): ToolArguments => ToolCallAssembler.toParsed(value, text)

const attempt = <A>(work: () => A): A | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

const parse = (text: string): unknown => attempt(() => JSON.parse(text) as unknown)
