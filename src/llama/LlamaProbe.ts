import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import { excerpt, isLoading } from "./ErrorResponse.ts"
import { readText, type ResponseHead } from "../http/HttpExchange.ts"
import type { HttpTransport } from "../http/HttpTransport.ts"
import type { ServerState } from "./LlamaClient.ts"
import * as ModelList from "./ModelList.ts"
import * as ModelUrl from "./ModelUrl.ts"
import { parseJson } from "./ParseJson.ts"
import { parseComplaint } from "./ServerError.ts"
import { windowSize } from "./TokenCount.ts"

export interface Probe {
  readonly url: string
  /** The configured model, for a server with several. */
  readonly model: string | undefined
  /** The model that an earlier probe chose, where none is configured. */
  readonly before?: string | undefined
  readonly headers: { readonly [name: string]: string }
  /** Limit of the whole probe, in milliseconds. */
  readonly timeoutMs: number
}

/** What a probe learns: the state that the host reads, and what concerns only the requests. */
export interface Probed {
  readonly server: ServerState
  /** The server says that its chat template takes one call in an assistant's message at most. */
  readonly onlySingleCalls: boolean
  /** The model that requests have to name; undefined: none, or the server has one model and takes any name. */
  readonly named: string | undefined
  /** Why no model is known that requests could name, or the configured one is not there. */
  readonly missing: string | undefined
  /** The server tells the window of a model only once it is loaded, and this one is not. */
  readonly isUnloaded: boolean
}

/** The answer to one request of a probe. If there is no HTTP response, `body` is the detail of the error. */
export interface ProbeAnswer {
  readonly head: ResponseHead | "no connection" | "not HTTP"
  readonly body: string
}

/** The answers so far; `modelProps` is that of `/props?model=NAME`. */
export interface ProbeAnswers {
  readonly health?: ProbeAnswer
  readonly props?: ProbeAnswer
  readonly models?: ProbeAnswer
  readonly modelProps?: ProbeAnswer
}

/** The state that follows from the answers of `/health`, `/props` and `/v1/models`; undefined: the next is needed. */
export const judge = (probe: Probe, answers: ProbeAnswers): ServerState | undefined => {
  const url = ModelUrl.shown(probe.url)
  for (const each of [answers.health, answers.props, answers.models]) {
    if (each === undefined) continue
    if (each.head === "no connection") return { state: "unreachable", url, detail: each.body }
    if (each.head === "not HTTP") return { state: "foreign", url, detail: each.body }
    if (each.head.status === 503 && (each === answers.health || isLoading(each.body))) {
      return { state: "loading", url, detail: detailOf(each) }
    }
  }
  const props = parsed(answers.props)
  const own = ready(url, fromProps(props), probe.model)
  if (own !== undefined && !isRouter(props)) return own
  if (answers.models === undefined) return undefined
  const choice = choiceOf(probe, answers)
  if (choice === undefined) return own ?? { state: "foreign", url, detail: detailOf(answers.models) }
  if (choice.detail !== undefined) return { state: "unselected", url, detail: choice.detail }
  const { model, name } = choice
  if (model?.status === "loading") return { state: "loading", url, model: model.id, detail: `${model.id} is loading` }
  const contextTokens = fromProps(parsed(answers.modelProps))?.contextTokens ?? model?.contextTokens
  return ready(url, { model: name, contextTokens }, undefined)
}

/** Probes a server, within `timeoutMs`. */
export const run = (transport: HttpTransport, probe: Probe): Effect.Effect<Probed> =>
  Effect.suspend(() => {
    let answers: ProbeAnswers = {}
    const ask = (path: ModelUrl.Endpoint, query = "") =>
      get(transport, probe, ModelUrl.endpoint(probe.url, path) + query)
    const conclude = Effect.gen(function* () {
      answers = { health: yield* ask("/health") }
      if (judge(probe, answers) !== undefined) return
      answers = { ...answers, props: yield* ask("/props") }
      if (judge(probe, answers) !== undefined) return
      answers = { ...answers, models: yield* ask("/v1/models") }
      if (probe.model === undefined && resultOf(probe, answers).missing !== undefined) {
        // The list of LM Studio that says which models are loaded.
        const models = yield* ask("/api/v0/models")
        if (ModelList.parse(parsed(models)) !== null) answers = { ...answers, models }
      }
      const { isUnloaded, server } = resultOf(probe, answers)
      if (server.state !== "ready" || server.model === undefined || isUnloaded) return
      if (!isRouter(parsed(answers.props))) return
      // Without `autoload` a router would load the model before it answers.
      const query = new URLSearchParams({ model: server.model, autoload: "false" })
      answers = { ...answers, modelProps: yield* ask("/props", `?${query}`) }
    })
    return Effect.map(Effect.timeoutOption(conclude, probe.timeoutMs), () => resultOf(probe, answers))
  })

