import * as Schema from "effect/Schema"

/** No active session has this id. */
export class NoActiveSession extends Schema.TaggedError<NoActiveSession>()("NoActiveSession", {
  sessionId: Schema.String
}) {
  override get message() {
    return `no active session with id ${this.sessionId}`
  }
}

/** A request that works on the active session came while there is none. */
export class NoSession extends Schema.TaggedError<NoSession>()("NoSession", { request: Schema.String }) {
  override get message() {
    return `${this.request} needs a session: send start_session first`
  }
}
