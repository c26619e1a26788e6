import { migrate, type Migration } from "./migrate.ts";
import type { Database, Query } from "./sql.ts";

/** The tables of one part of an actor. Steps are only appended; a released step never changes. */
export interface Schema {
  /** Steps are named `<name>-1`, `<name>-2` and so on. The name of the last one that was done is recorded. */
  name: string;
  steps: readonly string[];
  /** Makes new tables as all steps in turn would make them; without it, the steps are run in turn. */
  whole?: string;
  /** The step of an earlier layout that made the tables of the first step too, where it is recorded. */
  madeBy?: string;
}

/** The single chain of steps by which earlier releases made all tables. */
export interface Chain {
  steps: readonly Migration[];
  /** The schemas whose first steps together equal the chain. */
  made: readonly Schema[];
}

/** Where an actor records its steps, if it has no table `migration`: names with spaces between them. */
export interface StepRecord {
  /** The table that holds the record. While it does not exist, nothing was made. */
  table: string;
  read: Query<{ steps: string | null }, []>;
  /** Has no effect while the table has no row: whoever inserts the row writes `Schemas.recorded`. */
  write: Query<never, [steps: string]>;
}

const APPLIED: Query<{ id: string }, []> = { text: "SELECT id FROM migration" };
const RECORD: Query<never, [id: string]> = {
  text: "INSERT INTO migration (id, position) SELECT ?, count(*) FROM migration",
};
const FIND_TABLES: Query<{ name: string }, [record: string]> = {
  text: "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('migration', ?)",
};

/**
 * The schemas of an actor's parts. The tables of a part are made at its first write, so that an actor stores nothing for
 * parts it never uses; existing tables are upgraded when the actor wakes.
 */
export class Schemas {
  readonly #db: Database;
  readonly #all: readonly Schema[];
  readonly #chain: Chain;
  readonly #record: StepRecord | null;
  readonly #version: string | null;
  readonly #tables = new Map<Schema, Tables>();
  /** Recorded steps; null = not read since the actor woke or since a transaction was undone. */
  #applied: Set<string> | null = null;
  /** Whether the steps are rows of the table `migration`. */
  #isInTable = false;

  /**
   * @param all every schema of this release.
   * @param chain how earlier releases made their tables.
   * @param record where the steps of a new actor are recorded; null = in a table `migration`.
   * @param version the version of this release, recorded beside the steps that it makes, so that an earlier release can name it.
   */
  constructor(
    db: Database,
    all: readonly Schema[],
    {
      chain = { steps: [], made: [] },
      record = null,
      version = null,
    }: { chain?: Chain; record?: StepRecord | null; version?: string | null } = {},
  ) {
    this.#db = db;
    this.#all = all;
    this.#chain = chain;
    this.#record = record;
    this.#version = version;
  }

  /** Upgrades existing tables; makes none. Throws if a newer release wrote the data. */
  open(): void {
    if (this.#steps().size === 0) return;
    this.#refuseUnknown();
    const isOutdated = (schema: Schema) => this.isMade(schema) && missingSteps(schema, this.#steps()) > 0;
    if (!this.#isUnadopted && !this.#all.some(isOutdated)) return;
    this.#db.transaction(() => {
      if (this.#isUnadopted) this.#adopt();
      for (const schema of this.#all) if (this.isMade(schema)) this.make(schema);
    });
  }

  /** Whether any tables were made: whether the actor exists. */
  get hasBegun(): boolean {
    return this.#steps().size > 0;
  }

  /** The recorded steps, with spaces between them. */
  get recorded(): string {
    return [...this.#steps()].join(" ");
  }

  /** Whether the tables of a schema exist. */
  isMade(schema: Schema): boolean {
    return missingSteps(schema, this.#steps()) < schema.steps.length;
  }

  /** Makes or upgrades the tables of a schema, within a transaction of the caller. */
  make(schema: Schema): void {
    const applied = this.#steps();
    const { name, steps, whole } = schema;
    const missing = missingSteps(schema, applied);
    if (missing === 0) return;
    if (applied.size === 0 && this.#record === null) {
      migrate(this.#db, []);
      this.#isInTable = true;
    }
    const isNew = missing === steps.length;
    for (const text of isNew && whole !== undefined ? [whole] : steps.slice(-missing)) this.#db.script(text);
    this.#note(`${name}-${steps.length}`);
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

  #note(id: string): void {
    const applied = this.#steps();
    const names = this.#version === null ? [id] : [id, `v${this.#version}`];
    const fresh = names.filter((name) => !applied.has(name));
    for (const name of fresh) applied.add(name);
    if (this.#isInTable) for (const name of fresh) this.#db.run(RECORD, name);
    else if (this.#record !== null) this.#db.run(this.#record.write, this.recorded);
  }

  #refuseUnknown(): void {
    const known = new Set([...this.#chain.steps.map(({ id }) => id), ...this.#all.flatMap(stepIds)]);
    for (const id of this.#steps()) {
      if (known.has(id) || VERSION_MARK.test(id)) continue;
      // Builds of one version between two releases may differ in their steps.
      const newest = newestVersion([...this.#steps()].filter((one) => one !== `v${this.#version}`));
      const writer = newest === null ? "a newer version" : `version ${newest}`;
      throw new Error(
        `The data was written by ${writer}: this version${this.#version === null ? "" : `, ${this.#version},`} does not know its step ${id}. Run ${newest === null ? "the newer version" : `${newest} or newer`}.`,
      );
    }
  }

  /** Whether the tables are those of the chain, and were not adopted yet. */
  get #isUnadopted(): boolean {
    const [first] = this.#chain.steps;
    return (
      first !== undefined &&
      this.#steps().has(first.id) &&
      !this.#chain.made.some(({ name }) => this.#steps().has(`${name}-1`))
    );
  }

  /** Completes the chain of an earlier release, and records the schemas that it made. */
  #adopt(): void {
    migrate(this.#db, this.#chain.steps);
    for (const { name } of this.#chain.made) this.#db.run(RECORD, `${name}-1`);
    this.#applied = null;
  }

  #steps(): Set<string> {
    this.#applied ??= new Set(this.#readSteps());
    return this.#applied;
  }

  #readSteps(): string[] {
    const found = this.#db.all(FIND_TABLES, this.#record?.table ?? "migration").map(({ name }) => name);
    this.#isInTable = found.includes("migration");
    if (this.#isInTable) return this.#db.all(APPLIED).map(({ id }) => id);
    if (this.#record === null || found.length === 0) return [];
    return (this.#db.first(this.#record.read)?.steps ?? "").split(" ").filter((id) => id !== "");
  }
}

/** The mark of a release that made tables. */
const VERSION_MARK = /^v\d+\.\d+\.\d+$/;

function newestVersion(steps: Iterable<string>): string | null {
  const marks = [...steps].filter((id) => VERSION_MARK.test(id)).map((id) => id.slice(1));
  const compare = new Intl.Collator("en", { numeric: true }).compare;
  return marks.toSorted(compare).at(-1) ?? null;
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

/** How many steps of a schema were not done: all of them if its tables do not exist. */
function missingSteps({ name, steps, madeBy }: Schema, applied: ReadonlySet<string>): number {
  for (let number = steps.length; number > 0; number -= 1) {
    if (applied.has(`${name}-${number}`)) return steps.length - number;
  }
  return madeBy !== undefined && applied.has(madeBy) ? steps.length - 1 : steps.length;
}

function stepIds({ name, steps, madeBy }: Schema): string[] {
  return [...steps.map((_, index) => `${name}-${index + 1}`), ...(madeBy === undefined ? [] : [madeBy])];
}
