import * as Context from "effect/Context"
import type { HeldGrant } from "./grants/Covers.ts"
import type { SessionOptions } from "../protocol/SessionOptions.ts"
import type { Tool } from "../tools/Tool.ts"

/** What a host gives a session when it begins. Nothing of it is stored: a resumed session needs it again. */
export class SessionSetup extends Context.Service<
  SessionSetup,
  {
    readonly options: SessionOptions
    /** What needs no question. */
    readonly grants: ReadonlyArray<HeldGrant>
    /** Tools that the host runs. */
    readonly tools: ReadonlyArray<Tool>
  }
>()("atomic-agent-sidecar/session/SessionSetup") {}