/** The models that a server lists, within `timeoutMs`; an error if it cannot be asked, in its words. */
export const list = (
  transport: HttpTransport,
  probe: Probe
): Effect.Effect<ReadonlyArray<ModelList.ListedModel>, ModelList.CannotList> =>
  get(transport, probe, ModelUrl.endpoint(probe.url, "/v1/models")).pipe(
    Effect.timeoutOrElse({
      duration: probe.timeoutMs,
      orElse: () => Effect.fail(new ModelList.CannotList({ detail: `no answer within ${probe.timeoutMs} ms` }))
    }),
    Effect.flatMap((answer) => {
      const models = ModelList.parse(parsed(answer))
      return models === null
        ? Effect.fail(new ModelList.CannotList({ detail: detailOf(answer) }))
        : Effect.succeed(models)
    })
  )

const resultOf = (probe: Probe, answers: ProbeAnswers): Probed => {
  const choice = choiceOf(probe, answers)
  const chosen = choice === undefined || choice.detail !== undefined ? {} : choice
  return {
    server: judge(probe, answers) ?? timedOut(probe),
    onlySingleCalls: [answers.props, answers.modelProps].some((each) => hasOnlySingleCalls(parsed(each))),
    named: probe.model === undefined ? chosen.name : undefined,
    missing: choice?.detail,
    isUnloaded: chosen.model?.status === "unloaded"
  }
}

/** The model of the list; undefined if there is no list. */
const choiceOf = (probe: Probe, { models, props }: ProbeAnswers): ModelList.Choice | undefined => {
  const body = parsed(models)
  const listed = isObject(body) && body.object === "list" && body.data === null ? [] : ModelList.parse(body)
  if (listed === null) return undefined
  const choice = ModelList.choose(listed, probe.model, probe.before)
  // An empty list of another server may be a list that it does not keep.
  const mustList = isRouter(parsed(props)) || (isObject(body) && body.data === null)
  return mustList && choice.detail === undefined && choice.name === undefined
    ? { detail: "the server has no model" }
    : choice
}

/** The body of a response with status 200, if it is JSON. */
const parsed = (answer: ProbeAnswer | undefined): unknown =>
  answer !== undefined && typeof answer.head === "object" && answer.head.status === 200
    ? parseJson(answer.body)
    : undefined

/** True for the `/props` of a server that starts other servers for its models: it has no window of its own. */
const isRouter = (props: unknown): boolean => {
  if (!isObject(props)) return false
  const settings = isObject(props.default_generation_settings) ? props.default_generation_settings : undefined
  return props.role === "router" || (settings !== undefined && !(settings.n_ctx ?? props.n_ctx))
}

const hasOnlySingleCalls = (props: unknown): boolean =>
  isObject(props) &&
  isObject(props.chat_template_caps) &&
  props.chat_template_caps.supports_parallel_tool_calls === false

const timedOut = (probe: Probe): ServerState => ({
  state: "unreachable",
  url: ModelUrl.shown(probe.url),
  detail: `no answer within ${probe.timeoutMs} ms`
})

interface Facts {
  readonly model?: string | undefined
  readonly contextTokens?: number | undefined
}

const ready = (url: string, facts: Facts | undefined, configured: string | undefined): ServerState | undefined => {
  if (facts === undefined) return undefined
  const model = configured ?? facts.model
  return {
    state: "ready",
    url,
    ...(model === undefined ? {} : { model }),
    ...(facts.contextTokens === undefined ? {} : { contextTokens: facts.contextTokens })
  }
}

const fromProps = (props: unknown): Facts | undefined => {
  if (!isObject(props)) return undefined
  const settings = isObject(props.default_generation_settings) ? props.default_generation_settings : undefined
  const contextTokens = windowSize(settings?.n_ctx) ?? windowSize(props.n_ctx)
  if (settings === undefined && contextTokens === undefined) return undefined
  const path = [props.model_alias, props.model_path, settings?.model].find(
    (name) => typeof name === "string" && name !== ""
  )
  const model = typeof path === "string" ? path.split(/[/\\]/).at(-1) : undefined
  return { ...(model === undefined ? {} : { model }), ...(contextTokens === undefined ? {} : { contextTokens }) }
}

const detailOf = ({ head, body }: ProbeAnswer): string => {
  if (typeof head === "string") return body
  return parseComplaint(parseJson(body) ?? null)?.message ?? excerpt(head, body)
}

/** Most bodies have a few kilobytes, a list of models may be longer. */
const maxBodyBytes = 4 * 1024 * 1024

const get = (transport: HttpTransport, probe: Probe, url: string): Effect.Effect<ProbeAnswer> =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      transport.open({ method: "GET", url, headers: probe.headers, connectTimeoutMs: probe.timeoutMs })
    ),
    (exchange) =>
      Effect.all({ head: exchange.head, body: readText(exchange.read, maxBodyBytes) }).pipe(
        Effect.catch(({ detail, reason }) =>
          Effect.succeed<ProbeAnswer>({ head: reason === "malformed" ? "not HTTP" : "no connection", body: detail })
        )
      ),
    (exchange) => Effect.sync(() => exchange.abort("the probe is over"))
  )
