import * as Schema from "effect/Schema"

/**
 * Describes one field of a payload. The description is shown in the published JSON Schema and in `docs/protocol.md`; it
 * does not change what is accepted.
 */
export const field = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.annotateKey({ description })

/** A field that the sidecar leaves out where it has no value; it never sends null for it. */
export const optionalField = <S extends Schema.Top>(schema: S, description: string) =>
  field(Schema.optionalKey(schema), description)

/** A field that a host may leave out or set to null. */
export const nullableField = <S extends Schema.Top>(schema: S, description: string) =>
  field(Schema.optionalKey(Schema.NullOr(schema)), description)

/** On every event and request of a session. */
export const ofSession = { sessionId: field(Schema.String, "The session's id: `s-` and a UUID.") }

/** On every event of a turn (contract 9). */
export const ofTurn = { ...ofSession, turnId: field(Schema.String, "The turn's id: `t-` and a UUID.") }
