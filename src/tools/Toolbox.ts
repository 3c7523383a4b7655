import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isObject } from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import type * as Scope from "effect/Scope"
import { Config } from "../config/Config.ts"
import { type ApprovalRequest, strictest } from "../domain/ApprovalPolicy.ts"
import { traceOf, wordsOf } from "../domain/Failure.ts"
import type { ToolCall, ToolResult, ToolSpec } from "../domain/ToolCall.ts"
import { explain } from "../protocol/Explain.ts"
import { builtInTools } from "./BuiltInTools.ts"
import * as BackgroundGroups from "../process/BackgroundGroups.ts"
import * as OrphanReaper from "../process/OrphanReaper.ts"
import { hideSecrets } from "../config/Secrets.ts"
import type { ApprovalNeed, Tool, ToolContext, ToolOutput } from "./Tool.ts"
import { type Planned, SessionTools } from "./SessionTools.ts"
import { specOf } from "./ToolSpecs.ts"
import { type Refused, refuse } from "../files/Refused.ts"

/** What a session's tools are made for. */
export interface ToolsOf {
  /** Absolute path. */
  readonly workingDir: string
  /** Names of tools that the session does not have. */
  readonly disabledTools?: ReadonlyArray<string>
}

/** The tools that sessions may have. */
export class Toolbox extends Context.Service<
  Toolbox,
  {
    /** The tools of a session, which ends with the scope. */
    open(session: ToolsOf): Effect.Effect<SessionTools["Service"], never, Scope.Scope>
  }
>()("atomic-agent-sidecar/tools/Toolbox") {
  /** The built-in tools and others; a tool with the name of a built-in one replaces it. */
  static readonly layerWith = (extra: ReadonlyArray<Tool>) =>
    Layer.effect(
      Toolbox,
      Effect.gen(function* () {
        const settings = yield* Config
        const { toolTimeoutMs } = settings.agent
        const reaper = yield* OrphanReaper.make
        const hide = hideSecrets(settings)
        /** A defect's message may quote what the tool has read. */
        const hiddenDefects = Effect.catchDefect((defect) => Effect.die(withoutSecrets(defect, hide)))

        const tools = new Map<string, Tool>([...(yield* builtInTools), ...extra].map((tool) => [tool.name, tool]))
        let specs: ReadonlyArray<ToolSpec> | undefined

        const plan = Effect.fnUntraced(function* (
          { args, tool: name }: ToolCall,
          context: ToolContext
        ): Effect.fn.Return<Planned> {
          const tool = tools.get(name)
          if (tool === undefined) {
            return refused(`There is no tool ${JSON.stringify(name)}. The tools are: ${[...tools.keys()].join(", ")}.`)
          }
          if (args._tag === "Unusable") {
            return refused(`The arguments of ${name} could not be read (${args.why}). ${expected(tool)}`)
          }
          const decoded = decode(tool, args.value)
          if (typeof decoded === "string") return refused(`${name}: ${decoded}. ${expected(tool)}`)
          const limit = tool.timeoutMs === undefined ? toolTimeoutMs : tool.timeoutMs
          const planned = yield* Effect.result(hiddenDefects(within(tool.plan(decoded.value, context), limit)))
          if (planned._tag === "Failure") return refused(hide(planned.failure.message))
          const { need, run } = planned.success
          const result = Effect.match(hiddenDefects(within(run, limit)), {
            onFailure: asResult,
            onSuccess: toResult
          }).pipe(Effect.map((made) => ({ ...made, summary: hide(made.summary) })))
          return { _tag: "Ready", ...(need === undefined ? {} : { need: requestOf(need, hide) }), run: result }
        })

        const describe = () => (specs ??= Array.from(tools.values(), specOf))
        // Deriving them takes milliseconds: it is done when the process is idle, so that the first turn need not wait.
        yield* Effect.forkScoped(Effect.andThen(Effect.yieldNow, Effect.sync(describe)))

        const open = ({ workingDir }: ToolsOf) =>
          Effect.map(BackgroundGroups.make(reaper), (background) =>
            SessionTools.of({
              get specs() {
                return describe()
              },
              reads: (name) => tools.get(name)?.reads ?? true,
              plan: (call) => plan(call, { workingDir, background }),
              endBackground: background.endBackground
            })
          )

        return Toolbox.of({ open })
      })
    )

  static readonly layer = Toolbox.layerWith([])
}

/** The request for approval of a need, without secrets: a diff also shows lines that do not change. */
const requestOf = (need: ApprovalNeed, hide: (text: string) => string): ApprovalRequest => ({
  category: strictest(need.categories),
  reason: hide(need.reason),
  ...(need.preview === undefined ? {} : { preview: hide(need.preview) }),
  affectedResources: need.affectedResources.map(hide)
})

/** The same defect if it has no secret in its message, its stack or its causes. */
const withoutSecrets = (defect: unknown, hide: (text: string) => string): unknown => {
  const trace = traceOf(Cause.die(defect))
  const message = wordsOf(defect)
  if (hide(trace) === trace && hide(message) === message) return defect
  return Object.assign(new Error(hide(message)), { stack: hide(trace) })
}

const refused = (why: string): Planned => ({ _tag: "Refused", why })

const decode = (tool: Tool, args: { readonly [key: string]: unknown }): { readonly value: unknown } | string => {
  const parse = SchemaParser.decodeUnknownResult(tool.parameters)
  const first = parse(args)
  if (first._tag === "Success") return { value: first.success }
  // Models send null for an optional argument that they leave out.
  const second = parse(Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)))
  return second._tag === "Success" ? { value: second.success } : explain(first.failure, args, "")
}

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
