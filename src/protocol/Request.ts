import * as Schema from "effect/Schema"
import { AtLeastOne, NotBlank } from "./Checks.ts"
import { SessionState, SessionStatus, TurnReason } from "./SessionState.ts"

/** A key that a host may leave out or set to null. */
const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The payload is not looked at. */
const Ignored = Schema.Unknown
const SessionOnly = Schema.Struct({ sessionId: Schema.String })

export const PingResult = Schema.Struct({
  ok: Schema.Literal(true),
  llamaUrl: Schema.String,
  stateDir: Schema.String,
  /** The literal `"0.1.0"`, whatever the release: the specification says so. */
  version: Schema.Literal("0.1.0"),
  sidecarVersion: Schema.String,
  protocol: Schema.Struct({ version: Schema.Literal(1), extensions: Schema.Array(Schema.String) })
})
export type PingResult = typeof PingResult.Type

export const StartSessionPayload = Schema.Struct({
  workingDir: Schema.String,
  metadata: optional(Schema.Record(Schema.String, Schema.Unknown))
})
export type StartSessionPayload = typeof StartSessionPayload.Type
export const StartSessionResult = Schema.Struct({ sessionId: Schema.String })
export type StartSessionResult = typeof StartSessionResult.Type

export const SendMessagePayload = Schema.Struct({
  sessionId: Schema.String,
  text: NotBlank,
  maxSteps: optional(AtLeastOne)
})
export type SendMessagePayload = typeof SendMessagePayload.Type
export const SendMessageResult = Schema.Struct({
  reason: TurnReason,
  /** Turns of the session that were started. */
  turnCount: Schema.Int,
  /** Steps of the whole session that were started. */
  stepCount: Schema.Int
})
export type SendMessageResult = typeof SendMessageResult.Type

export const SteerMessagePayload = Schema.Struct({ sessionId: Schema.String, text: Schema.String })
export type SteerMessagePayload = typeof SteerMessagePayload.Type
export const SteerMessageResult = Schema.Struct({ steered: Schema.Boolean })
export type SteerMessageResult = typeof SteerMessageResult.Type

export const CancelPayload = SessionOnly
export type CancelPayload = typeof CancelPayload.Type
export const CancelResult = Schema.Struct({
  cancelled: Schema.Boolean,
  /** Turns that were ended: the running one and the queued ones. */
  turns: Schema.Int
})
export type CancelResult = typeof CancelResult.Type

export const ApprovalResponsePayload = Schema.Struct({
  approvalId: Schema.String,
  approved: Schema.Boolean,
  reason: optional(Schema.String)
})
export type ApprovalResponsePayload = typeof ApprovalResponsePayload.Type
export const ApprovalResponseResult = Schema.Struct({ resolved: Schema.Boolean })
export type ApprovalResponseResult = typeof ApprovalResponseResult.Type

export const GetSessionPayload = SessionOnly
export type GetSessionPayload = typeof GetSessionPayload.Type
export const GetSessionResult = Schema.NullOr(SessionState)
export type GetSessionResult = typeof GetSessionResult.Type

export const SkillInstallPayload = Schema.Struct({ sourcePath: Schema.String, force: optional(Schema.Boolean) })
export type SkillInstallPayload = typeof SkillInstallPayload.Type
export const SkillInstallResult = Schema.Struct({ name: Schema.String, installedAt: Schema.String })
export type SkillInstallResult = typeof SkillInstallResult.Type

export const SkillUninstallPayload = Schema.Struct({ name: Schema.String })
export type SkillUninstallPayload = typeof SkillUninstallPayload.Type
export const SkillUninstallResult = Schema.Struct({ removed: Schema.Boolean })
export type SkillUninstallResult = typeof SkillUninstallResult.Type

export const SkillListResult = Schema.Struct({
  skills: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      version: Schema.String,
      description: Schema.String,
      source: Schema.Literals(["global", "project"])
    })
  )
})
export type SkillListResult = typeof SkillListResult.Type

export const ShutdownResult = Schema.Struct({ ok: Schema.Literal(true) })
export type ShutdownResult = typeof ShutdownResult.Type

/** The event types and requests that a host must ask for (contract 9). */
export const Extension = Schema.Literals(["llm_progress", "llm_state", "approval_resolved", "queue", "sessions"])
export type Extension = typeof Extension.Type

