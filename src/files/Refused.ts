import * as Schema from "effect/Schema"

/**
 * A request that cannot be fulfilled: a file does not exist, is not a regular file, or has changed since it was read.
 * `detail` is the sentence that the model gets as a tool's result, or the host as the message of a failed response.
 */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

export const refuse = (detail: string): Refused => new Refused({ detail })
