import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isObject } from "effect/Predicate"
import * as SchemaParser from "effect/SchemaParser"
import { Config } from "../config/Config.ts"
import { type ApprovalRequest, strictest } from "../domain/ApprovalPolicy.ts"
import type { ToolCall, ToolResult, ToolSpec } from "../domain/ToolCall.ts"
import { explain } from "../protocol/Explain.ts"
import { builtInTools } from "./BuiltInTools.ts"
import * as BackgroundGroups from "../process/BackgroundGroups.ts"
import { secretsOf } from "../config/Secrets.ts"
import { redactSecrets } from "../domain/RedactSecrets.ts"
import type { ApprovalNeed, Tool, ToolContext, ToolOutput } from "./Tool.ts"
import { specOf } from "./ToolSpecs.ts"
import { type Refused, refuse } from "../files/Refused.ts"

/** A call that has been looked at. */
export type Planned =
  /** It cannot be done; `why` is told to the model as the result. */
  | { readonly _tag: "Refused"; readonly why: string }
  /** It can be done when `need`, if there is one, has been asked. A tool that fails gives a result that says so. */
  | { readonly _tag: "Ready"; readonly need?: ApprovalRequest; readonly run: Effect.Effect<ToolResult> }

/** The tools by name. */
export class Toolbox extends Context.Service<
  Toolbox,
  {
    /** What the model is told of the tools, in an order that never changes. */
    readonly specs: ReadonlyArray<ToolSpec>
    /** Whether calls of a tool may be planned and run side by side; unknown tools may, they do nothing. */
    reads(tool: string): boolean
    /** Looks at a call: finds the tool, decodes the arguments, plans. Never fails; a defect of a tool passes through. */
    plan(call: ToolCall, context: ToolContext): Effect.Effect<Planned>
    /** Ends what commands left running behind them; happens by itself when the toolbox goes. */
    readonly endBackground: Effect.Effect<void>
  }
>()("atomic-agent-sidecar/tools/Toolbox") {
  /** The built-in tools, and others beside them: one of the same name takes a built-in's place. */
  static readonly layerWith = (extra: ReadonlyArray<Tool>) =>
    Layer.effect(
      Toolbox,
      Effect.gen(function* () {
        const settings = yield* Config
        const { toolTimeoutMs } = settings.agent
        const groups = yield* BackgroundGroups.make
        const hide = redactSecrets(secretsOf(settings), "<secret>")

        const builtIn = yield* builtInTools(groups)
        const tools = new Map<string, Tool>([...builtIn, ...extra].map((tool) => [tool.name, tool]))
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
          const planned = yield* Effect.result(within(tool.plan(decoded.value, context), limit))
          if (planned._tag === "Failure") return refused(hide(planned.failure.message))
          const { need, run } = planned.success
          const result = Effect.match(within(run, limit), { onFailure: asResult, onSuccess: toResult }).pipe(
            Effect.map((made) => ({ ...made, summary: hide(made.summary) }))
          )
          return { _tag: "Ready", ...(need === undefined ? {} : { need: requestOf(need, hide) }), run: result }
        })

        const describe = () => (specs ??= Array.from(tools.values(), specOf))
        // Deriving them takes a while: as soon as there is nothing better to do, and not when the first turn waits.
        yield* Effect.forkScoped(Effect.andThen(Effect.yieldNow, Effect.sync(describe)))

        return Toolbox.of({
          get specs() {
            return describe()
          },
          endBackground: groups.endBackground,
          reads: (name) => tools.get(name)?.reads ?? true,
          plan
        })
      })
    )

  static readonly layer = Toolbox.layerWith([])
}

/** What is asked for a need; without secrets, since a diff shows lines that nobody changes. */
const requestOf = (need: ApprovalNeed, hide: (text: string) => string): ApprovalRequest => ({
  category: strictest(need.categories),
  reason: hide(need.reason),
  ...(need.preview === undefined ? {} : { preview: hide(need.preview) }),
  affectedResources: need.affectedResources.map(hide)
})

const refused = (why: string): Planned => ({ _tag: "Refused", why })

const decode = (tool: Tool, args: { readonly [key: string]: unknown }): { readonly value: unknown } | string => {
  const parse = SchemaParser.decodeUnknownResult(tool.parameters)
  const first = parse(args)
  if (first._tag === "Success") return { value: first.success }
  // Models say null for an argument that they do not want to give.
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