export const HelloPayload = Schema.Struct({
  extensions: Schema.Array(Schema.String),
  client: optional(Schema.Struct({ name: Schema.String, version: Schema.String }))
})
export type HelloPayload = typeof HelloPayload.Type
export const HelloResult = Schema.Struct({
  protocol: Schema.Struct({ version: Schema.Literal(1), extensions: Schema.Array(Extension) }),
  /** Those of the asked-for extensions that are granted. */
  extensions: Schema.Array(Extension),
  limits: Schema.Struct({
    maxLineBytes: Schema.Int,
    outputBufferBytes: Schema.Int,
    maxParallelToolCalls: Schema.Int,
    maxSteers: Schema.Int
  }),
  sidecarVersion: Schema.String
})
export type HelloResult = typeof HelloResult.Type

export const ListQueuePayload = SessionOnly
export type ListQueuePayload = typeof ListQueuePayload.Type
export const ListQueueResult = Schema.Struct({
  running: Schema.NullOr(Schema.String),
  queued: Schema.Array(Schema.Struct({ turnId: Schema.String, text: Schema.String, position: Schema.Int }))
})
export type ListQueueResult = typeof ListQueueResult.Type

export const UnqueuePayload = Schema.Struct({ sessionId: Schema.String, turnId: Schema.String })
export type UnqueuePayload = typeof UnqueuePayload.Type
export const UnqueueResult = Schema.Struct({ removed: Schema.Boolean })
export type UnqueueResult = typeof UnqueueResult.Type

const ListSessionsStruct = Schema.Struct({ limit: optional(AtLeastOne), workingDir: optional(Schema.String) })
export const ListSessionsPayload = Schema.NullOr(ListSessionsStruct)
export type ListSessionsPayload = typeof ListSessionsPayload.Type
export const ListSessionsResult = Schema.Struct({
  sessions: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      workingDir: Schema.String,
      status: SessionStatus,
      turnCount: Schema.Int,
      firstMessage: Schema.String,
      createdAt: Schema.Int,
      updatedAt: Schema.Int
    })
  )
})
export type ListSessionsResult = typeof ListSessionsResult.Type

export const ResumeSessionPayload = SessionOnly
export type ResumeSessionPayload = typeof ResumeSessionPayload.Type
export const ResumeSessionResult = Schema.Struct({ sessionId: Schema.String, workingDir: Schema.String })
export type ResumeSessionResult = typeof ResumeSessionResult.Type

export const DeleteSessionPayload = SessionOnly
export type DeleteSessionPayload = typeof DeleteSessionPayload.Type
export const DeleteSessionResult = Schema.Struct({ deleted: Schema.Boolean })
export type DeleteSessionResult = typeof DeleteSessionResult.Type

/** The requests of the specification, in its order. */
export const specified = {
  ping: { payload: Ignored, result: PingResult },
  start_session: { payload: StartSessionPayload, result: StartSessionResult },
  send_message: { payload: SendMessagePayload, result: SendMessageResult },
  steer_message: { payload: SteerMessagePayload, result: SteerMessageResult },
  cancel: { payload: CancelPayload, result: CancelResult },
  approval_response: { payload: ApprovalResponsePayload, result: ApprovalResponseResult },
  get_session: { payload: GetSessionPayload, result: GetSessionResult },
  skill_install: { payload: SkillInstallPayload, result: SkillInstallResult },
  skill_uninstall: { payload: SkillUninstallPayload, result: SkillUninstallResult },
  skill_list: { payload: Ignored, result: SkillListResult },
  shutdown: { payload: Ignored, result: ShutdownResult }
}

/** The requests beyond the specification (contract 9); all but `hello` belong to an extension. */
export const extended = {
  hello: { payload: HelloPayload, result: HelloResult },
  list_queue: { payload: ListQueuePayload, result: ListQueueResult },
  unqueue: { payload: UnqueuePayload, result: UnqueueResult },
  list_sessions: { payload: ListSessionsPayload, result: ListSessionsResult },
  resume_session: { payload: ResumeSessionPayload, result: ResumeSessionResult },
  delete_session: { payload: DeleteSessionPayload, result: DeleteSessionResult }
}

/** The extension that a request belongs to. */
export const extensionOf: { readonly [T in RequestType]?: Extension } = {
  list_queue: "queue",
  unqueue: "queue",
  list_sessions: "sessions",
  resume_session: "sessions",
  delete_session: "sessions"
}

export const requests = { ...specified, ...extended }
export type Requests = typeof requests
export type RequestType = keyof Requests
export type RequestPayload<T extends RequestType> = Requests[T]["payload"]["Type"]
export type ResponsePayload<T extends RequestType> = Requests[T]["result"]["Type"]

/** One decoded request, of the given type. */
export type RequestOf<T extends RequestType> = {
  readonly kind: "request"
  readonly id: string
  readonly type: T
  readonly payload: RequestPayload<T>
}

/** Any request that a host may send, tagged by `type`. */
export type HostRequest = { readonly [T in RequestType]: RequestOf<T> }[RequestType]
