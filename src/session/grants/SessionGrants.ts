import * as Context from "effect/Context"
import type { GrantSubject } from "../../domain/GrantSubject.ts"
import type { Grant, Offer } from "../../protocol/Grant.ts"
import { covering, type HeldGrant, sameGrant } from "./Covers.ts"
import { offersOf } from "./Offers.ts"

/** The grants of one session (contract 9, `grants`). They live as long as it does and are stored nowhere. */
export class SessionGrants extends Context.Service<
  SessionGrants,
  {
    /** As they were given, the oldest first. */
    readonly all: ReadonlyArray<Grant>
    /** The grant that covers a call now; undefined if none does. */
    covering(subject: GrantSubject | undefined): Grant | undefined
    /** What a yes to a call could cover beside it. */
    offersOf(subject: GrantSubject | undefined): ReadonlyArray<Offer>
    /** Adds one of the offers, whose path is a real one. */
    add(grant: Grant): void
    /** Takes a grant back; false if there is none like it. */
    revoke(grant: Grant): boolean
  }
>()("atomic-agent-sidecar/session/grants/SessionGrants") {
  static readonly make = (initial: ReadonlyArray<HeldGrant>, home: string | undefined): SessionGrants["Service"] => {
    let held: ReadonlyArray<HeldGrant> = []
    const hold = (grant: HeldGrant) => {
      if (!held.some(({ given }) => sameGrant(grant.given, given))) held = [...held, grant]
    }
    initial.forEach(hold)
    return SessionGrants.of({
      get all() {
        return held.map(({ given }) => given)
      },
      covering: (subject) => (subject === undefined ? undefined : covering(held, subject)),
      offersOf: (subject) => (subject === undefined ? [] : offersOf(subject, held, home)),
      add: (grant) => hold({ given: grant, real: grant }),
      revoke: (grant) => {
        const kept = held.filter(({ given }) => !sameGrant(grant, given))
        const isHeld = kept.length < held.length
        held = kept
        return isHeld
      }
    })
  }
}
