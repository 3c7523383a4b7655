import * as Effect from "effect/Effect"
import { NoActiveSession, NoSession } from "../session/NoSession.ts"
import { handed, later, now, type SessionHandlers } from "./Handler.ts"

const noActive = ({ sessionId }: { readonly sessionId: string }) => Effect.fail(new NoActiveSession({ sessionId }))
const noSession = (request: string) => later(() => Effect.fail(new NoSession({ request })))

/**
 * The responses to requests that come before any that needs sessions to be built: what these requests say when there is no
 * session. Without them, a host that only asks would make the sidecar open its database, and fail if it cannot.
 */
export const handlers: Partial<SessionHandlers> = {
  send_message: handed(noActive),
  steer_message: now(() => Effect.succeed({ steered: false })),
  cancel: later(() => Effect.succeed({ cancelled: false, turns: 0 })),
  approval_response: now(() => Effect.succeed({ resolved: false })),
  tool_response: now(() => Effect.succeed({ resolved: false })),
  get_session: later(() => Effect.succeed(null)),
  skill_install: noSession("skill_install"),
  skill_uninstall: noSession("skill_uninstall"),
  skill_list: later(() => Effect.succeed({ skills: [] })),
  close_session: later(() => Effect.succeed({ closed: false })),
  set_options: now(noActive),
  list_grants: now(noActive),
  revoke_grant: now(() => Effect.succeed({ revoked: false })),
  list_queue: now(noActive),
  unqueue: later(noActive)
}
