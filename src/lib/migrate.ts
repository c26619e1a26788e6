import type { Database, Query } from "./sql.ts";

/** One step of a schema. Steps are only appended; a released step never changes. */
export interface Migration {
  id: string;
  sql: string;
}

const MIGRATION_TABLE =
  "CREATE TABLE IF NOT EXISTS migration (id TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID";
const FIND_TABLE: Query<{ name: string }, []> = {
  text: "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migration'",
};
const APPLIED: Query<{ id: string }, []> = { text: "SELECT id FROM migration ORDER BY position" };
const RECORD: Query<never, [string, number]> = { text: "INSERT INTO migration (id, position) VALUES (?, ?)" };

/** Whether this object has a schema. An address that nobody created has none, and asking does not give it one. */
export function hasSchema(db: Database): boolean {
  return db.first(FIND_TABLE) !== null;
}

/**
 * Applies the steps that are missing, all in one transaction. Throws if the stored steps are not the beginning of `migrations`:
 * then a newer release wrote the data.
 */
export function migrate(db: Database, migrations: readonly Migration[]): void {
  db.transaction(() => {
    db.script(MIGRATION_TABLE);
    const applied = db.all(APPLIED).map((row) => row.id);
    applied.forEach((id, position) => {
      if (migrations[position]?.id !== id) {
        throw new Error(
          `The data was written by a newer release: this version does not know its step ${id}. Run the newer release.`,
        );
      }
    });
    migrations.slice(applied.length).forEach((migration, index) => {
      db.script(migration.sql);
      db.run(RECORD, migration.id, applied.length + index);
    });
  });
}
