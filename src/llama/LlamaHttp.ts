import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import type { Settings } from "../config/Settings.ts"
import { Config } from "../config/Config.ts"
import * as ChatRequest from "./prompt/ChatRequest.ts"
import * as MessageForm from "./prompt/MessageForm.ts"
import * as ContextWindow from "./prompt/ContextWindow.ts"
import * as PromptCut from "./prompt/PromptCut.ts"
import * as RefusedFields from "./prompt/RefusedFields.ts"
import { apiKey } from "../config/Secrets.ts"
import { redactSecrets } from "../domain/RedactSecrets.ts"
import type { HttpRequest } from "../http/HttpExchange.ts"
import * as HttpTransport from "../http/HttpTransport.ts"
import type { ModelEvent, ModelRequest, Usage } from "./LlamaClient.ts"
import { LlamaClient } from "./LlamaClient.ts"
import type { LlamaError, Overflow } from "./LlamaError.ts"
import { mapDetail } from "./LlamaError.ts"
import * as LlamaProbe from "./LlamaProbe.ts"
import * as ModelCall from "./ModelCall.ts"
import * as ModelUrl from "./ModelUrl.ts"

/** A client of the model server at `url`. What it learns about the context window is kept for all sessions. */
export const make = Effect.fnUntraced(function* (settings: Settings, url: string) {
  const { llama, localModels, agent } = settings
  const scope = yield* Effect.scope
  const transport = yield* HttpTransport.scoped
  const key = llama.apiKey === undefined ? "" : Redacted.value(llama.apiKey)
  const redact = redactSecrets(apiKey(settings), "<api key>")
  const headers = {
    "Content-Type": "application/json",
    Accept: "text/event-stream, application/json",
    "Accept-Encoding": "identity",
    ...(key === "" ? {} : { Authorization: `Bearer ${key}` })
  }
  let window = ContextWindow.unknown
  let forms = MessageForm.unknown
  let cut = PromptCut.unknown
  let probed = false
  /** The model that requests name where none is configured. */
  let named: string | undefined
  /** Why no model is known that the server would answer with. */
  let missing: string | undefined

  const probe = Effect.suspend(() =>
    LlamaProbe.run(transport, {
      url,
      model: localModels.model,
      before: named,
      headers,
      timeoutMs: llama.healthTimeoutMs
    })
  ).pipe(
    Effect.map((found) => {
      const { contextTokens, detail, model, state } = found.server
      probed = (state === "ready" && !found.isUnloaded) || state === "foreign"
      if (contextTokens !== undefined) window = ContextWindow.learnWindow(window, contextTokens)
      if (state === "ready") forms = MessageForm.learnProbe(forms, model, found.onlySingleCalls)
      if (state === "ready" || found.named !== undefined || found.missing !== undefined) {
        named = found.named
        missing = found.missing
      }
      return detail === undefined ? found.server : { ...found.server, detail: redact(detail) }
    })
  )

  const post = (body: string): HttpRequest => ({
    method: "POST",
    url: ModelUrl.endpoint(url, "/v1/chat/completions"),
    headers,
    body,
    connectTimeoutMs: Math.max(400, Math.min(1400, 4200 / llama.completionRetries))
  })

  const stream = (request: ModelRequest): Stream.Stream<ModelEvent, LlamaError> =>
    Stream.suspend(() => {
      let share = 1
      let form = MessageForm.current(forms)
      let { without } = forms
      let refusal: string | undefined
      let isReselected = false
      const build = (form: MessageForm.MessageForm) => {
        const budget = ContextWindow.budget(window, localModels.completionMaxTokens, agent.conversationMaxTokens)
        const cap = ContextWindow.answerCap(window, localModels.completionMaxTokens)
        const shape = { form, model: named, without }
        return ChatRequest.make(request, settings, budget === null ? null : budget * share, cap, shape)
      }
      let sent = build(form)
      const rebuild = (): HttpRequest => {
        sent = build(form)
        return post(sent.body)
      }
      const shrink = (overflow: Overflow): HttpRequest => {
        window = ContextWindow.learnOverflow(window, overflow, sent.promptBytes)
        share = ContextWindow.shareAfter(overflow)
        return rebuild()
      }
      const reform = Effect.fnUntraced(function* (reason: LlamaError["reason"]) {
        const { body } = sent
        const refused = RefusedFields.nextAfter(reason, body, without)
        if (refused !== undefined) {
          without = refused
          return rebuild()
        }
        const next = MessageForm.nextAfter(reason, form, (other) => build(other).body === body)
        if (next !== undefined) {
          form = next
          refusal = reason.detail
          return rebuild()
        }
        if (isReselected || !isAboutModel(reason)) return undefined
        isReselected = true
        const before = named
        named = undefined
        yield* probe
        return named === undefined || named === before ? undefined : rebuild()
      })
      const onUsage = (usage: Usage) =>
        Effect.suspend(() => {
          const { noticed } = cut
          const isCut = PromptCut.isCut(cut, sent.promptBytes, usage.promptTokens)
          cut = PromptCut.learn(cut, sent.promptBytes, usage.promptTokens)
          window = ContextWindow.learnPrompt(window, sent.promptBytes, usage.promptTokens)
          return isCut && !noticed ? Effect.logWarning(PromptCut.warning(usage.promptTokens)) : Effect.void
        })
      const onBegun = (model: string | undefined) =>
        Effect.suspend(() => {
          const before = forms
          forms = MessageForm.learnAnswer(forms, model, form, refusal !== undefined, without)
          // Another model has another window, and its template other limits.
          if (before.served !== undefined && before.served !== forms.served) probed = false
          return forms.taken === "text" && before.taken !== "text"
            ? Effect.logWarning(`${withoutTools}: ${redact(refusal?.trim().split("\n").at(-1) ?? "")}`)
            : Effect.void
        })
      return ModelCall.stream(transport, {
        tools: request.tools,
        limits: llama,
        request: post(sent.body),
        shrink,
        reform,
        onBegun,
        // The server was unavailable at the last probe, so the one that answers now may have another window.
        onOpen: Effect.suspend(() => (probed ? Effect.void : Effect.asVoid(Effect.forkIn(probe, scope)))),
        onUnavailable: () => {
          probed = false
        },
        onUsage
      })
    }).pipe(
      Stream.mapError((error) => {
        const about = missing !== undefined && isAboutModel(error.reason) ? ` (${missing})` : ""
        return mapDetail(error, (detail) => redact(detail + about))
      })
    )

  return LlamaClient.of({
    url: ModelUrl.shown(url),
    slotId: llama.defaultSlot,
    stream,
    probe,
    window: Effect.sync(() => window.tokens)
  })
})

/** True for a refusal because of the model that a request names, or of none. */
const isAboutModel = (reason: LlamaError["reason"]): boolean =>
  reason._tag === "Rejected" && [400, 404, 422].includes(reason.status) && /\bmodels?\b/i.test(reason.detail)

const withoutTools =
  "no tool is offered to this model, and earlier calls are sent to it as text, since its server refuses requests with them"

/** A client of the server at `localModels.url`. */
export const layer: Layer.Layer<LlamaClient, never, Config> = Layer.effect(
  LlamaClient,
  Effect.flatMap(Config, (settings) => make(settings, settings.localModels.url))
)
