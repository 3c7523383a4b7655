import type { SqlClient } from "effect/sql/SqlClient"
import type { Run } from "./Sqlite.ts"

/** True for the status of a session whose last turn has not ended. */
export const isRunning = (status: string): boolean => status === "running" || status === "awaiting_approval"

/** Stores what the session's row is now, at the end of its last turn. */
export const keepTurnEnd = (sql: SqlClient, run: Run, id: string): void => {
  run(sql`
    INSERT OR REPLACE INTO turn_ends
      (session_id, turn_count, status, step_count, last_error, loaded_skills, context_usage)
    SELECT id, turn_count, status, step_count, last_error, loaded_skills, context_usage
    FROM sessions WHERE id = ${id} AND turn_count > 0`)
}
