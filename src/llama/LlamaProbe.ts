import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import { excerpt, isLoading } from "./ErrorResponse.ts"
import { readText, type ResponseHead } from "../http/HttpExchange.ts"
import type { HttpTransport } from "../http/HttpTransport.ts"
import type { ServerState } from "./LlamaClient.ts"
import * as ModelUrl from "./ModelUrl.ts"
import { parseJson } from "./ParseJson.ts"
import { parseComplaint } from "./ServerError.ts"
import { windowSize } from "./TokenCount.ts"

export interface Probe {
  readonly url: string
  /** The configured model, for a server with several. */
  readonly model: string | undefined
  readonly headers: { readonly [name: string]: string }
  /** Limit of the whole probe, in milliseconds. */
  readonly timeoutMs: number
}

/** What a probe learns: the state that the host reads, and what concerns only the requests. */
export interface Probed {
  readonly server: ServerState
  /** The server says that its chat template takes one call in an assistant's message at most. */
  readonly onlySingleCalls: boolean
}

/** The answer to one request of a probe. If there is no HTTP response, `body` is the detail of the error. */
export interface ProbeAnswer {
  readonly head: ResponseHead | "no connection" | "not HTTP"
  readonly body: string
}

/** The state that follows from the answers of `/health`, `/props` and `/v1/models`; undefined: the next is needed. */
export const judge = (
  probe: Probe,
  answers: { readonly health?: ProbeAnswer; readonly props?: ProbeAnswer; readonly models?: ProbeAnswer }
): ServerState | undefined => {
  const url = ModelUrl.shown(probe.url)
  for (const each of [answers.health, answers.props, answers.models]) {
    if (each === undefined) continue
    if (each.head === "no connection") return { state: "unreachable", url, detail: each.body }
    if (each.head === "not HTTP") return { state: "foreign", url, detail: each.body }
    if (each.head.status === 503 && (each === answers.health || isLoading(each.body))) {
      return { state: "loading", url, detail: detailOf(each) }
    }
  }
  const props =
    answers.props === undefined ? undefined : ready(url, fromProps(parseJson(answers.props.body)), probe.model)
  if (props !== undefined) return props
  if (answers.models === undefined) return undefined
  const { head, body } = answers.models
  const models = typeof head === "object" && head.status === 200 ? parseJson(body) : undefined
  return (
    ready(url, fromModels(models, probe.model), probe.model) ?? {
      state: "foreign",
      url,
      detail: detailOf(answers.models)
    }
  )
}

/** Probes a server, within `timeoutMs`. */
export const run = (transport: HttpTransport, probe: Probe): Effect.Effect<Probed> =>
  Effect.gen(function* () {
    const probed = (server: ServerState, props?: ProbeAnswer): Probed => ({
      server,
      onlySingleCalls: props !== undefined && hasOnlySingleCalls(parseJson(props.body))
    })
    const ask = (path: "/health" | "/props" | "/v1/models") => get(transport, probe, ModelUrl.endpoint(probe.url, path))
    const health = yield* ask("/health")
    const fromHealth = judge(probe, { health })
    if (fromHealth !== undefined) return probed(fromHealth)
    const props = yield* ask("/props")
    const fromBoth = judge(probe, { health, props })
    if (fromBoth !== undefined) return probed(fromBoth, props)
    return probed(judge(probe, { health, props, models: yield* ask("/v1/models") }) ?? timedOut(probe), props)
  }).pipe(
    Effect.timeoutOrElse({
      duration: probe.timeoutMs,
      orElse: () => Effect.succeed({ server: timedOut(probe), onlySingleCalls: false })
    })
  )

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
  readonly model?: string
  readonly contextTokens?: number
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

const fromModels = (models: unknown, configured: string | undefined): Facts | undefined => {
  if (!isObject(models) || !Array.isArray(models.data)) return undefined
  const entries = models.data.filter(isObject)
  const entry = entries.find((each) => each.id === configured) ?? entries[0]
  if (entry === undefined) return {}
  const meta = isObject(entry.meta) ? entry.meta : undefined
  const contextTokens = [meta?.n_ctx, entry.max_model_len, entry.loaded_context_length, entry.context_length]
    .map(windowSize)
    .find((count) => count !== undefined)
  return {
    ...(typeof entry.id === "string" ? { model: entry.id } : {}),
    ...(contextTokens === undefined ? {} : { contextTokens })
  }
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
