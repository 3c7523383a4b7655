import { isObject } from "effect/Predicate"
import type { ToolArguments } from "../../domain/ToolCall.ts"
import { parseJson } from "../ParseJson.ts"
import type { CallFragment } from "./ChatChunk.ts"
import * as JsonObjectScanner from "./JsonObjectScanner.ts"

/** A tool call as far as it has arrived. */
export interface CallDraft {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string
  /** The concatenated pieces of the arguments. */
  readonly joined: string
  /** The scan of `joined`: parsing all of it again with each piece would take quadratic time. */
  readonly end: JsonObjectScanner.JsonObjectScanner
  /** The last piece, if each piece so far began with the one before: some servers repeat instead of continuing. */
  readonly newest: string | undefined
  /** Arguments that were sent as a JSON value instead of a string of JSON. */
  readonly value: unknown
}

/**
 * Adds a piece to the calls of a message. Servers differ: they number the calls, number all of them 0, send only ids,
 * or neither; give two calls the same id, or each piece of a call another one; repeat the name with each piece, or the
 * whole call at the end.
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

/** The arguments of a finished call; `cut`: the message ended at the token limit. */
export const toArguments = (call: CallDraft, cut: boolean): ToolArguments => {
  if (call.name === "") return unusable(call.joined, "the call names no tool")
  if (isObject(call.value)) return toParsed(call.value, JSON.stringify(call.value))
  if (call.joined.trim() === "") {
    if (cut) return unusable("", cutOff)
    // Models often call a tool without parameters with no arguments at all.
    return call.value === undefined ? { _tag: "Parsed", value: {} } : unusable(JSON.stringify(call.value), noObject)
  }
  const value = parseJson(call.joined)
  if (isObject(value)) return toParsed(value, call.joined, call.end)
  if (cut) return unusable(call.joined, cutOff)
  const newest = call.newest === undefined ? undefined : parseJson(call.newest)
  if (isObject(newest)) return toParsed(newest, call.newest ?? "")
  return unusable(call.joined, value === undefined ? "the arguments are not valid JSON" : noObject)
}

export type JsonObject = Extract<ToolArguments, { _tag: "Parsed" }>["value"]

export const toParsed = (
  value: JsonObject,
  text: string,
  end = JsonObjectScanner.push(JsonObjectScanner.start, text)
): ToolArguments =>
  end.deepest > maxDepth ? unusable(text, "the arguments are nested too deep") : { _tag: "Parsed", value }

/** Recursive code, as in schemas, runs out of stack at some thousands of levels. */
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

/** The index of the call that a piece belongs to: by its number, else by its id, else the last one; -1: none. */
const placeOf = (calls: ReadonlyArray<CallDraft>, piece: CallFragment): number => {
  if (piece.index !== undefined) return calls.findLastIndex((call) => call.index === piece.index)
  if (piece.id !== undefined) return calls.findLastIndex((call) => call.id === piece.id)
  return calls.length - 1
}

/** True if a piece that seems to belong to `call` is the first of another one. */
const startsAnother = (call: CallDraft, piece: CallFragment, isTool: (name: string) => boolean): boolean => {
  if (piece.name === undefined || call.name === "") return false
  const otherId = piece.id !== undefined && piece.id !== call.id
  if (piece.name !== call.name) return otherId || isTool(call.name) || call.joined !== "" || call.value !== undefined
  if (isWhole(call)) return otherId || !repeats(call, piece)
  return otherId && call.joined !== "" && typeof piece.args === "string" && piece.args.trimStart().startsWith("{")
}

/** True if `call` is whole and the piece adds nothing to it. */
const repeats = (call: CallDraft, piece: CallFragment): boolean => {
  if (!isWhole(call)) return false
  if (typeof piece.args !== "string")
    return piece.args === undefined || piece.args === null || sameJson(call, piece.args)
  return piece.args.trim() === "" || (piece.args.length >= call.joined.length && sameJson(call, parseJson(piece.args)))
}

const sameJson = (call: CallDraft, args: unknown): boolean =>
  JSON.stringify(args) === JSON.stringify(isObject(call.value) ? call.value : parseJson(call.joined))

const isWhole = (call: CallDraft): boolean =>
  isObject(call.value) || (call.end.place === "closed" && isObject(parseJson(call.joined)))

const extend = (call: CallDraft, piece: CallFragment): CallDraft => {
  const args = typeof piece.args === "string" ? piece.args : ""
  const goesOn = call.joined === "" || (call.newest !== undefined && args.startsWith(call.newest))
  return {
    index: call.index ?? piece.index,
    id: call.id ?? piece.id,
    // A name that differs from the one so far is the next part of a name that is sent in pieces.
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
