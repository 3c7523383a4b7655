import * as Schema from "effect/Schema"

/** An open session cannot be deleted. */
export class CannotDelete extends Schema.TaggedError<CannotDelete>()("CannotDelete", { sessionId: Schema.String }) {
  override get message() {
    return `session ${this.sessionId} is the active one and cannot be deleted`
  }
}

/** An option that belongs to the beginning of a session's prompt, which must stay as it is. */
export class CannotSet extends Schema.TaggedError<CannotSet>()("CannotSet", { option: Schema.String }) {
  override get message() {
    return `payload.options.${this.option}: can only be given when a session begins`
  }
}
