import type { requestTable } from "./RequestTable.ts"

export type { Extension } from "./Extension.ts"

type Requests = typeof requestTable
export type RequestType = keyof Requests
export type RequestPayload<T extends RequestType> = Requests[T]["payload"]["Type"]
export type ResponsePayload<T extends RequestType> = Requests[T]["result"]["Type"]

/** The request types that the first version of the protocol declares; `run_step` is answered with `unknown_request`. */
export type HostRequestType = RequestType | "run_step"

/** One decoded request, of the given type. */
export type RequestOf<T extends RequestType> = {
  readonly kind: "request"
  readonly id: string
  readonly type: T
  readonly payload: RequestPayload<T>
}

/** Any request that a host may send, tagged by `type`. */
export type HostRequest = { readonly [T in RequestType]: RequestOf<T> }[RequestType]

// Written by `npm run tables`.
export type PingResult = ResponsePayload<"ping">
export type StartSessionPayload = RequestPayload<"start_session">
export type StartSessionResult = ResponsePayload<"start_session">
export type SendMessagePayload = RequestPayload<"send_message">
export type SendMessageResult = ResponsePayload<"send_message">
export type SteerMessagePayload = RequestPayload<"steer_message">
export type SteerMessageResult = ResponsePayload<"steer_message">
export type CancelPayload = RequestPayload<"cancel">
export type CancelResult = ResponsePayload<"cancel">
export type ApprovalResponsePayload = RequestPayload<"approval_response">
export type ApprovalResponseResult = ResponsePayload<"approval_response">
export type GetSessionPayload = RequestPayload<"get_session">
export type GetSessionResult = ResponsePayload<"get_session">
export type SkillInstallPayload = RequestPayload<"skill_install">
export type SkillInstallResult = ResponsePayload<"skill_install">
export type SkillUninstallPayload = RequestPayload<"skill_uninstall">
export type SkillUninstallResult = ResponsePayload<"skill_uninstall">
export type SkillListResult = ResponsePayload<"skill_list">
export type ShutdownResult = ResponsePayload<"shutdown">
export type HelloPayload = RequestPayload<"hello">
export type HelloResult = ResponsePayload<"hello">
export type ListQueuePayload = RequestPayload<"list_queue">
export type ListQueueResult = ResponsePayload<"list_queue">
export type UnqueuePayload = RequestPayload<"unqueue">
export type UnqueueResult = ResponsePayload<"unqueue">
export type ListSessionsPayload = RequestPayload<"list_sessions">
export type ListSessionsResult = ResponsePayload<"list_sessions">
export type ResumeSessionPayload = RequestPayload<"resume_session">
export type ResumeSessionResult = ResponsePayload<"resume_session">
export type ToolResponsePayload = RequestPayload<"tool_response">
export type ToolResponseResult = ResponsePayload<"tool_response">
export type ListModelsResult = ResponsePayload<"list_models">
export type SetOptionsPayload = RequestPayload<"set_options">
export type SetOptionsResult = ResponsePayload<"set_options">
export type ListGrantsPayload = RequestPayload<"list_grants">
export type ListGrantsResult = ResponsePayload<"list_grants">
export type RevokeGrantPayload = RequestPayload<"revoke_grant">
export type RevokeGrantResult = ResponsePayload<"revoke_grant">
export type CloseSessionPayload = RequestPayload<"close_session">
export type CloseSessionResult = ResponsePayload<"close_session">
export type DeleteSessionPayload = RequestPayload<"delete_session">
export type DeleteSessionResult = ResponsePayload<"delete_session">
export type UpdateSessionPayload = RequestPayload<"update_session">
export type UpdateSessionResult = ResponsePayload<"update_session">
export type ForkSessionPayload = RequestPayload<"fork_session">
export type ForkSessionResult = ResponsePayload<"fork_session">
