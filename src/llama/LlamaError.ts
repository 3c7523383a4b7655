import * as Schema from "effect/Schema"
import type { HttpError } from "../http/HttpError.ts"

/** Nobody answers at the address, or the connection broke before the first byte. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The server is there and still loads its model. */
export class Loading extends Schema.TaggedError<Loading>()("Loading", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The server answered with an error of its own; `status` is the HTTP status, 200 for an error inside a stream. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  status: Schema.Int,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** What came was not what the endpoint promises: HTML, no JSON, no model server at all. */
export class Malformed extends Schema.TaggedError<Malformed>()("Malformed", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The stream ended before it said how. */
export class Cut extends Schema.TaggedError<Cut>()("Cut", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The server kept silent for longer than allowed; `silentMs` in milliseconds on the monotonic clock. */
export class Stalled extends Schema.TaggedError<Stalled>()("Stalled", { silentMs: Schema.Int, detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The prompt does not fit the context window, in whatever shape the server says so; tokens where it says. */
export class Overflow extends Schema.TaggedError<Overflow>()("Overflow", {
  detail: Schema.String,
  usedTokens: Schema.optionalKey(Schema.Int),
  windowTokens: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    return this.detail
  }
}

/** A model call failed; the message is in the server's own words where it had any. */
export class LlamaError extends Schema.TaggedError<LlamaError>()("LlamaError", {
  reason: Schema.Union([Unreachable, Loading, Rejected, Malformed, Cut, Stalled, Overflow])
}) {
  override get message() {
    return this.reason.message
  }
}

/** The reason for a failed exchange; what we closed ourselves counts as cut. */
export const fromHttp = ({ detail, reason }: HttpError): LlamaError["reason"] => {
  switch (reason) {
    case "unreachable":
      return Unreachable.make({ detail })
    case "malformed":
      return Malformed.make({ detail })
    case "cut":
    case "aborted":
      return Cut.make({ detail })
  }
}

/** The same error in other words. */
export const reworded = ({ reason }: LlamaError, words: (detail: string) => string): LlamaError => {
  const detail = words(reason.detail)
  switch (reason._tag) {
    case "Unreachable":
      return LlamaError.make({ reason: Unreachable.make({ detail }) })
    case "Loading":
      return LlamaError.make({ reason: Loading.make({ detail }) })
    case "Rejected":
      return LlamaError.make({ reason: Rejected.make({ status: reason.status, detail }) })
    case "Malformed":
      return LlamaError.make({ reason: Malformed.make({ detail }) })
    case "Cut":
      return LlamaError.make({ reason: Cut.make({ detail }) })
    case "Stalled":
      return LlamaError.make({ reason: Stalled.make({ silentMs: reason.silentMs, detail }) })
    case "Overflow": {
      const { usedTokens, windowTokens } = reason
      return LlamaError.make({
        reason: Overflow.make({
          detail,
          ...(usedTokens === undefined ? {} : { usedTokens }),
          ...(windowTokens === undefined ? {} : { windowTokens })
        })
      })
    }
  }
}
