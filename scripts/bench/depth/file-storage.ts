import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { MailboxStorage } from "../../../src/mailbox/context.ts";

const CHANGES_AT_ONCE = 500;

/**
 * The storage of a mailbox whose service is stopped: the same SQL on its file, without waiting for the disk. Alarms are left to
 * the service, which sets them at the next start.
 */
export class FileStorage implements MailboxStorage {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;
  #changes = 0;

  readonly sql: SqlStorage;

  constructor(file: string) {
    this.#db = new DatabaseSync(file);
    this.#db.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
    this.sql = {
      exec: (query: string, ...params: unknown[]) => this.#exec(query, params),
      // The quota is not what is measured here.
      databaseSize: 0,
    } as unknown as SqlStorage;
  }

  /** Many transactions are one here, because the full-text index is written at the end of each. An error ends the bench. */
  transactionSync<T>(change: () => T): T {
    if (!this.#db.isTransaction) this.#db.exec("BEGIN");
    this.#depth += 1;
    const result = change();
    this.#depth -= 1;
    this.#changes += 1;
    if (this.#depth === 0 && this.#changes >= CHANGES_AT_ONCE) this.#commit();
    return result;
  }

  async sync(): Promise<void> {}

  async deleteAll(): Promise<void> {
    throw new Error("The bench does not erase a mailbox here");
  }

  async getAlarm(): Promise<number | null> {
    return null;
  }

  async setAlarm(): Promise<void> {}

  async deleteAlarm(): Promise<void> {}

  /** Writes everything into the file itself. */
  close(): void {
    this.#commit();
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#db.close();
  }

  #commit(): void {
    if (this.#db.isTransaction) this.#db.exec("COMMIT");
    this.#changes = 0;
  }

  #exec(query: string, params: readonly unknown[]): unknown {
    if (params.length === 0 && query.trim().slice(0, -1).includes(";")) {
      this.#db.exec(query);
      return { toArray: () => [], rowsRead: 0, rowsWritten: 0 };
    }
    const statement = this.#statements.get(query) ?? this.#db.prepare(query);
    this.#statements.set(query, statement);
    const rows = statement.all(...params.map(inputOf));
    return { toArray: () => rows, rowsRead: 0, rowsWritten: 0 };
  }
}

function inputOf(value: unknown): SQLInputValue {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : (value as SQLInputValue);
}
