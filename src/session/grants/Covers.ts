import { isDeepStrictEqual } from "node:util"
import type { GrantSubject } from "../../domain/GrantSubject.ts"
import { isWithin } from "../../files/PathScope.ts"
import type { Grant } from "../../protocol/Grant.ts"

/** A grant of a session: as it was given, and with all links in its path resolved at that time. */
export interface HeldGrant {
  readonly given: Grant
  readonly real: Grant
}

export const sameGrant = (one: unknown, other: Grant): boolean => isDeepStrictEqual(one, other)

/**
 * The grant that covers a call, the first one where several do so together; undefined if none do (contract 9, `grants`). A call is
 * covered if all that it touches or runs is.
 */
export const covering = (held: ReadonlyArray<HeldGrant>, subject: GrantSubject): Grant | undefined => {
  const parts = partsOf(subject).map((covers) => held.find(({ real }) => covers(real))?.given)
  return parts.every((given) => given !== undefined) ? parts[0] : undefined
}

/** For each thing that a call does, whether a grant covers it. */
const partsOf = (subject: GrantSubject): ReadonlyArray<(grant: Grant) => boolean> => {
  switch (subject.kind) {
    case "read":
    case "write":
      return subject.paths.map((path) => (grant) => grant.kind === subject.kind && isWithin(grant.path, path))
    case "command":
      return subject.commands.map(({ argv, atLeast, isExact }) => (grant) => {
        if (grant.kind !== "command" || grant.argv.length < (isExact ? argv.length : atLeast)) return false
        return grant.argv.every((word, index) => word === argv[index])
      })
    case "host":
      return [(grant) => grant.kind === "host" && grant.host === subject.host]
    case "script":
      return [(grant) => grant.kind === "script" && grant.skill === subject.skill && grant.script === subject.script]
    case "mcp":
      return [
        (grant) =>
          grant.kind === "mcp" && grant.server === subject.server && (grant.tool ?? subject.tool) === subject.tool
      ]
  }
}
