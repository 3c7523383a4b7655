import * as Effect from "effect/Effect"
import { isObject } from "effect/Predicate"
import { isLoading, parse, wordsOf } from "./ErrorResponse.ts"
import type { HttpError } from "../http/HttpError.ts"
import type { ResponseHead } from "../http/HttpExchange.ts"
import type { HttpTransport } from "../http/HttpTransport.ts"
import type { ServerState } from "./LlamaClient.ts"
import * as ModelUrl from "./ModelUrl.ts"
import { complaint } from "./ServerError.ts"
import { windowSize } from "./TokenCount.ts"

export interface Probe {
  readonly url: string
  /** What is asked for where a server has several. */
  readonly model: string | undefined
  readonly headers: { readonly [name: string]: string }
  /** For all of it. */
  readonly timeoutMs: number
}

/** One answer to a probe; without one the reason stands in `body`. */
export interface Found {
  readonly answer: ResponseHead | "nobody" | "no HTTP"
  readonly body: string
}

/** What the answers of `/health`, `/props` and `/v1/models` say together; undefined: the next one must be asked. */
export const judge = (
  probe: Probe,
  found: { readonly health?: Found; readonly props?: Found; readonly models?: Found }
): ServerState | undefined => {
  const url = ModelUrl.shown(probe.url)
  for (const each of [found.health, found.props, found.models]) {
    if (each === undefined) continue
    if (each.answer === "nobody") return { state: "unreachable", url, detail: each.body }
    if (each.answer === "no HTTP") return { state: "foreign", url, detail: each.body }
    if (each.answer.status === 503 && (each === found.health || isLoading(each.body))) {
      return { state: "loading", url, detail: saidBy(each) }
    }
  }
  const props = found.props === undefined ? undefined : ready(url, fromProps(parse(found.props.body)), probe.model)
  if (props !== undefined) return props
  if (found.models === undefined) return undefined
  const { answer, body } = found.models
  const models = typeof answer === "object" && answer.status === 200 ? parse(body) : undefined
  return (
    ready(url, fromModels(models, probe.model), probe.model) ?? { state: "foreign", url, detail: saidBy(found.models) }
  )
}

/** Asks a server what it is; never fails, and takes no longer than `timeoutMs`. */
export const run = (transport: HttpTransport, probe: Probe): Effect.Effect<ServerState> =>
  Effect.gen(function* () {
    const ask = (path: "/health" | "/props" | "/v1/models") => get(transport, probe, ModelUrl.endpoint(probe.url, path))
    const health = yield* ask("/health")
    const early = judge(probe, { health })
    if (early !== undefined) return early
    const props = yield* ask("/props")
    const found = judge(probe, { health, props })
    if (found !== undefined) return found
    return judge(probe, { health, props, models: yield* ask("/v1/models") }) ?? unheard(probe)
  }).pipe(Effect.timeoutOrElse({ duration: probe.timeoutMs, orElse: () => Effect.succeed(unheard(probe)) }))

const unheard = (probe: Probe): ServerState => ({
  state: "unreachable",
  url: ModelUrl.shown(probe.url),
  detail: `no answer within ${probe.timeoutMs} ms`
})

interface Facts {
  readonly model?: string
  readonly contextTokens?: number
}

const ready = (url: string, facts: Facts | undefined, asked: string | undefined): ServerState | undefined => {
  if (facts === undefined) return undefined
  const model = asked ?? facts.model
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

const fromModels = (models: unknown, asked: string | undefined): Facts | undefined => {
  if (!isObject(models) || !Array.isArray(models.data)) return undefined
  const known = models.data.filter(isObject)
  const entry = known.find((each) => each.id === asked) ?? known[0]
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

const saidBy = ({ answer, body }: Found): string => {
  const said = complaint(parse(body) ?? null)
  if (typeof answer === "string") return body
  return said?.words ?? wordsOf(answer, body)
}

/** Bodies of probes are a few kilobytes; a model list may be longer. */
const maxBodyBytes = 4 * 1024 * 1024

const get = (transport: HttpTransport, probe: Probe, url: string): Effect.Effect<Found> =>
  Effect.acquireUseRelease(
    Effect.sync(() =>
      transport.open({ method: "GET", url, headers: probe.headers, connectTimeoutMs: probe.timeoutMs })
    ),
    (exchange) =>
      Effect.gen(function* (): Effect.fn.Return<Found, HttpError> {
        const answer = yield* exchange.head
        const parts: Array<Uint8Array> = []
        let size = 0
        for (;;) {
          const bytes = yield* exchange.read
          if (bytes === null || size > maxBodyBytes) break
          parts.push(bytes)
          size += bytes.length
        }
        return { answer, body: Buffer.concat(parts).toString("utf8") }
      }).pipe(
        Effect.catch((error) =>
          Effect.succeed<Found>({ answer: error.reason === "malformed" ? "no HTTP" : "nobody", body: error.detail })
        )
      ),
    (exchange) => Effect.sync(() => exchange.abort("the probe is over"))
  )
