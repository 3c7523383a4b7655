import * as Redacted from "effect/Redacted"
import { isHeadersVariable } from "../domain/OwnVariables.ts"
import { redactSecrets } from "../domain/RedactSecrets.ts"
import { headerValues } from "./Otel.ts"
import type { Settings } from "./Settings.ts"

/** In characters. A shorter value is not treated as a secret, since it would occur in many texts by chance. */
const shortest = 6

/** The API key of the model server, as a list of none or one. */
export const apiKey = ({ llama }: Settings): ReadonlyArray<string> =>
  llama.apiKey === undefined ? [] : [Redacted.value(llama.apiKey)]

/** The values of all variables with headers of telemetry, whether it is on or not: any program may have set them. */
export const headerSecrets = (
  variables: Iterable<readonly [name: string, text: string | undefined]>
): Settings["secrets"] =>
  [...variables].flatMap(([name, text]) =>
    text !== undefined && isHeadersVariable(name) ? headerValues(text).map((value) => Redacted.make(value)) : []
  )

/**
 * The secrets in the settings: the API key and the values of telemetry's headers. They are removed from tool results
 * and previews, since an approved command can read them in `/proc/<pid>/environ`.
 */
export const secretsOf = (settings: Settings): ReadonlyArray<string> => {
  const { secrets, telemetry } = settings
  const headers = telemetry === undefined ? [] : Object.values(Redacted.value(telemetry.headers))
  // The token in `Bearer <token>` is a secret of its own.
  const values = [...headers, ...secrets.map(Redacted.value)].flatMap((value) => [value, ...value.split(" ").slice(1)])
  return [...values, ...apiKey(settings)].filter((secret) => secret.length >= shortest)
}

/** A function that hides the secrets of the settings in a text. */
export const hideSecrets = (settings: Settings): ((text: string) => string) =>
  redactSecrets(secretsOf(settings), "<secret>")
