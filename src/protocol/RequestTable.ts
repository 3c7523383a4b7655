import * as Schema from "effect/Schema"
import { AtLeastOne, NotBlank } from "./Checks.ts"
import { Extension } from "./Extension.ts"
import { extensionRequests, setup, setupKeys } from "./ExtensionRequests.ts"
import { field, nullableField, ofSession, optionalField } from "./Field.ts"
import type { RequestEntry } from "./RequestEntry.ts"
import { SessionState, TurnReason } from "./SessionState.ts"

const Ignored = Schema.Unknown
const OfSession = Schema.Struct(ofSession)
const version = field(Schema.Literal(1), "Version of the protocol.")
const sidecarVersion = field(Schema.String, "The sidecar's release.")
/**
 * The requests that a host may send. One entry and a handler are all that a request needs: its types, its decoder, the
 * published JSON Schema and the documents are made from the entry (`npm run tables`, `npm run schema`).
 */
export const requestTable = {
  ping: {
    does: "Confirms that the process runs, and returns its version, model URL and state directory. Answered at once, whatever else runs.",
    payload: Ignored,
    result: Schema.Struct({
      ok: field(Schema.Literal(true), "Always true."),
      llamaUrl: field(Schema.String, "Base URL of the model server; `script:` and its file for a scripted model."),
      stateDir: field(Schema.String, "Absolute path of the state directory."),
      version: field(Schema.Literal("0.1.0"), "Always `0.1.0`; the release is in `sidecarVersion`."),
      sidecarVersion,
      protocol: field(
        Schema.Struct({
          version,
          extensions: field(Schema.Array(Schema.String), "The extensions that this release knows.")
        }),
        "What the sidecar speaks."
      )
    })
  },
  start_session: {
    does: "Creates a session and makes it the active one. The session before it ends, its turns are cancelled.",
    keys: setupKeys,
    payload: Schema.Struct({
      workingDir: field(
        Schema.String,
        "The working directory, which exists; relative paths start at the sidecar's own."
      ),
      metadata: nullableField(
        Schema.Record(Schema.String, Schema.Unknown),
        "Kept with the session and returned by `get_session`; the sidecar does not read it."
      ),
      ...setup
    }),
    result: Schema.Struct({ sessionId: field(Schema.String, "The new session's id: `s-` and a UUID.") })
  },
  send_message: {
    does: "Queues a turn. Turns of a session run one at a time, in order; the response comes when the turn has ended.",
    payload: Schema.Struct({
      ...ofSession,
      text: field(NotBlank, "The message."),
      maxSteps: nullableField(AtLeastOne, "Step budget of the turn, from 1. Default: `agent.maxSteps`.")
    }),
    result: Schema.Struct({
      reason: field(TurnReason, "Why the turn ended."),
      turnCount: field(Schema.Int, "Number of turns of the session that were started."),
      stepCount: field(Schema.Int, "Number of steps of the session that were started, over all turns.")
    })
  },
  steer_message: {
    does: "Adds a text to the running turn, for its next model call. Never waits.",
    payload: Schema.Struct({ ...ofSession, text: field(Schema.String, "The text.") }),
    result: Schema.Struct({
      steered: field(Schema.Boolean, "False if no turn of the session runs that could still read the text.")
    })
  },
  cancel: {
    does: "Ends the running turn and all queued turns of the active session. The session accepts further messages.",
    payload: OfSession,
    result: Schema.Struct({
      cancelled: field(Schema.Boolean, "False if the session is not the active one."),
      turns: field(Schema.Int, "Number of turns that were ended, running and queued.")
    })
  },
  approval_response: {
    does: "Answers an `approval_request`.",
    keys: { grant: "grants" },
    payload: Schema.Struct({
      approvalId: field(Schema.String, "The id of the `approval_request`."),
      approved: field(Schema.Boolean, "Whether the call may run."),
      reason: nullableField(Schema.String, "Why not. The model reads it."),
      grant: optionalField(
        Schema.Unknown,
        "With `approved: true`, one of the question's `offers`: a `Grant`, which holds for the session. Extension: `grants`."
      )
    }),
    result: Schema.Struct({
      resolved: field(Schema.Boolean, "False if the id is unknown, answered already or withdrawn.")
    })
  },
  get_session: {
    does: "Returns a session and its history. For one that is not active, a session must have started in this process.",
    keys: { afterTurn: "sessions" },
    payload: Schema.Struct({
      ...ofSession,
      afterTurn: nullableField(
        Schema.String,
        "Under `sessions`: id of a turn of the session; `turns` has only the records of later turns."
      )
    }),
    result: Schema.NullOr(SessionState)
  },
  skill_install: {
    does: "Copies a skill's folder to the user's skills. Needs an active session.",
    payload: Schema.Struct({
      sourcePath: field(Schema.String, "The folder with the `SKILL.md`."),
      force: nullableField(Schema.Boolean, "True replaces a skill of the same name. Default: false.")
    }),
    result: Schema.Struct({
      name: field(Schema.String, "The skill's name."),
      installedAt: field(Schema.String, "Absolute path of the folder that it was copied to.")
    })
  },
  skill_uninstall: {
    does: "Deletes a skill of the user. Needs an active session.",
    payload: Schema.Struct({ name: field(Schema.String, "The skill's name.") }),
    result: Schema.Struct({ removed: field(Schema.Boolean, "False if the user has no skill of this name.") })
  },
  skill_list: {
    does: "Lists the skills of the active session, sorted by name; none without a session.",
    payload: Ignored,
    result: Schema.Struct({
      skills: field(
        Schema.Array(
          Schema.Struct({
            name: field(Schema.String, "The skill's name."),
            version: field(Schema.String, "Its version; `0.0.0` if it names none."),
            description: field(Schema.String, "What it is for, in its own words."),
            source: field(Schema.Literals(["global", "project"]), "Whether it is the user's or the project's.")
          })
        ),
        "The skills."
      )
    })
  },
  shutdown: {
    does: "Ends the session and the process, with exit code 0. Requests after it fail.",
    payload: Ignored,
    result: Schema.Struct({ ok: field(Schema.Literal(true), "Always true.") })
  },
  hello: {
    does: "Asks for extensions. It may be sent again; the last one counts.",
    payload: Schema.Struct({
      extensions: field(Schema.Array(Schema.String), "The extensions that the host wants; unknown names are ignored."),
      client: nullableField(
        Schema.Struct({
          name: field(Schema.String, "The host's name."),
          version: field(Schema.String, "The host's version.")
        }),
        "Who asks."
      )
    }),
    result: Schema.Struct({
      protocol: field(
        Schema.Struct({
          version,
          extensions: field(Schema.Array(Extension), "The extensions that this release knows.")
        }),
        "What the sidecar speaks."
      ),
      extensions: field(Schema.Array(Extension), "The extensions that are granted."),
      limits: field(
        Schema.Struct({
          maxLineBytes: field(Schema.Int, "Length of the longest line that is read, in bytes."),
          outputBufferBytes: field(Schema.Int, "Output that waits for the host before turns are suspended, in bytes."),
          maxParallelToolCalls: field(Schema.Int, "Number of read-only calls of a step that run side by side."),
          maxSteers: field(Schema.Int, "Number of steers that may wait to be read."),
          maxSessions: field(Schema.Int, "Number of sessions that may be open under `parallel_sessions`.")
        }),
        "Limits of this process."
      ),
      sidecarVersion
    })
  },
  ...extensionRequests
} satisfies Readonly<Record<string, RequestEntry>>
