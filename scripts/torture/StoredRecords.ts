import { DatabaseSync } from "node:sqlite"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"

/** A record that an event has announced, and that must therefore be stored. */
export interface AnnouncedRecord {
  readonly sessionId: string
  readonly record: string
}

/** What is in a database. */
export interface StoredRecords {
  /** `ok`, or what SQLite finds wrong. */
  readonly integrity: unknown
  readonly records: ReadonlySet<string>
  /** The status of each session, by id. */
  readonly statuses: ReadonlyMap<string, string>
}

/** The records that a frame announces. */
export const announcedBy = (frame: SidecarFrame): ReadonlyArray<AnnouncedRecord> => {
  if (frame.kind !== "event") return []
  switch (frame.type) {
    case "user_message":
      return [{ sessionId: frame.payload.sessionId, record: `user ${frame.payload.turnId}` }]
    case "assistant_reply": {
      const { sessionId, text, turnId } = frame.payload
      return [{ sessionId, record: `assistant_reply ${turnId} ${text}` }]
    }
    case "tool_call_started":
      return [{ sessionId: frame.payload.sessionId, record: `assistant_tool_call ${frame.payload.callId}` }]
    case "tool_call_result":
      return [{ sessionId: frame.payload.sessionId, record: `tool_result ${frame.payload.callId}` }]
    default:
      return []
  }
}

/** Looks through a whole database; one without tables has nothing. */
export const storedIn = (filename: string): StoredRecords => {
  const database = new DatabaseSync(filename)
  try {
    const integrity = database.prepare("PRAGMA integrity_check").get()?.["integrity_check"]
    const all = (table: string, columns: string) => {
      const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table) !== undefined
      return exists ? database.prepare(`SELECT ${columns} FROM ${table}`).all() : []
    }
    return {
      integrity,
      records: new Set(all("entries", "json").map((row) => recordOf(JSON.parse(String(row["json"]))))),
      statuses: new Map(all("sessions", "id, status").map((row) => [String(row["id"]), String(row["status"])]))
    }
  } finally {
    database.close()
  }
}

const recordOf = ({ callId, kind, text, turnId }: { readonly [key: string]: string | undefined }): string => {
  if (callId !== undefined) return `${kind} ${callId}`
  return kind === "user" ? `user ${turnId}` : `${kind} ${turnId} ${text}`
}
