import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { wireName } from "../../domain/Transcript.ts"
import { explain } from "../../protocol/Explain.ts"
import type { Extension } from "../../protocol/Extension.ts"
import { SessionOptions } from "../../protocol/SessionOptions.ts"
import { CannotStart } from "./CannotStart.ts"

/** What a host gives a session when it begins. Nothing of it is stored: a resumed session needs it again. */
export interface SessionSetup {
  readonly options: SessionOptions
}

export const nothing: SessionSetup = { options: {} }

/**
 * Reads the keys of extensions in the payload of `start_session` or `resume_session`. Those of an extension that the host
 * does not have are ignored like any unknown key; what is wrong in the others refuses the request, naming the place.
 */
export const read = (
  payload: { readonly options?: unknown },
  isGranted: (extension: Extension) => boolean,
  toolNames: ReadonlyArray<string>
): Effect.Effect<SessionSetup, CannotStart> =>
  Effect.gen(function* () {
    const key = <A>(name: keyof typeof payload, extension: Extension, schema: Schema.Codec<A, any>, absent: A) => {
      const value = payload[name]
      if (!isGranted(extension) || value === undefined || value === null) return Effect.succeed(absent)
      const decoded = SchemaParser.decodeUnknownResult(schema)(value)
      return decoded._tag === "Success"
        ? Effect.succeed(decoded.success)
        : Effect.fail(new CannotStart({ detail: explain(decoded.failure, value, `payload.${name}`) }))
    }
    const options = yield* key("options", "options", SessionOptions, nothing.options)
    for (const [index, name] of (options.disabledTools ?? []).entries()) {
      if (toolNames.some((tool) => wireName(tool) === wireName(name))) continue
      const detail = `payload.options.disabledTools[${index}]: expected the name of a tool, got ${JSON.stringify(name)}`
      return yield* new CannotStart({ detail })
    }
    return { options }
  })
