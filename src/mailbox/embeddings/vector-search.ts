import { TableCache } from "../../embeddings/table-cache.ts";
import { NearestSearch, VectorTable, type Neighbour } from "../../embeddings/vectors.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Statements } from "../../lib/schemas.ts";
import { newestVectors, vectorsOf, type EmbeddingState, type VectorRow } from "./rows.ts";

/**
 * The most bytes of one mailbox's vectors that stay in memory; beyond that, none of them do. 52,000 vectors of 384
 * dimensions take 30 ms to compare, and a sixth of an isolate's memory.
 */
const MAX_TABLE_BYTES = 20_000_000;
/** The most vectors of one mailbox in memory, because each takes some memory and time besides its bytes. */
const MAX_TABLE_VECTORS = 60_000;
/** The most bytes of the vectors of all mailboxes of an isolate. */
const MAX_TABLES_BYTES = 40_000_000;
/** The most vectors that one search reads from disk: about 100 ms of CPU time, half of the time that one request may take. */
const MAX_READ_VECTORS = 20_000;
/** The most bytes of these vectors. */
const MAX_READ_BYTES = 16_000_000;
/**
 * Bytes of rows read before other calls get a turn, about 10 ms. Time is measured in bytes, because the clock stands still
 * within a turn.
 */
const TURN_BYTES = 2_000_000;
/** The constant time that reading a row takes, expressed in bytes. */
const ROW_BYTES = 400;

const tables = new TableCache(MAX_TABLES_BYTES);

/** The messages that a search compares. */
export interface Candidates {
  limit: number;
  /** Only messages up to this seq. */
  maxSeq: Seq;
  /** Only these messages, newest first; null = all. */
  among: readonly Seq[] | null;
  /** If not all messages can be compared, these are compared in addition to the newest. */
  besides: readonly Seq[];
}

/** How many messages a search compares. */
export interface Reach {
  /** Whether it can compare all messages that have a vector. */
  isWhole: boolean;
  maxCandidates: number;
}

/** How many messages of a mailbox a search by meaning can compare. */
export function reachOf({ dimensions, embedded }: Pick<EmbeddingState, "dimensions" | "embedded">): Reach {
  if (embedded <= tableVectors(dimensions)) {
    return { isWhole: true, maxCandidates: tableVectors(dimensions) };
  }
  const maxCandidates = Math.min(MAX_READ_VECTORS, Math.floor(MAX_READ_BYTES / dimensions));
  return { isWhole: false, maxCandidates };
}

/** Number of vectors that fit in a table. */
function tableVectors(dimensions: number): number {
  return Math.min(MAX_TABLE_VECTORS, Math.floor(MAX_TABLE_BYTES / Math.max(1, dimensions)));
}

/**
 * Finds the nearest vectors of a mailbox in bounded memory and time. The vectors of a small mailbox stay in memory. Those
 * of a large one are read from disk in pages, newest first, up to the limits above.
 */
export class VectorSearch {
  readonly #tables: Statements;
  readonly #isOver: () => boolean;
  /** Identifies this mailbox in the shared cache. */
  readonly #owner = {};
  #loading: Promise<VectorTable> | null = null;

  /** @param isOver whether the mailbox has ended. */
  constructor(tables: Statements, isOver: () => boolean) {
    this.#tables = tables;
    this.#isOver = isOver;
  }

  /** Adds a vector that was stored. */
  set(seq: Seq, vector: Int8Array): void {
    const table = tables.find(this.#owner);
    if (table === null) return;
    table.set(seq, vector);
    if (table.size > tableVectors(vector.length)) this.forget();
    else tables.trim(this.#owner);
  }

  /** Removes a vector that was erased. */
  delete(seq: Seq): void {
    tables.find(this.#owner)?.delete(seq);
  }

  /** Drops the vectors in memory, because a transaction was undone. */
  forget(): void {
    tables.delete(this.#owner);
    this.#loading = null;
  }

  /** The nearest of the candidates, best first. Other calls get turns meanwhile. */
  async nearest(state: EmbeddingState, vector: Int8Array, wanted: Candidates): Promise<Neighbour[]> {
    const { isWhole, maxCandidates } = reachOf(state);
    const { limit, maxSeq, among, besides } = wanted;
    if (isWhole) {
      const table = await this.#loaded(state);
      return table.nearest(vector, { limit, maxId: maxSeq, among: among === null ? null : new Set(among) });
    }
    this.forget();
    const search = new NearestSearch(vector, limit);
    const seen = new Set<Seq>();
    const offer = ({ seq, vector: bytes }: VectorRow): void => {
      // A message may be both among the newest and among the best by words.
      if (seq > maxSeq || seen.has(seq)) return;
      seen.add(seq);
      search.offer(seq, new Int8Array(bytes));
    };
    const newest =
      among === null
        ? newestVectors(this.#tables, state, maxSeq, maxCandidates)
        : vectorsOf(this.#tables, state, among.slice(0, maxCandidates));
    await this.#each(newest, offer);
    await this.#each(vectorsOf(this.#tables, state, besides), offer);
    return search.sorted();
  }

  /** The table of all vectors. Searches at the same time share one load. */
  async #loaded(state: EmbeddingState): Promise<VectorTable> {
    const known = this.#loading ?? tables.use(this.#owner);
    if (known !== null) return known;
    const loading = this.#load(state);
    this.#loading = loading;
    try {
      return await loading;
    } finally {
      if (this.#loading === loading) this.#loading = null;
    }
  }

  async #load(state: EmbeddingState): Promise<VectorTable> {
    const table = new VectorTable(state.dimensions);
    // Shared before it is loaded: vectors that are stored or erased meanwhile must change it too.
    tables.keep(this.#owner, table);
    const newest = newestVectors(this.#tables, state, Number.MAX_SAFE_INTEGER, Infinity);
    try {
      await this.#each(newest, ({ seq, vector }) => this.#fill(table, seq, new Int8Array(vector)));
    } catch (error) {
      this.forget();
      throw error;
    }
    return table;
  }

  #fill(table: VectorTable, seq: Seq, vector: Int8Array): void {
    table.set(seq, vector);
    tables.trim(this.#owner);
  }

  async #each(pages: Iterable<VectorRow[]>, take: (row: VectorRow) => void): Promise<void> {
    let bytes = 0;
    for (const page of pages) {
      for (const row of page) {
        take(row);
        bytes += ROW_BYTES + row.vector.byteLength;
      }
      if (bytes < TURN_BYTES) continue;
      bytes = 0;
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (this.#isOver()) return;
    }
  }
}
