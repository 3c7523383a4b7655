import * as Schema from "effect/Schema"
import type { HttpError } from "../http/HttpError.ts"

/** There is no connection to the server, or it broke before the first byte of a response. */
export class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The server runs and is still loading its model. */
export class Loading extends Schema.TaggedError<Loading>()("Loading", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The server answered with an error; `status` is the HTTP status, 200 for an error inside a stream. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  status: Schema.Int,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** The response is not what the endpoint promises: a web page, invalid JSON, or not from a model server. */
export class Malformed extends Schema.TaggedError<Malformed>()("Malformed", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The stream ended without a finish reason. */
export class Cut extends Schema.TaggedError<Cut>()("Cut", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The server was silent for longer than allowed; `silentMs` is in milliseconds. */
export class Stalled extends Schema.TaggedError<Stalled>()("Stalled", { silentMs: Schema.Int, detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

/** The prompt does not fit the context window. The counts, in tokens, are there if the server's error has them. */
export class Overflow extends Schema.TaggedError<Overflow>()("Overflow", {
  detail: Schema.String,
  usedTokens: Schema.optionalKey(Schema.Int),
  windowTokens: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    return this.detail
  }
}

/** A model call failed. The message has the server's wording if it sent an error. */
export class LlamaError extends Schema.TaggedError<LlamaError>()("LlamaError", {
  reason: Schema.Union([Unreachable, Loading, Rejected, Malformed, Cut, Stalled, Overflow])
}) {
  override get message() {
    return this.reason.message
  }
}

/** The reason for a failed exchange; an aborted one counts as cut. */
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

export const overflow = (detail: string, usedTokens?: number, windowTokens?: number): Overflow =>
  Overflow.make({
    detail,
    ...(usedTokens === undefined ? {} : { usedTokens }),
    ...(windowTokens === undefined ? {} : { windowTokens })
  })

/** The fields of all reasons. */
export interface ReasonFields {
  readonly detail: string
  readonly status?: number
  readonly silentMs?: number
  readonly usedTokens?: number
  readonly windowTokens?: number
}

/** Makes an error with a reason of the given kind, from the fields that this kind has. */
export const fromKind = (kind: LlamaError["reason"]["_tag"], fields: ReasonFields): LlamaError =>
  LlamaError.make({ reason: kinds[kind].make({ status: 500, silentMs: 0, ...fields }) })

const kinds = { Unreachable, Loading, Rejected, Malformed, Cut, Stalled, Overflow }

/** The same error with `change` applied to its detail. */
export const mapDetail = ({ reason }: LlamaError, change: (detail: string) => string): LlamaError =>
  fromKind(reason._tag, { ...reason, detail: change(reason.detail) })
