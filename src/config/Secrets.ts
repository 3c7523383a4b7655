import * as Redacted from "effect/Redacted"
import type { Settings } from "./Settings.ts"

/** In characters. A shorter value is not treated as a secret, since it would occur in many texts by chance. */
const shortest = 6

/** The API key of the model server, as a list of none or one. */
export const apiKey = ({ llama }: Settings): ReadonlyArray<string> =>
  llama.apiKey === undefined ? [] : [Redacted.value(llama.apiKey)]

/**
 * The secrets in the settings: the API key and the values of telemetry's headers. They are removed from tool results
 * and previews, since an approved command can read them in `/proc/<pid>/environ`.
 */
export const secretsOf = (settings: Settings): ReadonlyArray<string> => {
  const { telemetry } = settings
  const headers = telemetry === undefined ? [] : Object.values(Redacted.value(telemetry.headers))
  // The token in `Bearer <token>` is a secret of its own.
  const values = headers.flatMap((value) => [value, ...value.split(" ").slice(1)])
  return [...values, ...apiKey(settings)].filter((secret) => secret.length >= shortest)
}
