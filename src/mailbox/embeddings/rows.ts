import type { Seq } from "../../lib/ids.ts";
import type { Statements } from "../../lib/schemas.ts";
import type { Query } from "../../lib/sql.ts";

/** The model of a mailbox's vectors, and the progress of embedding; one row. */
export type EmbeddingState = {
  model: string;
  /** Increases with each change of the model: vectors of different models cannot be compared. */
  generation: number;
  /** Dimensions of each vector; 0 = not known yet. */
  dimensions: number;
  /** Messages above `high`, and those up to `low`, are not embedded yet; those above `high` come first. */
  low: Seq;
  high: Seq;
  /** Messages up to `renew` get a new vector even if they have one; those between it and `low` only if they have none. */
  renew: Seq;
  /** Number of messages with a vector of this generation. */
  embedded: number;
  /** Number of messages that the model refused. */
  failed: number;
};

/** A message to embed. */
export type Unembedded = { seq: Seq; listing: string; body_start: string | null };

/** The vector of a message. */
export type VectorRow = { seq: Seq; vector: ArrayBuffer };

/** Characters of a stored body that are read: a few hundred words of JSON. */
const BODY_CHARS = 6_000;
/** Vectors read at once: few enough to leave little garbage and to keep turns short. */
const PAGE_ROWS = 250;

const READ_STATE: Query<EmbeddingState, []> = {
  text: "SELECT model, generation, dimensions, low, high, renew, embedded, failed FROM embedding_state",
};
const CLEAR_STATE: Query<never, []> = { text: "DELETE FROM embedding_state" };
const WRITE_STATE: Query<never, [string, number, number, Seq, Seq, Seq, number, number]> = {
  text: `INSERT INTO embedding_state (model, generation, dimensions, low, high, renew, embedded, failed)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
};
const UNEMBEDDED = `SELECT m.seq, m.listing, substr(c.body, 1, ${BODY_CHARS}) AS body_start
  FROM message m LEFT JOIN content c ON c.seq = m.seq WHERE m.hidden = 0 AND`;
const NEWER: Query<Unembedded, [after: Seq, limit: number]> = {
  text: `${UNEMBEDDED} m.seq > ? ORDER BY m.seq LIMIT ? + 0`,
};
const OLDER: Query<Unembedded, [upTo: Seq, renew: Seq, generation: number, limit: number]> = {
  text: `${UNEMBEDDED} m.seq <= ? AND (m.seq <= ? OR NOT EXISTS
    (SELECT 1 FROM embedding e WHERE e.seq = m.seq AND e.generation = ?)) ORDER BY m.seq DESC LIMIT ? + 0`,
};
const STANDING: Query<{ seq: Seq; generation: number | null }, [seqs: string]> = {
  text: `SELECT m.seq, e.generation FROM message m LEFT JOIN embedding e ON e.seq = m.seq
    WHERE m.seq IN (SELECT value FROM json_each(?))`,
};
const PUT: Query<never, [Seq, generation: number, vector: ArrayBuffer]> = {
  text: "INSERT OR REPLACE INTO embedding (seq, generation, vector) VALUES (?, ?, ?)",
};
const NEWEST: Query<VectorRow, [generation: number, upTo: Seq, limit: number]> = {
  text: "SELECT seq, vector FROM embedding WHERE generation = ? AND seq <= ? ORDER BY seq DESC LIMIT ? + 0",
};
const NAMED: Query<VectorRow, [generation: number, seqs: string]> = {
  text: "SELECT seq, vector FROM embedding WHERE generation = ? AND seq IN (SELECT value FROM json_each(?))",
};
const ERASE: Query<{ generation: number }, [Seq]> = {
  text: "DELETE FROM embedding WHERE seq = ? RETURNING generation",
};

const VISIBLE: Query<{ seq: Seq }, [Seq]> = { text: "SELECT seq FROM message WHERE seq = ? AND hidden = 0" };

/** The stored state; null if nothing was ever embedded. */
export function readState(tables: Statements): EmbeddingState | null {
  return tables.first(READ_STATE);
}

export function writeState(tables: Statements, state: EmbeddingState): void {
  const { model, generation, dimensions, low, high, renew, embedded, failed } = state;
  tables.run(CLEAR_STATE);
  tables.run(WRITE_STATE, model, generation, dimensions, low, high, renew, embedded, failed);
}

/** Messages to embed next, and the progress once they are embedded. */
export interface Batch {
  messages: Unembedded[];
  after: Pick<EmbeddingState, "low" | "high" | "renew">;
}

/** The next messages to embed: those above `high`, then older ones from `low` downwards. `lastSeq`: the newest message. */
export function nextBatch(
  tables: Statements,
  { low, high, renew, generation }: EmbeddingState,
  lastSeq: Seq,
  limit: number,
): Batch {
  if (high < lastSeq) {
    const messages = tables.all(NEWER, high, limit);
    const last = messages.length < limit ? lastSeq : (messages.at(-1)?.seq ?? lastSeq);
    return { messages, after: { low, high: last, renew } };
  }
  const messages = tables.all(OLDER, low, renew, generation, limit);
  const first = messages.length < limit ? 1 : (messages.at(-1)?.seq ?? 1);
  return { messages, after: { low: first - 1, high, renew: Math.min(renew, first - 1) } };
}

/** A vector that was stored. */
export interface StoredVector {
  seq: Seq;
  /** Whether its message had no vector of this generation before. */
  isNew: boolean;
}

/** Stores vectors of messages that still exist; inside one transaction. */
export function putVectors(
  tables: Statements,
  generation: number,
  vectors: ReadonlyMap<Seq, Int8Array>,
): StoredVector[] {
  return tables.all(STANDING, JSON.stringify([...vectors.keys()])).map((row) => {
    tables.run(PUT, row.seq, generation, (vectors.get(row.seq) ?? new Int8Array()).slice().buffer);
    return { seq: row.seq, isNew: row.generation !== generation };
  });
}

/**
 * Vectors of messages up to `upTo`, newest first, at most `count`, page by page. Each page is a statement of its own, so
 * rows may change between pages.
 */
export function* newestVectors(
  tables: Statements,
  { generation, embedded }: EmbeddingState,
  upTo: Seq,
  count: number,
): Generator<VectorRow[], void, void> {
  // Vectors of earlier models may follow the last one of this generation. The count ends the scan before them.
  let left = Math.min(count, embedded);
  for (let last = upTo; left > 0;) {
    const rows = tables.all(NEWEST, generation, last, Math.min(left, PAGE_ROWS));
    yield rows;
    if (rows.length < Math.min(left, PAGE_ROWS)) return;
    left -= rows.length;
    last = (rows.at(-1)?.seq ?? 0) - 1;
  }
}

/** Vectors of these messages, as far as they have one, page by page. */
export function* vectorsOf(
  tables: Statements,
  { generation }: EmbeddingState,
  seqs: readonly Seq[],
): Generator<VectorRow[], void, void> {
  for (let start = 0; start < seqs.length; start += PAGE_ROWS) {
    yield tables.all(NAMED, generation, JSON.stringify(seqs.slice(start, start + PAGE_ROWS)));
  }
}

/** Erases the vector of a message; answers its generation, null if it had none. */
export function eraseVector(tables: Statements, seq: Seq): number | null {
  return tables.first(ERASE, seq)?.generation ?? null;
}

/** Whether a message exists and must be embedded. */
export function isVisible(tables: Statements, seq: Seq): boolean {
  return tables.first(VISIBLE, seq) !== null;
}
