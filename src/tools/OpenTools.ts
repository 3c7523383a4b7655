import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import { hideSecrets } from "../config/Secrets.ts"
import type { Settings } from "../config/Settings.ts"
import { type ApprovalRequest, strictest } from "../domain/ApprovalPolicy.ts"
import { traceOf, wordsOf } from "../domain/Failure.ts"
import type { GrantSubject } from "../domain/GrantSubject.ts"
import type { ToolCall, ToolResult, ToolSpec } from "../domain/ToolCall.ts"
import { wireName } from "../domain/Transcript.ts"
import { isProcess } from "../files/PathScope.ts"
import { type Refused, refuse } from "../files/Refused.ts"
import { explain } from "../protocol/Explain.ts"
import { ArgumentSchema } from "./ArgumentSchema.ts"
import { fitted } from "./FittedArguments.ts"
import { type Planned, SessionTools } from "./SessionTools.ts"
import type { ApprovalNeed, CallFeed, NeedSubject, Tool, ToolContext, ToolOutput } from "./Tool.ts"
import { nearestTo, toolNamed } from "./ToolNames.ts"
import { specOf } from "./ToolSpecs.ts"

/** Tools with their descriptions, in the same order. */
export interface DescribedTools {
  readonly tools: ReadonlyArray<Tool>
  /** Always the same array; made when it is first asked for. */
  readonly specs: () => ReadonlyArray<ToolSpec>
}

/** The tools of one session: finds the tool of a call, reads its arguments, plans and runs it without showing a secret. */
export const openTools = (
  settings: Settings,
  described: DescribedTools,
  context: Omit<ToolContext, "call">
): SessionTools["Service"] => {
  const { toolTimeoutMs } = settings.agent
  const hide = hideSecrets(settings)
  /** A defect's message may quote what the tool has read. */
  const hiddenDefects = Effect.catchDefect((defect) => Effect.die(withoutSecrets(defect, hide)))
  /** What a call tells beside its result has no secret in it either. */
  const hidden =
    (emit: CallFeed["emit"]): CallFeed["emit"] =>
    (event) =>
      emit(
        event.type === "tool_output"
          ? { ...event, payload: { ...event.payload, text: hide(event.payload.text) } }
          : event
      )
  const tools = new Map(described.tools.map((tool) => [tool.name, tool]))

  const understand = (call: ToolCall): ToolCall => {
    const name = toolNamed(call.tool, [...tools.keys()]) ?? call.tool
    const tool = tools.get(name)
    const { args } = call
    if (tool === undefined || args._tag === "Unusable" || accepts(tool, args.value)) return { ...call, tool: name }
    const { parameters } = described.specs().find((spec) => spec.name === name) ?? specOf(tool)
    const value = fitted(args.value, parameters)
    return { ...call, tool: name, args: isObject(value) ? { _tag: "Parsed", value } : args }
  }

  const plan = Effect.fnUntraced(function* (
    { args, callId, tool: name }: ToolCall,
    { emit }: Pick<CallFeed, "emit">
  ): Effect.fn.Return<Planned> {
    const tool = tools.get(name)
    if (tool === undefined) return refused(hide(unknown(name, [...tools.keys()])))
    if (args._tag === "Unusable") {
      return refused(hide(`The arguments of ${wireName(name)} could not be read (${args.why}). ${expected(tool)}`))
    }
    const read = readArguments(tool, args.value)
    if ("fault" in read) return refused(hide(`${wireName(name)}: ${read.fault}. ${expected(tool)}`))
    const limit = tool.timeoutMs === undefined ? toolTimeoutMs : tool.timeoutMs
    const planned = yield* Effect.result(
      hiddenDefects(within(tool.plan(read.value, { ...context, call: { callId, emit: hidden(emit) } }), limit))
    )
    if (planned._tag === "Failure") return refused(hide(planned.failure.message))
    const { need, run } = planned.success
    const result = Effect.match(hiddenDefects(within(run, limit)), {
      onFailure: asResult,
      onSuccess: toResult
    }).pipe(Effect.map((made) => withoutSecretPaths({ ...made, summary: hide(made.summary) }, hide)))
    return { _tag: "Ready", ...(need === undefined ? {} : { need: requestOf(need, hide) }), run: result }
  })

  return SessionTools.of({
    get specs() {
      return described.specs()
    },
    understand,
    reads: (name) => tools.get(name)?.reads ?? true,
    mayRepeat: (name) => tools.get(name)?.mayRepeat ?? false,
    plan,
    endBackground: context.background.endBackground
  })
}

