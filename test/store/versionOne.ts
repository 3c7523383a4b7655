import * as fs from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Entry } from "../../src/domain/Transcript.ts"

/** The tables of the first version, as its migration has left them. They stay as they are here. */
const schema = `
  CREATE TABLE "effect_sql_migrations" (
    migration_id integer PRIMARY KEY NOT NULL,
    created_at datetime NOT NULL DEFAULT current_timestamp,
    name VARCHAR(255) NOT NULL
  );
  INSERT INTO effect_sql_migrations (migration_id, name) VALUES (1, 'sessions');
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY NOT NULL,
    working_dir TEXT NOT NULL,
    status TEXT NOT NULL,
    turn_count INTEGER NOT NULL,
    step_count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    first_message TEXT,
    last_error TEXT,
    loaded_skills TEXT NOT NULL,
    context_usage TEXT,
    owner_pid INTEGER NOT NULL,
    owner_started TEXT NOT NULL
  ) STRICT;
  CREATE TABLE session_metadata (
    session_id TEXT PRIMARY KEY NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    json TEXT NOT NULL
  ) STRICT;
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entries_of_session ON entries (session_id);
  PRAGMA user_version = 1`

/** Makes a database as the first version wrote it, with one session that has these entries. */
export const writeVersionOne = (
  filename: string,
  session: { readonly id: string; readonly turnCount: number; readonly loadedSkills: string },
  entries: ReadonlyArray<Entry>
): void => {
  fs.mkdirSync(path.dirname(filename))
  const database = new DatabaseSync(filename)
  database.exec(`PRAGMA journal_mode = WAL; ${schema}`)
  database
    .prepare("INSERT INTO sessions VALUES (?, '/work', 'failed', ?, 9, 1000, 2000, 'one', 'why', ?, NULL, 1, 'before')")
    .run(session.id, session.turnCount, session.loadedSkills)
  database.prepare(`INSERT INTO session_metadata VALUES (?, '{"a":1}')`).run(session.id)
  const insert = database.prepare("INSERT INTO entries (session_id, json) VALUES (?, ?)")
  for (const entry of entries) insert.run(session.id, JSON.stringify(entry))
  database.close()
}
