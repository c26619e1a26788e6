/** A statement that takes the parameters `Params` and returns rows of shape `Row`. Nothing checks the types against the SQL beside them. */
export interface Query<Row, Params extends readonly SqlStorageValue[]> {
  readonly text: string;
  readonly row?: Row;
  readonly params?: Params;
}

/** Rows that statements read and wrote, as the platform bills them. */
export interface RowCost {
  read: number;
  written: number;
}

/** Named statements over the storage of one actor. */
export class Database {
  readonly #sql: SqlStorage;
  readonly #storage: Pick<DurableObjectStorage, "transactionSync">;
  /** Null until `takeCost` is first called: reading the count off each cursor takes longer than many statements. */
  #cost: RowCost | null = null;

  constructor(storage: Pick<DurableObjectStorage, "sql" | "transactionSync">) {
    this.#storage = storage;
    this.#sql = storage.sql;
  }

  /** All rows. */
  all<Row extends object, Params extends readonly SqlStorageValue[]>(
    query: Query<Row, Params>,
    ...params: Params
  ): Row[] {
    const cursor = this.#sql.exec(query.text, ...params);
    const rows = cursor.toArray();
    this.#count(cursor);
    return rows as Row[];
  }

  /** The first row, or null. */
  first<Row extends object, Params extends readonly SqlStorageValue[]>(
    query: Query<Row, Params>,
    ...params: Params
  ): Row | null {
    return this.all(query, ...params)[0] ?? null;
  }

  /** Runs a statement for its effect. */
  run<Params extends readonly SqlStorageValue[]>(query: Query<object, Params>, ...params: Params): void {
    // A statement without rows has finished when `exec` returns.
    this.#count(this.#sql.exec(query.text, ...params));
  }

  /** Runs constant SQL without parameters, such as a migration. */
  script(text: string): void {
    this.#sql.exec(text);
  }

  /** Runs `change` as one transaction: if it throws, nothing of it happened. */
  transaction<T>(change: () => T): T {
    return this.#storage.transactionSync(change);
  }

  /** Rows read and written since the last call. The first call starts the count. */
  takeCost(): RowCost {
    const cost = this.#cost ?? { read: 0, written: 0 };
    this.#cost = { read: 0, written: 0 };
    return cost;
  }

  #count(cursor: Pick<SqlStorageCursor<never>, "rowsRead" | "rowsWritten">): void {
    if (this.#cost === null) return;
    this.#cost.read += cursor.rowsRead;
    this.#cost.written += cursor.rowsWritten;
  }
}
