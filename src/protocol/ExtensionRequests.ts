import * as Schema from "effect/Schema"
import { AtLeastOne, TitleText } from "./Checks.ts"
import { field, nullableField, ofSession, optionalField } from "./Field.ts"
import { Grant } from "./Grant.ts"
import type { RequestEntry } from "./RequestEntry.ts"
import { OptionsInForce, SessionOptions } from "./SessionOptions.ts"
import { SessionStatus } from "./SessionState.ts"

const Ignored = Schema.Unknown
const OfSession = Schema.Struct(ofSession)
const workingDir = field(Schema.String, "Absolute path of the working directory.")

/** What a session begins with under extensions: checked by its handler, since it may hold anything where none is granted. */
export const setup = {
  options: optionalField(Schema.Unknown, "Options of the session, a `SessionOptions`. Extension: `options`."),
  tools: optionalField(Schema.Unknown, "Tools that the host runs, an array of `HostTool`. Extension: `host_tools`."),
  grants: optionalField(Schema.Unknown, "What needs no question, an array of `Grant`. Extension: `grants`.")
}

/** The extensions that they belong to. */
export const setupKeys = { options: "options", tools: "host_tools", grants: "grants" } as const

/** The requests of extensions (contract 9), as entries of the table of all requests. */
export const extensionRequests = {
  list_queue: {
    does: "Lists the running turn and the queued turns of the active session.",
    extension: "queue",
    payload: OfSession,
    result: Schema.Struct({
      running: field(Schema.NullOr(Schema.String), "Id of the running turn; null if none runs."),
      queued: field(
        Schema.Array(
          Schema.Struct({
            turnId: field(Schema.String, "The turn's id: `t-` and a UUID."),
            text: field(Schema.String, "The message."),
            position: field(Schema.Int, "Number of turns before it, the running one included.")
          })
        ),
        "The waiting turns, the next one first."
      )
    })
  },
  unqueue: {
    does: "Takes a waiting turn out of the queue. Its `send_message` is answered with reason `cancelled`.",
    extension: "queue",
    payload: Schema.Struct({ ...ofSession, turnId: field(Schema.String, "The turn's id: `t-` and a UUID.") }),
    result: Schema.Struct({ removed: field(Schema.Boolean, "False if no such turn waits.") })
  },
  list_sessions: {
    does: "Lists stored sessions, the one that changed last first.",
    extension: "sessions",
    payload: Schema.NullOr(
      Schema.Struct({
        limit: nullableField(AtLeastOne, "Number of sessions at most, from 1. Default: 50."),
        workingDir: nullableField(Schema.String, "Lists sessions of this working directory only.")
      })
    ),
    result: Schema.Struct({
      sessions: field(
        Schema.Array(
          Schema.Struct({
            id: field(Schema.String, "The session's id: `s-` and a UUID."),
            workingDir,
            status: field(SessionStatus, "What it does, or how its last turn ended."),
            turnCount: field(Schema.Int, "Number of turns that were started."),
            firstMessage: field(Schema.String, "Its first message; empty before the first turn."),
            title: optionalField(Schema.String, "Its title; absent without one."),
            createdAt: field(Schema.Int, "When it was created, in milliseconds since 1970-01-01 UTC."),
            updatedAt: field(Schema.Int, "When it last changed, in milliseconds since 1970-01-01 UTC.")
          })
        ),
        "The sessions."
      )
    })
  },
  resume_session: {
    does: "Makes a stored session the active one, as `start_session` does with a new one.",
    extension: "sessions",
    keys: setupKeys,
    payload: Schema.Struct({ ...ofSession, ...setup }),
    result: Schema.Struct({ ...ofSession, workingDir })
  },
  tool_response: {
    does: "Answers a `tool_request`.",
    extension: "host_tools",
    payload: Schema.Struct({
      requestId: field(Schema.String, "The id of the `tool_request`."),
      text: field(Schema.String, "The result, for the model. What does not fit is cut."),
      isError: nullableField(Schema.Boolean, "True if the tool has failed. Default: false."),
      truncated: nullableField(Schema.Boolean, "True if the host has left something out. Default: false.")
    }),
    result: Schema.Struct({
      resolved: field(Schema.Boolean, "False if the id is unknown, answered already or withdrawn.")
    })
  },
  list_models: {
    does: "Lists the models of the model server, as it names them.",
    extension: "options",
    payload: Ignored,
    result: Schema.Struct({
      models: field(
        Schema.Array(
          Schema.Struct({
            id: field(Schema.String, "Its name, for the option `model`."),
            contextTokens: optionalField(Schema.Int, "Size of its context window in tokens, if the server says so."),
            loaded: optionalField(Schema.Boolean, "Whether it is in memory, if the server says so.")
          })
        ),
        "The models; none for a scripted one."
      )
    })
  },
  set_options: {
    does: "Changes options of an open session, from the next model call, question or turn on.",
    extension: "options",
    payload: Schema.Struct({
      ...ofSession,
      options: field(SessionOptions, "What is left out keeps its value; null goes back to the configuration's.")
    }),
    result: Schema.Struct({ options: field(OptionsInForce, "All options, as they are now in force.") })
  },
  list_grants: {
    does: "Lists the grants of an open session, the oldest first.",
    extension: "grants",
    payload: OfSession,
    result: Schema.Struct({ grants: field(Schema.Array(Grant), "The grants, as they were given.") })
  },
  revoke_grant: {
    does: "Takes a grant of an open session back. What runs goes on, and what waits goes on waiting.",
    extension: "grants",
    payload: Schema.Struct({ ...ofSession, grant: field(Grant, "One of the grants of `list_grants`.") }),
    result: Schema.Struct({ revoked: field(Schema.Boolean, "False if the session has no such grant or is not open.") })
  },
  close_session: {
    does: "Ends an open session: its turns are cancelled and answered first. The others are left alone.",
    extension: "parallel_sessions",
    payload: OfSession,
    result: Schema.Struct({ closed: field(Schema.Boolean, "False if no session with this id is open.") })
  },
  delete_session: {
    does: "Deletes a stored session. Fails for the active one.",
    extension: "sessions",
    payload: OfSession,
    result: Schema.Struct({ deleted: field(Schema.Boolean, "False if there is no such session.") })
  },
  update_session: {
    does: "Changes what the host has attached to a session, open or stored. What is left out or null stays as it is.",
    extension: "sessions",
    payload: Schema.Struct({
      ...ofSession,
      title: nullableField(TitleText, "The new title, at most 1,000 characters; a blank one removes it."),
      metadata: nullableField(
        Schema.Record(Schema.String, Schema.Unknown),
        "Replaces the session's `metadata` as a whole."
      )
    }),
    result: Schema.Struct({ updated: field(Schema.Boolean, "False if there is no such session.") })
  },
  fork_session: {
    does: "Copies a session, open or stored, with its history up to a turn that has ended. The copy is stored, not opened.",
    extension: "sessions",
    payload: Schema.Struct({
      ...ofSession,
      turnId: nullableField(Schema.String, "The last turn of the copy. Default: the last one that has ended.")
    }),
    result: Schema.Struct({ sessionId: field(Schema.String, "The copy's id: `s-` and a UUID.") })
  }
} satisfies Readonly<Record<string, RequestEntry>>
