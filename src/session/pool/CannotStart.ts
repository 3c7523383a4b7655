import * as Schema from "effect/Schema"

/** A session cannot be started; the message says what would have to be otherwise. */
export class CannotStart extends Schema.TaggedError<CannotStart>()("CannotStart", { detail: Schema.String }) {
  override get message() {
    return this.detail
  }
}
