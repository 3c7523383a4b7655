import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { isObject } from "effect/Predicate"
import { readFileSync } from "node:fs"
import { scriptUrl } from "../../config/ScriptUrl.ts"
import type { ToolArguments } from "../../domain/ToolCall.ts"
import { demoScript } from "./DemoScript.ts"
import type { ModelEvent, ModelRequest } from "../LlamaClient.ts"
import { LlamaClient } from "../LlamaClient.ts"
import { fromKind, type LlamaError } from "../LlamaError.ts"
import { parseJson } from "../ParseJson.ts"
import type { Script, ScriptStep } from "./Script.ts"
import { parse, ScriptError, stepAt } from "./Script.ts"
import { sizeOf } from "../prompt/Trimming.ts"
import { systemCode } from "../../domain/SystemError.ts"

/** A model that plays the {@link Script} in the file at `path`; without a path, the built-in one. */
export const layer = (path: string | undefined): Layer.Layer<LlamaClient, ScriptError> =>
  path === undefined
    ? fromScript(demoScript)
    : Layer.unwrap(Effect.map(read(path), (script) => fromScript(script, path)))

/** A model that plays a script; `path` is where it is from, for display. */
export const fromScript = (script: Script, path?: string): Layer.Layer<LlamaClient> => {
  const url = scriptUrl(path)
  return Layer.succeed(
    LlamaClient,
    LlamaClient.of({
      url,
      slotId: -1,
      stream: (request) => play(stepAt(script, messagesIn(request), request.stepIndex), request),
      probe: Effect.succeed({
        state: "ready",
        url,
        model: script.model ?? "scripted",
        contextTokens: script.contextTokens ?? defaultContext
      }),
      window: () => Effect.succeed(script.contextTokens ?? defaultContext)
    })
  )
}

const defaultContext = 32768

const read = (path: string): Effect.Effect<Script, ScriptError> =>
  Effect.suspend(() => {
    let text: string
    try {
      text = readFileSync(path, "utf8")
    } catch (error) {
      const why = `expected a script that can be read, as localModels.script in config.json names it, got ${systemCode(error)}`
      return Effect.fail(ScriptError.make({ path, why }))
    }
    const parsed = parse(text)
    return "why" in parsed ? Effect.fail(ScriptError.make({ path, why: parsed.why })) : Effect.succeed(parsed.script)
  })

/** Plays one step. Without a delay its pieces are there at once, and the reader still pulls them one by one. */
export const play = (step: ScriptStep, request: ModelRequest): Stream.Stream<ModelEvent, LlamaError> => {
  const pieces = deltas(step)
  const paced =
    step.delayMs === undefined || step.delayMs === 0
      ? Stream.fromArray(pieces)
      : Stream.mapEffect(Stream.fromArray(pieces), (event) => Effect.delay(Effect.succeed(event), step.delayMs ?? 0))
  return Stream.concat(Stream.concat(before(step), paced), after(step, pieces.length, request))
}

const before = (step: ScriptStep): Stream.Stream<ModelEvent> => {
  const loading = Stream.concat(
    Stream.succeed<ModelEvent>({ _tag: "Loading" }),
    Stream.drain(Stream.fromEffect(Effect.sleep(step.loadingMs ?? 0)))
  )
  const prefill = (step.prefill ?? []).map(({ processed, total, cached }): ModelEvent => ({
    _tag: "Prefill",
    processed,
    total,
    cached: cached ?? 0
  }))
  return step.loadingMs === undefined ? Stream.fromArray(prefill) : Stream.concat(loading, Stream.fromArray(prefill))
}

const deltas = (step: ScriptStep): ReadonlyArray<ModelEvent> => {
  const reasoning = step.reasoning === undefined ? [] : cut(step.reasoning, step.chunkSize)
  const text = step.chunks ?? (step.text === undefined ? [] : cut(step.text, step.chunkSize))
  return [
    ...reasoning.map((piece): ModelEvent => ({ _tag: "Reasoning", text: piece })),
    ...Array.from({ length: step.repeat ?? 1 }, () => text).flatMap((pieces) =>
      pieces.map((piece): ModelEvent => ({ _tag: "Text", text: piece }))
    )
  ]
}

const after = (step: ScriptStep, pieces: number, request: ModelRequest): Stream.Stream<ModelEvent, LlamaError> => {
  if (step.hang === true) return Stream.never
  if (step.failure !== undefined) return Stream.fail(failureOf(step.failure))
  const calls = (step.toolCalls ?? []).map((call) => ({ name: call.name, args: argumentsOf(call.arguments ?? {}) }))
  return Stream.succeed({
    _tag: "Finished",
    reason: step.finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
    calls,
    usage: step.usage === undefined ? estimate(request, pieces) : { cachedTokens: 0, ...step.usage }
  })
}

/** Cuts a text into pieces of `size` code points, or of about a word and at most eight code points. */
const cut = (text: string, size: number | undefined): ReadonlyArray<string> =>
  (size === undefined ? text.match(/\s*[^\s]{1,8}|\s+$/gu) : text.match(new RegExp(`[^]{1,${size}}`, "gu"))) ?? []

const argumentsOf = (args: string | { readonly [key: string]: unknown }): ToolArguments => {
  if (typeof args !== "string") return { _tag: "Parsed", value: args }
  const value = parseJson(args)
  if (isObject(value)) return { _tag: "Parsed", value }
  return {
    _tag: "Unusable",
    raw: args,
    why: `the arguments are not ${value === undefined ? "valid JSON" : "a JSON object"}`
  }
}

/** Estimates usage at four bytes a token. All but the newest entry counts as cached, as on a real server. */
const estimate = (request: ModelRequest, completionTokens: number) => {
  const sizes = request.history.map(sizeOf)
  const all = request.system.length + sizes.reduce((sum, size) => sum + size, 0)
  const old = request.history.length > 1 ? all - (sizes.at(-1) ?? 0) : 0
  return { promptTokens: Math.ceil(all / 4), cachedTokens: Math.floor(old / 4), completionTokens }
}

/** The messages of the turns so far, without what those were steered with. */
const messagesIn = ({ history }: ModelRequest): ReadonlyArray<string> =>
  history.flatMap((entry) => (entry.kind === "user" && entry.steered !== true ? [entry.text] : []))

const failureOf = ({ kind, message, ...fields }: NonNullable<ScriptStep["failure"]>): LlamaError =>
  fromKind(kind, { ...fields, detail: message ?? `the script says ${kind}` })
