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
import { CannotList } from "./ModelList.ts"
import * as ModelCall from "./ModelCall.ts"
import * as ModelUrl from "./ModelUrl.ts"

/** What a client has learned of one model. */
interface ModelMemory {
  window: ContextWindow.ContextWindow
  forms: MessageForm.FormMemory
  cut: PromptCut.PromptCut
  /** The last probe said how large its window is, or that it cannot be used. */
  probed: boolean
}

const unknownModel = (): ModelMemory => ({
  window: ContextWindow.unknown,
  forms: MessageForm.unknown,
  cut: PromptCut.unknown,
  probed: false
})

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
  /** What is known of the models that sessions ask for by name, and under no name of the one that is configured. */
  const memories = new Map<string | undefined, ModelMemory>()
  const memoryOf = (model: string | undefined): ModelMemory => {
    const name = model === localModels.model ? undefined : model
    const known = memories.get(name) ?? unknownModel()
    memories.set(name, known)
    return known
  }
  /** The model that requests name where none is configured. */
  let named: string | undefined
  /** Why no model is known that the server would answer with. */
  let missing: string | undefined

  const probeRequest = (asked: string | undefined): LlamaProbe.Probe => ({
    url,
    model: asked ?? localModels.model,
    before: named,
    headers,
    timeoutMs: llama.healthTimeoutMs
  })

  const probeOf = Effect.fnUntraced(function* (asked: string | undefined) {
    const memory = memoryOf(asked)
    const found = yield* LlamaProbe.run(transport, probeRequest(asked))
    const { contextTokens, detail, model, state } = found.server
    memory.probed = (state === "ready" && !found.isUnloaded) || state === "foreign" || state === "unselected"
    if (contextTokens !== undefined) memory.window = ContextWindow.learnWindow(memory.window, contextTokens)
    if (state === "ready") memory.forms = MessageForm.learnProbe(memory.forms, model, found.onlySingleCalls)
    if (asked === undefined && (state === "ready" || found.named !== undefined || found.missing !== undefined)) {
      named = found.named
      missing = found.missing
    }
    return detail === undefined ? found.server : { ...found.server, detail: redact(detail) }
  })

  const probe = Effect.suspend(() => probeOf(undefined))

  const post = (body: string): HttpRequest => ({
    method: "POST",
    url: ModelUrl.endpoint(url, "/v1/chat/completions"),
    headers,
    body,
    connectTimeoutMs: Math.max(400, Math.min(1400, 4200 / llama.completionRetries))
  })

  const stream = (request: ModelRequest): Stream.Stream<ModelEvent, LlamaError> =>
    Stream.suspend(() => {
      const model = request.options?.model
      const memory = memoryOf(model)
      let share = 1
      let form = MessageForm.current(memory.forms)
      let { without } = memory.forms
      let refusal: string | undefined
      let isReselected = false
      const build = (form: MessageForm.MessageForm) => {
        const { completionMaxTokens } = ChatRequest.optionsOf(request, settings)
        const budget = ContextWindow.budget(memory.window, completionMaxTokens, agent.conversationMaxTokens)
        const cap = ContextWindow.answerCap(memory.window, completionMaxTokens)
        const shape = { form, model: named, without }
        return ChatRequest.make(request, settings, budget === null ? null : budget * share, cap, shape)
      }
      let sent = build(form)
      const rebuild = (): HttpRequest => {
        sent = build(form)
        return post(sent.body)
      }
      const shrink = (overflow: Overflow): HttpRequest => {
        memory.window = ContextWindow.learnOverflow(memory.window, overflow, sent.promptBytes)
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
        if (model !== undefined || isReselected || !isAboutModel(reason)) return undefined
        isReselected = true
        const before = named
        named = undefined
        yield* probe
        return named === undefined || named === before ? undefined : rebuild()
      })
      const onUsage = (usage: Usage) =>
        Effect.suspend(() => {
          const { cut, window } = memory
          const { noticed } = cut
          const isCut = PromptCut.isCut(cut, sent.promptBytes, usage.promptTokens)
          memory.cut = PromptCut.learn(cut, sent.promptBytes, usage.promptTokens)
          memory.window = ContextWindow.learnPrompt(window, sent.promptBytes, usage.promptTokens)
          return isCut && !noticed ? Effect.logWarning(PromptCut.warning(usage.promptTokens)) : Effect.void
        })
      const onBegun = (served: string | undefined) =>
        Effect.suspend(() => {
          const before = memory.forms
          const forms = MessageForm.learnAnswer(before, served, form, refusal !== undefined, without)
          memory.forms = forms
          // Another model has another window, and its template other limits.
          if (before.served !== undefined && before.served !== forms.served) memory.probed = false
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
        onOpen: Effect.suspend(() =>
          memory.probed ? Effect.void : Effect.asVoid(Effect.forkIn(probeOf(model), scope))
        ),
        onUnavailable: () => {
          memory.probed = false
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
    models: Effect.suspend(() => LlamaProbe.list(transport, probeRequest(undefined))).pipe(
      Effect.mapError(({ detail }) => new CannotList({ detail: redact(detail) }))
    ),
    window: (model) => Effect.sync(() => memoryOf(model).window.tokens)
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
