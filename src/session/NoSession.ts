import * as Schema from "effect/Schema"

/** No active session has this id. */
export class NoActiveSession extends Schema.TaggedError<NoActiveSession>()("NoActiveSession", {
  sessionId: Schema.String
}) {
  override get message() {
    return `no active session with id ${this.sessionId}`
  }
}

/** No session, open or stored, has this id. */
export class UnknownSession extends Schema.TaggedError<UnknownSession>()("UnknownSession", {
  sessionId: Schema.String
}) {
  override get message() {
    return `no session with id ${this.sessionId}`
  }
}

/** A turn that a request names is not in the session's history, or has not ended where it must have. */
export class WrongTurn extends Schema.TaggedError<WrongTurn>()("WrongTurn", {
  sessionId: Schema.String,
  turnId: Schema.String,
  isKnown: Schema.Boolean
}) {
  override get message() {
    return this.isKnown
      ? `turn ${this.turnId} of session ${this.sessionId} has not ended`
      : `no turn with id ${this.turnId} in session ${this.sessionId}`
  }
}

/** A request that works on the active session came while there is none. */
export class NoSession extends Schema.TaggedError<NoSession>()("NoSession", { request: Schema.String }) {
  override get message() {
    return `${this.request} needs a session: send start_session first`
  }
}
