import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { windowSize } from "./TokenCount.ts"

/** The models of a server cannot be listed, in its words. */
export class CannotList extends Schema.TaggedError<CannotList>()("CannotList", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** A model in the answer of `/v1/models`, or of `/api/v0/models` of LM Studio. */
export interface ListedModel {
  readonly id: string
  readonly aliases: ReadonlyArray<string>
  /** False for a model that makes embeddings and answers no chat. */
  readonly isChat: boolean
  /** Whether it is in memory, for servers that say so; one that is being loaded counts as loaded. */
  readonly status: "loaded" | "loading" | "unloaded" | "unknown"
  readonly contextTokens?: number
}

/** The model of a server: the name that requests have, and its entry; or why there is none. */
export type Choice =
  | { readonly name?: string; readonly model?: ListedModel; readonly detail?: undefined }
  | { readonly detail: string }

/** Reads a list of models; null if the body is none. */
export const parse = (body: unknown): ReadonlyArray<ListedModel> | null =>
  isObject(body) && Array.isArray(body.data) ? body.data.filter(isObject).flatMap(entryOf) : null

/**
 * Chooses the model: the configured one, unless the server lists several others; where none is configured, the only one
 * that is loaded, else the one that was chosen before, else the only one. Models for embeddings answer no chat.
 */
export const choose = (
  listed: ReadonlyArray<ListedModel>,
  configured: string | undefined,
  before: string | undefined
): Choice => {
  if (configured !== undefined) {
    const model = listed.find((each) => isNamed(each, configured)) ?? (listed.length === 1 ? listed[0] : undefined)
    if (model === undefined && listed.length > 1) {
      return { detail: `the server has no model ${configured}: set localModels.model to one of ${names(listed)}` }
    }
    return { name: configured, ...(model === undefined ? {} : { model }) }
  }
  const chats = listed.filter(({ isChat }) => isChat)
  const candidates = chats.length === 0 ? listed : chats
  const loaded = candidates.filter(({ status }) => status === "loaded" || status === "loading")
  const model =
    only(loaded) ?? candidates.find(({ id }) => id === before) ?? (loaded.length === 0 ? only(candidates) : undefined)
  if (model !== undefined) return { name: model.id, model }
  if (candidates.length === 0) return {}
  const which = loaded.length > 1 ? loaded : candidates
  return { detail: `the server has several models: set localModels.model to one of ${names(which)}` }
}

const only = <A>(all: ReadonlyArray<A>): A | undefined => (all.length === 1 ? all[0] : undefined)

/** Ollama takes a name without its tag, and capitals for small letters. */
const isNamed = ({ aliases, id }: ListedModel, name: string): boolean => {
  const wanted = name.toLowerCase()
  return [id, ...aliases].some((each) => [wanted, `${wanted}:latest`].includes(each.toLowerCase()))
}

const names = (models: ReadonlyArray<ListedModel>): string => {
  const shown = models.slice(0, maxNames).map(({ id }) => id.slice(0, maxNameLength))
  return shown.join(", ") + (models.length > maxNames ? ` and ${models.length - maxNames} more` : "")
}

const maxNames = 12
const maxNameLength = 100

const entryOf = (entry: { readonly [key: PropertyKey]: unknown }): ReadonlyArray<ListedModel> => {
  if (typeof entry.id !== "string") return []
  const meta = isObject(entry.meta) ? entry.meta : undefined
  const contextTokens = [meta?.n_ctx, entry.max_model_len, entry.loaded_context_length, entry.context_length]
    .map(windowSize)
    .find((count) => count !== undefined)
  return [
    {
      id: entry.id,
      aliases: Array.isArray(entry.aliases) ? entry.aliases.filter((alias) => typeof alias === "string") : [],
      isChat: entry.type !== "embeddings" && !/\bembed/i.test(entry.id),
      status: statusOf(isObject(entry.status) ? entry.status.value : entry.state),
      ...(contextTokens === undefined ? {} : { contextTokens })
    }
  ]
}

const statusOf = (value: unknown): ListedModel["status"] => {
  switch (value) {
    case "loaded":
    case "sleeping":
      return "loaded"
    case "loading":
      return "loading"
    case "unloaded":
    case "not-loaded":
    case "downloading":
      return "unloaded"
    default:
      return "unknown"
  }
}
