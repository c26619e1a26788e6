import { hasSchema, migrate, type Migration } from "./migrate.ts";
import type { Database, Query } from "./sql.ts";

/** The tables of one part of an actor. Steps are only appended; a released step never changes. */
export interface Schema {
  /** Steps are recorded as `<name>-1`, `<name>-2` and so on. */
  name: string;
  steps: readonly string[];
}

/** The single chain of steps by which earlier releases made all tables. */
export interface Chain {
  steps: readonly Migration[];
  /** The schemas whose first steps together equal the chain. */
  made: readonly Schema[];
}

const APPLIED: Query<{ id: string }, []> = { text: "SELECT id FROM migration" };
const RECORD: Query<never, [id: string]> = {
  text: "INSERT INTO migration (id, position) SELECT ?, count(*) FROM migration",
};

/**
 * The schemas of an actor's parts. The tables of a part are made at its first write, so that an actor stores nothing for
 * parts it never uses; existing tables are upgraded when the actor wakes.
 */
export class Schemas {
  readonly #db: Database;
  readonly #all: readonly Schema[];
  readonly #chain: Chain;
  readonly #tables = new Map<Schema, Tables>();
  /** Recorded steps; null = not read since the actor woke or since a transaction was undone. */
  #applied: Set<string> | null = null;

  /**
   * @param all every schema of this release.
   * @param chain how earlier releases made their tables.
   */
  constructor(db: Database, all: readonly Schema[], chain: Chain = { steps: [], made: [] }) {
    this.#db = db;
    this.#all = all;
    this.#chain = chain;
  }

  /** Upgrades existing tables; makes none. Throws if a newer release wrote the data. */
  open(): void {
    if (!hasSchema(this.#db)) return;
    this.#db.transaction(() => {
      const [first] = this.#chain.steps;
      if (first !== undefined && this.#steps().has(first.id)) this.#adopt();
      const known = new Set([...this.#chain.steps.map(({ id }) => id), ...this.#all.flatMap(stepIds)]);
      for (const id of this.#steps()) {
        if (known.has(id)) continue;
        throw new Error(
          `The stored schema has step ${id}, which this release does not know; run the newer release`,
        );
      }
      for (const schema of this.#all) if (this.isMade(schema)) this.make(schema);
    });
  }

  /** Whether any tables were made: whether the actor exists. */
  get hasBegun(): boolean {
    return this.#steps().size > 0;
  }

  /** Whether the tables of a schema exist. */
  isMade({ name }: Schema): boolean {
    return this.#steps().has(`${name}-1`);
  }

  /** Makes or upgrades the tables of a schema, within a transaction of the caller. */
  make(schema: Schema): void {
    const applied = this.#steps();
    for (const [index, id] of stepIds(schema).entries()) {
      if (applied.has(id)) continue;
      if (applied.size === 0) migrate(this.#db, []);
      this.#db.script(schema.steps[index] ?? "");
      this.#db.run(RECORD, id);
      applied.add(id);
    }
  }

  /** The statements of a part: before its tables exist, reads find nothing, and the first insertion makes the tables. */
  tables(schema: Schema): Tables {
    const known = this.#tables.get(schema);
    if (known !== undefined) return known;
    const tables = new Tables(this.#db, this, schema);
    this.#tables.set(schema, tables);
    return tables;
  }

  /** Reads the recorded steps again: a transaction was undone, or everything was erased. */
  forget(): void {
    this.#applied = null;
    for (const tables of this.#tables.values()) tables.forget();
  }

  /** Completes the chain of an earlier release once, and records the schemas that it made. */
  #adopt(): void {
    const made = this.#chain.made.flatMap((schema) => stepIds(schema).slice(0, 1));
    if (made.some((id) => this.#steps().has(id))) return;
    migrate(this.#db, this.#chain.steps);
    for (const id of made) this.#db.run(RECORD, id);
    this.#applied = null;
  }

  #steps(): Set<string> {
    this.#applied ??= new Set(hasSchema(this.#db) ? this.#db.all(APPLIED).map(({ id }) => id) : []);
    return this.#applied;
  }
}

/** Runs statements over some tables. */
export type Statements = Pick<Database, "all" | "first" | "run">;

/** The statements of one part of an actor. */
export class Tables implements Statements {
  readonly #db: Database;
  readonly #schemas: Schemas;
  readonly #schema: Schema;
  #isMade: boolean | null = null;

  constructor(db: Database, schemas: Schemas, schema: Schema) {
    this.#db = db;
    this.#schemas = schemas;
    this.#schema = schema;
  }

  /** Whether the tables exist. */
  get isMade(): boolean {
    this.#isMade ??= this.#schemas.isMade(this.#schema);
    return this.#isMade;
  }

  /** All rows; none if the tables do not exist yet. */
  all<Row extends object, Params extends readonly SqlStorageValue[]>(
    query: Query<Row, Params>,
    ...params: Params
  ): Row[] {
    return this.isMade ? this.#db.all(query, ...params) : [];
  }

  /** The first row; null if there is none or no table. */
  first<Row extends object, Params extends readonly SqlStorageValue[]>(
    query: Query<Row, Params>,
    ...params: Params
  ): Row | null {
    return this.isMade ? this.#db.first(query, ...params) : null;
  }

  /** Runs a statement for its effect. An insertion first makes the tables; without tables, any other statement does nothing. */
  run<Params extends readonly SqlStorageValue[]>(query: Query<object, Params>, ...params: Params): void {
    if (!this.isMade) {
      if (!query.text.startsWith("INSERT")) return;
      this.make();
    }
    this.#db.run(query, ...params);
  }

  /**
   * Makes the tables before a write of several statements. Throws if the actor was never created or was erased: only `Schemas.make`
   * creates one, so a call that is still running when the actor is erased cannot bring its data back.
   */
  make(): void {
    if (this.isMade) return;
    if (!this.#schemas.hasBegun) {
      throw new Error(
        `Cannot make the tables of "${this.#schema.name}": the actor was erased or never created`,
      );
    }
    this.#db.transaction(() => this.#schemas.make(this.#schema));
    this.#isMade = true;
  }

  forget(): void {
    this.#isMade = null;
  }
}

function stepIds({ name, steps }: Schema): string[] {
  return steps.map((_, index) => `${name}-${index + 1}`);
}
