import * as Context from "effect/Context"
import type { Grant } from "../protocol/Grant.ts"

/**
 * The grant that lets a call run which nobody was asked about; undefined for any other. A call whose plan does not name all that it
 * may come to must keep to it.
 */
export const CoveringGrant = Context.Reference<Grant | undefined>("atomic-agent-sidecar/tools/CoveringGrant", {
  defaultValue: () => undefined
})
