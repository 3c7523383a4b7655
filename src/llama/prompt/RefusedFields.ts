import type { LlamaError } from "../LlamaError.ts"

/** Fields of a request that a strict server may refuse, and that an answer can do without. */
export type RefusedFields = ReadonlySet<string>

export const none: RefusedFields = new Set()

/** Fields that are not in OpenAI's API, the first ones that a strict server refuses. */
const extras = ["return_progress", "cache_prompt", "id_slot", "chat_template_kwargs", "top_k"]

const optional = [...extras, "stream_options"]

/**
 * The fields to leave out after a refusal, with those that were left out before; undefined if it names none that was
 * sent. The second refusal of this kind leaves out all extras, since some servers name only the first of them.
 */
export const nextAfter = (
  reason: LlamaError["reason"],
  body: string,
  before: RefusedFields
): RefusedFields | undefined => {
  if (reason._tag !== "Rejected" || (reason.status !== 400 && reason.status !== 422)) return undefined
  if (!refusals.test(reason.detail)) return undefined
  // What follows is a list of the fields that are taken.
  const [complaint = ""] = reason.detail.split(/expected one of|(allowed|supported|valid) (fields|parameters)/i)
  const named = optional.filter(
    (field) => !before.has(field) && body.includes(`"${field}":`) && new RegExp(`\\b${field}\\b`).test(complaint)
  )
  if (named.length === 0) return undefined
  return new Set([...before, ...named, ...(before.size === 0 ? [] : extras)])
}

const refusals =
  /extra|unknown|unexpected|unrecogni[sz]ed|unsupported|additional|invalid|forbidden|not (permitted|allowed|supported|recogni[sz]ed)/i