/** The request for approval of a need, without secrets: a diff also shows lines that do not change. */
const requestOf = (need: ApprovalNeed, hide: (text: string) => string): ApprovalRequest => ({
  category: strictest(need.categories),
  reason: hide(need.reason),
  ...(need.preview === undefined ? {} : { preview: hide(need.preview) }),
  affectedResources: need.affectedResources.map(hide),
  ...subjectOf(need, hide)
})

/** The result; one that hands over a path with a secret in it is an error, since the host would be shown it. */
const withoutSecretPaths = (result: ToolResult, hide: (text: string) => string): ToolResult => {
  const path = result.attachments?.find((each) => hide(each) !== each)
  return path === undefined
    ? result
    : { status: "error", summary: `${hide(path)}: a path with a secret in it is not handed over`, truncated: false }
}

/**
 * What grants are compared with. What changes the agent's own rules, belongs to a process or holds a secret has none: it is always
 * asked about.
 */
const subjectOf = (need: ApprovalNeed, hide: (text: string) => string): { readonly subject?: GrantSubject } => {
  const { affectedResources: paths, subject: given } = need
  if (given === undefined || need.categories.some((category) => category === "trust_config")) return {}
  const subject: GrantSubject = isOfPaths(given) ? { kind: given.kind, paths } : given
  if (isOfPaths(given) && paths.some((path) => isProcess(path, process.platform))) return {}
  const text = JSON.stringify(subject)
  return hide(text) === text ? { subject } : {}
}

const isOfPaths = (subject: NeedSubject): subject is { readonly kind: "read" | "write" } =>
  subject.kind === "read" || subject.kind === "write"

/** The same defect if it has no secret in its message, its stack or its causes. */
const withoutSecrets = (defect: unknown, hide: (text: string) => string): unknown => {
  const trace = traceOf(Cause.die(defect))
  const message = wordsOf(defect)
  if (hide(trace) === trace && hide(message) === message) return defect
  return Object.assign(new Error(hide(message)), { stack: hide(trace) })
}

const refused = (why: string): Planned => ({ _tag: "Refused", why })

/** The arguments as the tool takes them, or what is wrong with them, and where. */
const readArguments = ({ parameters }: Tool, args: unknown): { readonly value: any } | { readonly fault: string } => {
  if (parameters instanceof ArgumentSchema) {
    const fault = parameters.faultOf(args)
    return fault === undefined ? { value: args } : { fault: fault.replace(/^[.:] ?/, "") }
  }
  const decoded = SchemaParser.decodeUnknownResult(parameters)(args)
  return decoded._tag === "Success" ? { value: decoded.success } : { fault: explain(decoded.failure, args, "") }
}

const accepts = (tool: Tool, args: unknown): boolean => "value" in readArguments(tool, args)

/** What the model is told of a tool that there is not, in the names that it was offered. */
const unknown = (name: string, offered: ReadonlyArray<string>): string =>
  `There is no tool ${JSON.stringify(name)}. The nearest names are: ${nearestTo(name, offered).map(wireName).join(", ")}.`

/** `Expected: {"path": string, "depth"?: integer}`. */
const expected = (tool: Tool): string => {
  const { properties, required } = specOf(tool).parameters
  const needed = Array.isArray(required) ? required : []
  const keys = Object.entries(isObject(properties) ? properties : {}).map(([key, schema]) => {
    const type = isObject(schema) && "type" in schema ? String(schema.type) : "value"
    return `"${key}"${needed.includes(key) ? "" : "?"}: ${type}`
  })
  return `Expected a JSON object: {${keys.join(", ")}}.`
}

const within = <A>(effect: Effect.Effect<A, Refused>, limitMs: number | null): Effect.Effect<A, Refused> =>
  limitMs === null
    ? effect
    : Effect.timeoutOrElse(effect, {
        duration: limitMs,
        orElse: () => Effect.fail(refuse(`timed out after ${limitMs} ms`))
      })

const asResult = ({ message }: Refused): ToolResult => ({ status: "error", summary: message, truncated: false })

const toResult = ({ attachments, isError, loadedSkill, text, truncated }: ToolOutput): ToolResult => ({
  status: isError === true ? "error" : "ok",
  summary: text,
  truncated: truncated ?? false,
  ...(attachments === undefined ? {} : { attachments }),
  ...(loadedSkill === undefined ? {} : { loadedSkill })
})
