import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { MailboxStorage } from "../../src/mailbox/context.ts";

/** The storage of an object in Node: the same SQL on a real SQLite in memory, and an alarm that rings when the test says so. */
export class NodeStorage implements MailboxStorage {
  #db = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;
  alarm: number | null = null;
  /** So many writes fail from now on. */
  failing = 0;
  /** The size that the storage says it has. */
  databaseBytes = 0;
  /** Writes of processes that were dead. */
  readonly late: string[] = [];

  readonly sql = {
    exec: (query: string, ...params: unknown[]) => this.#exec(query, params),
    get databaseSize() {
      return 0;
    },
  } as unknown as SqlStorage;

  /** The storage as one process reaches it. Once `isDead` says so, its writes fail and are noted in `late`. */
  asSeenBy(isDead: () => boolean): MailboxStorage {
    const bytes = () => this.databaseBytes;
    const write = <T>(what: string, work: () => T): T => {
      if (!isDead()) return work();
      this.late.push(what);
      throw new Error("A dead process writes");
    };
    return {
      sql: {
        exec: (query: string, ...params: unknown[]) =>
          isWrite(query) ? write(query, () => this.#exec(query, params)) : this.#exec(query, params),
        get databaseSize() {
          return bytes();
        },
      } as unknown as SqlStorage,
      transactionSync: (change) => this.transactionSync(change),
      sync: () => this.sync(),
      deleteAll: () => write("deleteAll", () => this.deleteAll()),
      getAlarm: () => this.getAlarm(),
      setAlarm: (at) => write("setAlarm", () => this.setAlarm(at)),
      deleteAlarm: () => write("deleteAlarm", () => this.deleteAlarm()),
    };
  }

  #exec(query: string, params: readonly unknown[]) {
    if (this.failing > 0 && isWrite(query)) {
      this.failing -= 1;
      throw new Error("disk is full");
    }
    if (params.length === 0 && query.trim().slice(0, -1).includes(";")) {
      this.#db.exec(query);
      return cursorOf([]);
    }
    const statement = this.#statements.get(query) ?? this.#db.prepare(query);
    this.#statements.set(query, statement);
    return cursorOf(statement.all(...params.map(inputOf)).map(rowOf));
  }

  transactionSync<T>(change: () => T): T {
    this.#depth += 1;
    const point = `level_${this.#depth}`;
    this.#db.exec(`SAVEPOINT ${point}`);
    const alarm = this.alarm;
    try {
      const result = change();
      this.#db.exec(`RELEASE ${point}`);
      return result;
    } catch (error) {
      this.#db.exec(`ROLLBACK TO ${point}; RELEASE ${point}`);
      this.alarm = alarm;
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  sync(): Promise<void> {
    return Promise.resolve();
  }

  async deleteAll(): Promise<void> {
    this.#statements.clear();
    this.#db.close();
    this.#db = new DatabaseSync(":memory:");
    this.alarm = null;
  }

  async getAlarm(): Promise<number | null> {
    return this.alarm;
  }

  async setAlarm(at: number | Date): Promise<void> {
    this.alarm = Number(at);
  }

  async deleteAlarm(): Promise<void> {
    this.alarm = null;
  }
}

function isWrite(query: string): boolean {
  return !/^\s*SELECT/i.test(query);
}

function cursorOf(rows: readonly object[]) {
  return { toArray: () => rows, rowsRead: 0, rowsWritten: 0 };
}

function inputOf(value: unknown): SQLInputValue {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : (value as SQLInputValue);
}

/** Bytes as the platform gives them. */
function rowOf(row: Record<string, unknown>): object {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) row[name] = value.slice().buffer;
  }
  return row;
}
