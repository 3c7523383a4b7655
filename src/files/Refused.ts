import * as Schema from "effect/Schema"

/**
 * Something was asked for that cannot be done: a file is not there, is no regular file, has changed since it was looked
 * at. `detail` is a whole sentence for whoever asked: the model as a tool's result, the host as a failed response.
 */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}

export const refuse = (detail: string): Refused => new Refused({ detail })
