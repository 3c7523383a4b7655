import * as Redacted from "effect/Redacted"
import type { Settings } from "../config/Settings.ts"

/** What is shorter, in characters, is no secret worth the name, and would be found in half of what there is to read. */
const shortest = 6

/**
 * Takes the sidecar's own secrets out of what a tool has found, in its result or in what is asked before: a command that was approved can read them where the
 * system keeps them, in `/proc/<pid>/environ` say, and they belong neither before the model nor into the transcript.
 * One that a command writes in another way is not recognised.
 */
export const redactSecrets = ({ llama, telemetry }: Settings): ((text: string) => string) => {
  const headers = telemetry === undefined ? [] : Object.values(Redacted.value(telemetry.headers))
  // `Bearer x` is as secret without its first word, and stands percent-encoded in its variable.
  const secrets = headers.flatMap((value) => [value, ...value.split(" ").slice(1)])
  if (llama.apiKey !== undefined) secrets.push(Redacted.value(llama.apiKey))
  const forms = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]))]
    .filter((form) => form.length >= shortest)
    .toSorted((a, b) => b.length - a.length)
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, "<secret>"), text)
}
