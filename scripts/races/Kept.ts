import { DatabaseSync } from "node:sqlite"
import type { SidecarFrame } from "../../src/protocol/Frame.ts"

/** A record that the host was told of, and that must therefore be kept. */
export interface Told {
  readonly sessionId: string
  readonly record: string
}

/** What is in a database. */
export interface Kept {
  /** `ok`, or what SQLite finds wrong. */
  readonly integrity: unknown
  readonly records: ReadonlySet<string>
}

/** What an event says is kept, as the record that must be there. */
export const toldBy = (frame: SidecarFrame): ReadonlyArray<Told> => {
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
export const keptIn = (filename: string): Kept => {
  const database = new DatabaseSync(filename)
  try {
    const integrity = database.prepare("PRAGMA integrity_check").get()?.["integrity_check"]
    const hasEntries = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get() !== undefined
    const rows = hasEntries ? database.prepare("SELECT json FROM entries").all() : []
    return { integrity, records: new Set(rows.map((row) => recordOf(JSON.parse(String(row["json"]))))) }
  } finally {
    database.close()
  }
}

const recordOf = ({ callId, kind, text, turnId }: { readonly [key: string]: string | undefined }): string => {
  if (callId !== undefined) return `${kind} ${callId}`
  return kind === "user" ? `user ${turnId}` : `${kind} ${turnId} ${text}`
}
