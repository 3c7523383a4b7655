import type { Answer } from "./LlamaAnswers.ts"
import { refuse } from "./LlamaAnswers.ts"

/** A model that a server offers. `loaded` and `contextTokens` are told only by servers that do. */
export interface OfferedModel {
  readonly id: string
  readonly loaded?: boolean
  readonly contextTokens?: number
}

/** How a kind of server answers, as it is documented; what is not said here is llama-server's. */
export interface ServerProfile {
  /** The answer to a GET. */
  page(path: string, query: URLSearchParams): Answer
  /** The refusal of a chat request; undefined: it is answered. */
  refusal(body: any): Answer | undefined
  /** The most tokens of a prompt that are read, and counted; absent: all. */
  readonly promptTokens?: number
}

/** llama-server as a router: no model of its own, and the settings of one only where its name is asked for. */
export const llamaRouter = (models: ReadonlyArray<OfferedModel>): ServerProfile => {
  const loaded = new Set(models.filter((each) => each.loaded === true).map(({ id }) => id))
  const find = (id: unknown) => models.find((each) => each.id === id)
  const refusal = (id: unknown, loads: boolean) => {
    if (typeof id !== "string" || id === "") return refuse(400, "model name is missing from the request", invalid)
    if (find(id) === undefined) return refuse(400, `model '${id}' not found`, invalid)
    if (!loads && !loaded.has(id)) return refuse(400, "model is not loaded", invalid)
    loaded.add(id)
    return undefined
  }
  return {
    page(path, query) {
      const id = query.get("model") ?? ""
      switch (path) {
        case "/health":
          return json({ status: "ok" })
        case "/props": {
          if (id === "") {
            const none = { params: null, n_ctx: 0 }
            const dummy = { model_alias: "llama-server", model_path: "none", default_generation_settings: none }
            return json({ role: "router", max_instances: 4, models_autoload: true, ...dummy })
          }
          const refused = refusal(id, query.get("autoload") !== "false")
          const settings = { n_ctx: find(id)?.contextTokens ?? 4096 }
          return refused ?? json({ default_generation_settings: settings, total_slots: 4, model_alias: id })
        }
        case "/v1/models":
          return listOf(models, "llamacpp", (each) => ({
            aliases: [],
            status: { value: loaded.has(each.id) ? "loaded" : "unloaded", args: ["llama-server"] }
          }))
        default:
          return refuse(404, "File Not Found", "not_found_error")
      }
    },
    refusal: ({ model }) => refusal(model, true)
  }
}

/** Ollama: no page but the list of models, which is null where there is none; `numCtx` cuts prompts without a word. */
export const ollama = (models: ReadonlyArray<OfferedModel>, numCtx?: number): ServerProfile => ({
  ...(numCtx === undefined ? {} : { promptTokens: numCtx }),
  page: (path) => {
    if (path !== "/v1/models") return text(404, "404 page not found")
    return models.length === 0 ? json({ object: "list", data: null }) : listOf(models, "library")
  },
  refusal: ({ model }) => {
    if (model === undefined) return openAi(400, "model is required", invalid)
    const isThere = models.some(({ id }) => id === model || id === `${model}:latest`)
    return isThere ? undefined : openAi(404, `model '${model}' not found`, "not_found_error")
  }
})

/**
 * LM Studio: an error with status 200 on paths that it does not have, a list of its own that says what is loaded, and the
 * loaded model where none is named.
 */
export const lmStudio = (models: ReadonlyArray<OfferedModel>): ServerProfile => ({
  page: (path) => {
    if (path === "/v1/models") return listOf(models, "organization_owner")
    if (path !== "/api/v0/models") return json({ error: `Unexpected endpoint or method. (GET ${path})` })
    return listOf(models, "organization_owner", ({ contextTokens, id, loaded = false }) => ({
      type: id.startsWith("text-embedding-") ? "embeddings" : "llm",
      state: loaded ? "loaded" : "not-loaded",
      max_context_length: 131072,
      ...(loaded ? { loaded_context_length: contextTokens ?? 4096 } : {})
    }))
  },
  refusal: ({ model }) => {
    const loaded = models.filter((each) => each.loaded === true)
    if (models.some(({ id }) => id === model) || loaded.length === 1) return undefined
    const message =
      loaded.length === 0
        ? "No models loaded. Please load a model in the developer page or use the 'lms load' command."
        : "Multiple models are loaded. Please specify a model by providing a 'model' field."
    return openAi(400, message, invalid)
  }
})

