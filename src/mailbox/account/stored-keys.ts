import { ownJson } from "../../lib/json-text.ts";
import type { Statements } from "../../lib/schemas.ts";
import * as rows from "./rows.ts";
import type { KeyRow } from "./rows.ts";

/**
 * The stored keys of a mailbox. The first one is a column of the mailbox's own row and further ones are rows of a table, so that
 * a mailbox with one key has no such table.
 */
export class StoredKeys {
  readonly #account: Statements;
  readonly #further: Statements;
  #firstId: string | null = null;

  /**
   * @param account statements over the mailbox's own row.
   * @param further statements over the table of further keys.
   */
  constructor(account: Statements, further: Statements) {
    this.#account = account;
    this.#further = further;
  }

  /** The text of the column that holds the first key. */
  static column(key: KeyRow): string {
    return JSON.stringify(key);
  }

  /** All keys, the oldest first. */
  read(column: string | null): KeyRow[] {
    const further = this.#further.all(rows.LIST_KEYS);
    if (column === null) return further;
    const first = ownJson<KeyRow>(column);
    this.#firstId = first.id;
    return [first, ...further];
  }

  insert({ id, secret_hash, scope, created_at, expires_at }: KeyRow): void {
    this.#further.run(rows.INSERT_KEY, id, secret_hash, scope, created_at, expires_at);
  }

  /** Writes when a key expires and when it was last used. */
  change(key: KeyRow): void {
    if (key.id === this.#firstId) this.#account.run(rows.WRITE_FIRST_KEY, StoredKeys.column(key));
    else this.#further.run(rows.CHANGE_KEY, key.expires_at, key.last_used_at, key.id);
  }

  remove(id: string): void {
    if (id === this.#firstId) this.#account.run(rows.WRITE_FIRST_KEY, null);
    else this.#further.run(rows.DELETE_KEY, id);
  }

  removeAll(): void {
    if (this.#firstId !== null) this.#account.run(rows.WRITE_FIRST_KEY, null);
    this.#further.run(rows.DELETE_KEYS);
  }
}
