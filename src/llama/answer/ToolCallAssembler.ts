import { isObject } from "effect/Predicate"
import type { ToolArguments } from "../../domain/ToolCall.ts"
import type { CallFragment } from "./ChatChunk.ts"
import * as JsonObjectScanner from "./JsonObjectScanner.ts"

/** A tool call as far as it has come. */
export interface CallDraft {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string
  /** All pieces of the arguments, one after the other. */
  readonly joined: string
  /** Where they stand: to read all of them with each piece would take longer and longer. */
  readonly end: JsonObjectScanner.JsonObjectScanner
  /** The newest piece, as long as each piece began with the one before: some servers repeat instead of going on. */
  readonly newest: string | undefined
  /** Arguments that came as a value and not as text. */
  readonly value: unknown
}

/**
 * Adds a piece to the calls of a message. Servers number their calls, or number all of them 0, or only give ids, or
 * neither; give two calls one id, or each piece of a call another; repeat the name with each piece, or everything at
 * the end.
 */
export const join = (
  calls: ReadonlyArray<CallDraft>,
  piece: CallFragment,
  isTool: (name: string) => boolean
): ReadonlyArray<CallDraft> => {
  const at = placeOf(calls, piece)
  const call = calls[at]
  if (call === undefined || startsAnother(call, piece, isTool)) return [...calls, extend(empty, piece)]
  return repeats(call, piece) ? calls : calls.with(at, extend(call, piece))
}

/** What a finished call's arguments are; `cut`: the message ended at the token limit. */
export const toArguments = (call: CallDraft, cut: boolean): ToolArguments => {
  if (call.name === "") return unusable(call.joined, "the call names no tool")
  if (isObject(call.value)) return toParsed(call.value, JSON.stringify(call.value))
  if (call.joined.trim() === "") {
    if (cut) return unusable("", cutOff)
    // A tool without parameters is often called without arguments.
    return call.value === undefined ? { _tag: "Parsed", value: {} } : unusable(JSON.stringify(call.value), noObject)
  }
  const value = parse(call.joined)
  if (isObject(value)) return toParsed(value, call.joined, call.end)
  if (cut) return unusable(call.joined, cutOff)
  const newest = call.newest === undefined ? undefined : parse(call.newest)
  if (isObject(newest)) return toParsed(newest, call.newest ?? "")
  return unusable(call.joined, value === undefined ? "the arguments are not valid JSON" : noObject)
}

type JsonObject = Extract<ToolArguments, { _tag: "Parsed" }>["value"]

const toParsed = (
  value: JsonObject,
  text: string,
  end = JsonObjectScanner.push(JsonObjectScanner.start, text)
): ToolArguments =>
  end.deepest > maxDepth ? unusable(text, "the arguments are nested too deep") : { _tag: "Parsed", value }

/** What goes through a value level by level, as schemas do, runs out of stack at some thousands. */
const maxDepth = 200

const cutOff = "the arguments were cut off by the length limit"
const noObject = "the arguments are not a JSON object"

const unusable = (raw: string, why: string): ToolArguments => ({ _tag: "Unusable", raw, why })

const empty: CallDraft = {
  index: undefined,
  id: undefined,
  name: "",
  joined: "",
  end: JsonObjectScanner.start,
  newest: undefined,
  value: undefined
}

/** The call that a piece belongs to by its number, else its id, else by coming last; -1: by none of them. */
const placeOf = (calls: ReadonlyArray<CallDraft>, piece: CallFragment): number => {
  if (piece.index !== undefined) return calls.findLastIndex((call) => call.index === piece.index)
  if (piece.id !== undefined) return calls.findLastIndex((call) => call.id === piece.id)
  return calls.length - 1
}

/** Whether a piece that seems to belong to `call` is the first of another one. */
const startsAnother = (call: CallDraft, piece: CallFragment, isTool: (name: string) => boolean): boolean => {
  if (piece.name === undefined || call.name === "") return false
  const otherId = piece.id !== undefined && piece.id !== call.id
  if (piece.name !== call.name) return otherId || isTool(call.name) || call.joined !== "" || call.value !== undefined
  if (isWhole(call)) return otherId || !repeats(call, piece)
  return otherId && call.joined !== "" && typeof piece.args === "string" && piece.args.trimStart().startsWith("{")
}

/** Whether a piece says nothing that a whole call does not hold already. */
const repeats = (call: CallDraft, piece: CallFragment): boolean => {
  if (!isWhole(call)) return false
  if (typeof piece.args !== "string")
    return piece.args === undefined || piece.args === null || sameJson(call, piece.args)
  return piece.args.trim() === "" || (piece.args.length >= call.joined.length && sameJson(call, parse(piece.args)))
}

const sameJson = (call: CallDraft, args: unknown): boolean =>
  JSON.stringify(args) === JSON.stringify(isObject(call.value) ? call.value : parse(call.joined))

const isWhole = (call: CallDraft): boolean =>
  isObject(call.value) || (call.end.place === "closed" && isObject(parse(call.joined)))

const extend = (call: CallDraft, piece: CallFragment): CallDraft => {
  const args = typeof piece.args === "string" ? piece.args : ""
  const goesOn = call.joined === "" || (call.newest !== undefined && args.startsWith(call.newest))
  return {
    index: call.index ?? piece.index,
    id: call.id ?? piece.id,
    // A name that is not the same again is the rest of one that came in pieces.
    name: piece.name === undefined || piece.name === call.name ? call.name : call.name + piece.name,
    joined: call.joined + args,
    end: JsonObjectScanner.push(call.end, args),
    newest: args === "" ? call.newest : goesOn ? args : undefined,
    value:
      typeof piece.args === "string"
        ? call.value
        : (piece.args ?? call.value ?? (piece.args === null ? null : undefined))
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