/** vLLM: an empty `/health`, and the window in the list of models. */
export const vllm = (models: ReadonlyArray<OfferedModel>): ServerProfile => ({
  page: (path) => {
    if (path === "/health") return text(200, "")
    if (path !== "/v1/models") return json({ detail: "Not Found" }, 404)
    return listOf(models, "vllm", ({ contextTokens, id }) => ({
      root: id,
      parent: null,
      max_model_len: contextTokens ?? 4096
    }))
  },
  refusal: ({ model }) =>
    model === undefined || models.some(({ id }) => id === model)
      ? undefined
      : json(
          {
            error: { message: `The model \`${model}\` does not exist.`, type: "NotFoundError", param: null, code: 404 }
          },
          404
        )
})

/** llama-swap: a list of models without their state, and nothing without a model's name. */
export const llamaSwap = (models: ReadonlyArray<OfferedModel>): ServerProfile => {
  const unknown = (message: string) => json({ error: message, src: "llama-swap" }, 404)
  return {
    page: (path) => {
      if (path === "/health") return text(200, "OK")
      return path === "/v1/models" ? listOf(models, "llama-swap") : unknown("no model id could be identified")
    },
    refusal: ({ model }) => {
      if (model === undefined) return unknown("no model id could be identified")
      return models.some(({ id }) => id === model) ? undefined : unknown("no router for requested model")
    }
  }
}

/** LocalAI: its health has another path, and a name that it does not know ends in an error of its back ends. */
export const localAi = (models: ReadonlyArray<OfferedModel>): ServerProfile => ({
  page: (path) =>
    path === "/v1/models"
      ? json({ object: "list", data: models.map(({ id }) => ({ id, object: "model" })) })
      : json({ error: { code: 404, message: "Resource not found", type: "" } }, 404),
  refusal: ({ model }) =>
    model === undefined || models.some(({ id }) => id === model)
      ? undefined
      : json({ error: { code: 500, message: `could not load model: ${model}`, type: "" } }, 500)
})

/** A server that refuses fields that it does not know: all of them at once, or by the first one alone. */
export const strict = (fields: ReadonlyArray<string>, names: "all" | "first"): ServerProfile => ({
  ...vllm([{ id: "strict" }]),
  refusal: (body) => {
    const refused = fields.filter((field) => field in body)
    if (refused.length === 0) return undefined
    if (names === "first") return openAi(400, `Unrecognized request argument supplied: ${refused[0]}`, invalid)
    const detail = refused.map((field) => ({
      type: "extra_forbidden",
      loc: ["body", field],
      msg: "Extra inputs are not permitted",
      input: body[field]
    }))
    return json({ detail }, 422)
  }
})

const invalid = "invalid_request_error"

const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { "Content-Type": "application/json; charset=utf-8" },
  pieces: [JSON.stringify(value)]
})

const text = (status: number, body: string): Answer => ({
  status,
  headers: { "Content-Type": "text/plain" },
  pieces: [body]
})

const openAi = (status: number, message: string, type: string): Answer =>
  json({ error: { message, type, param: null, code: null } }, status)

const listOf = (
  models: ReadonlyArray<OfferedModel>,
  owner: string,
  more: (model: OfferedModel) => object = () => ({})
): Answer =>
  json({
    object: "list",
    data: models.map((each) => ({
      id: each.id,
      object: "model",
      created: 1796007912,
      owned_by: owner,
      ...more(each)
    }))
  })
