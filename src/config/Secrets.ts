import * as Redacted from "effect/Redacted"
import type { Settings } from "./Settings.ts"

/** A shorter value, in characters, is not kept secret: it would be found in half of all texts. */
const shortest = 6

/** The API key of the model's server, alone: none or one. */
export const apiKey = ({ llama }: Settings): ReadonlyArray<string> =>
  llama.apiKey === undefined ? [] : [Redacted.value(llama.apiKey)]

/**
 * The secrets in the settings: the API key and the values of telemetry's headers. An approved command can read them
 * where the system keeps them (`/proc/<pid>/environ`), so they are taken out of what tools return and ask.
 */
export const secretsOf = (settings: Settings): ReadonlyArray<string> => {
  const { telemetry } = settings
  const headers = telemetry === undefined ? [] : Object.values(Redacted.value(telemetry.headers))
  // `Bearer x` is as secret without its first word.
  const values = headers.flatMap((value) => [value, ...value.split(" ").slice(1)])
  return [...values, ...apiKey(settings)].filter((secret) => secret.length >= shortest)
}
