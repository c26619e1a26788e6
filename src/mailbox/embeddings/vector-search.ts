import { TableCache } from "../../embeddings/table-cache.ts";
import { NearestSearch, VectorTable, type Neighbour } from "../../embeddings/vectors.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Statements } from "../../lib/schemas.ts";
import { newestVectors, vectorsOf, type EmbeddingState, type VectorRow } from "./rows.ts";

/**
 * Vectors of a mailbox that are kept in memory: all or none. 52,000 of 384 dimensions take 30 ms to compare, and it is a sixth
 * of what an isolate has for everything.
 */
const MAX_TABLE_BYTES = 20_000_000;
/** And their number, each of which takes some memory and time of its own. */
const MAX_TABLE_VECTORS = 60_000;
/** Tables of all mailboxes of an isolate. */
const MAX_TABLES_BYTES = 40_000_000;
/** Vectors that one search reads from disk: about 100 ms of CPU, half of what one request may take. */
const MAX_READ_VECTORS = 20_000;
/** And their bytes. */
const MAX_READ_BYTES = 16_000_000;
/** Bytes of rows between two turns, some 10 ms: nobody else waits longer. The clock stands still within a turn. */
const TURN_BYTES = 2_000_000;
/** What a row takes as time, beside its bytes. */
const ROW_BYTES = 400;

const tables = new TableCache(MAX_TABLES_BYTES);

/** What to look among. */
export interface Candidates {
  limit: number;
  /** Messages after it are left out. */
  maxSeq: Seq;
  /** Only these, the newest first; null = all. */
  among: readonly Seq[] | null;
  /** Where not all can be compared, these are beside the newest. */
  besides: readonly Seq[];
}

/** How many messages a search compares. */
export interface Reach {
  /** Whether it can compare all that have a vector. */
  isWhole: boolean;
  maxCandidates: number;
}

/** Says how much of a mailbox a search by meaning compares. */
export function reachOf({ dimensions, embedded }: Pick<EmbeddingState, "dimensions" | "embedded">): Reach {
  if (embedded <= tableVectors(dimensions)) {
    return { isWhole: true, maxCandidates: tableVectors(dimensions) };
  }
  const maxCandidates = Math.min(MAX_READ_VECTORS, Math.floor(MAX_READ_BYTES / dimensions));
  return { isWhole: false, maxCandidates };
}

/** Vectors that a table takes. */
function tableVectors(dimensions: number): number {
  return Math.min(MAX_TABLE_VECTORS, Math.floor(MAX_TABLE_BYTES / Math.max(1, dimensions)));
}

/**
 * Finds the nearest vectors of a mailbox in bounded memory and time. Those of a small mailbox stay in memory; of a large one
 * pages are read from disk through the list of the best, the newest first, and never more than a request may take.
 */
export class VectorSearch {
  readonly #tables: Statements;
  readonly #isOver: () => boolean;
  /** Names the table of this mailbox. */
  readonly #owner = {};
  #loading: Promise<VectorTable> | null = null;

  /** `isOver`: whether the mailbox ended, with its tables. */
  constructor(tables: Statements, isOver: () => boolean) {
    this.#tables = tables;
    this.#isOver = isOver;
  }

  /** A vector was kept. */
  set(seq: Seq, vector: Int8Array): void {
    const table = tables.find(this.#owner);
    if (table === null) return;
    table.set(seq, vector);
    if (table.size > tableVectors(vector.length)) this.forget();
    else tables.trim(this.#owner);
  }

  /** A vector was erased. */
  delete(seq: Seq): void {
    tables.find(this.#owner)?.delete(seq);
  }

  /** What is in memory may be wrong. */
  forget(): void {
    tables.delete(this.#owner);
    this.#loading = null;
  }

  /** The nearest of the candidates, best first; while it works, others have their turns. */
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
      // A message may be among the newest and among the best by words.
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

  /** The table of all vectors; searches that come together read them once. */
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
    // From now on: what is kept or erased while it is read must stand in it too.
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
