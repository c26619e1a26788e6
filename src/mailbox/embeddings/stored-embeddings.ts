import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import { EmbeddingError } from "../../embeddings/embedder.ts";
import type { MailboxContext } from "../context.ts";
import {
  eraseVector,
  isVisible,
  nextBatch,
  putVectors,
  readState,
  writeState,
  type Batch,
  type EmbeddingState,
} from "./rows.ts";
import { EMBEDDINGS } from "./schema.ts";
import { VectorSearch } from "./vector-search.ts";

/**
 * Stores the vectors of a mailbox's mail and the progress of embedding. The marks `low` and `high`, in the order of
 * receipt, separate embedded messages from waiting ones, so a waiting message needs no row. Another model starts over with
 * the newest message and overwrites the vectors of the model before.
 */
export class StoredEmbeddings {
  readonly vectors: VectorSearch;
  readonly #tables: Tables;
  /** Undefined = not read yet. */
  #state: EmbeddingState | null | undefined;
  /** How often the marks were set back. An earlier batch would move them on, and may contain older texts: it is dropped. */
  #starts = 0;

  /** @param isClosed whether the mailbox has ended. */
  constructor(context: MailboxContext, isClosed: () => boolean) {
    this.#tables = context.tables(EMBEDDINGS);
    this.vectors = new VectorSearch(this.#tables, isClosed);
  }

  get starts(): number {
    return this.#starts;
  }

  /** The stored state; null if nothing was ever embedded. */
  state(): EmbeddingState | null {
    if (this.#state === undefined) this.#state = readState(this.#tables);
    return this.#state;
  }

  /** The state for a model. If the stored state belongs to another model, starts over with all mail up to `lastSeq`. */
  stateFor(model: string, lastSeq: Seq): EmbeddingState {
    const state = this.state();
    if (state?.model === model) return state;
    const generation = (state?.generation ?? 0) + 1;
    const fresh = {
      model,
      generation,
      dimensions: 0,
      low: lastSeq,
      high: lastSeq,
      renew: 0,
      embedded: 0,
      failed: 0,
    };
    this.vectors.forget();
    this.#keep(fresh);
    return fresh;
  }

  /** The next messages to embed. */
  next(state: EmbeddingState, lastSeq: Seq, limit: number): Batch {
    return nextBatch(this.#tables, state, lastSeq, limit);
  }

  /** Drops what is cached, because a transaction that changed it was undone. */
  forget(): void {
    this.#state = undefined;
    this.vectors.forget();
  }

  /** Erases the vector of a message; within the transaction that erases the message. */
  erase(seq: Seq): void {
    const state = this.state();
    if (state === null) return;
    const { generation, low, high } = state;
    const isPassed = seq > low && seq <= high && isVisible(this.#tables, seq);
    const isEmbedded = eraseVector(this.#tables, seq) === generation;
    this.vectors.delete(seq);
    if (isEmbedded) this.#keep({ ...state, embedded: state.embedded - 1 });
    // The message was processed and has no vector, so the model had refused it.
    else if (isPassed) this.#keep({ ...state, failed: state.failed - 1 });
  }

  /** Embeds all mail again, newest first; each old vector stays until it is replaced. Runs inside a transaction of the caller. */
  startOver(lastSeq: Seq): void {
    const state = this.state();
    if (state === null) return;
    this.#starts += 1;
    this.#keep({ ...state, low: lastSeq, high: lastSeq, renew: lastSeq, failed: 0 });
  }

  /** Embeds all mail that has no vector, newest first; older mail was added. Runs inside a transaction of the caller. */
  fillGaps(lastSeq: Seq): void {
    const state = this.state();
    if (state === null) return;
    this.#starts += 1;
    this.#keep({ ...state, low: lastSeq, high: lastSeq, failed: 0 });
  }

  /** Stores the vectors of a batch; null if the model refused it. Runs inside a transaction of the caller. */
  finish({ messages, after }: Batch, vectors: readonly Int8Array[] | null): void {
    const state = this.state();
    if (state === null) return;
    if (vectors === null) {
      this.#passOver(state, { messages, after });
      return;
    }
    const dimensions = state.dimensions || (vectors[0]?.length ?? 0);
    const wrong = vectors.find(({ length }) => length !== dimensions);
    if (wrong !== undefined) throw wrongDimensions(dimensions, wrong.length);
    const bySeq = new Map(messages.map(({ seq }, at) => [seq, vectors[at] ?? new Int8Array(dimensions)]));
    const kept = putVectors(this.#tables, state.generation, bySeq);
    if (state.dimensions === 0) this.vectors.forget();
    for (const { seq } of kept) this.vectors.set(seq, bySeq.get(seq) ?? new Int8Array(dimensions));
    const embedded = state.embedded + kept.filter(({ isNew }) => isNew).length;
    this.#keep({ ...state, ...after, dimensions, embedded });
  }

  /** Counts messages that the model refused, except those erased meanwhile, and erases vectors of their older texts. */
  #passOver(state: EmbeddingState, { messages, after }: Batch): void {
    const refused = messages.filter(({ seq }) => isVisible(this.#tables, seq));
    const had = refused.filter(({ seq }) => eraseVector(this.#tables, seq) === state.generation);
    for (const { seq } of refused) this.vectors.delete(seq);
    const embedded = state.embedded - had.length;
    this.#keep({ ...state, ...after, embedded, failed: state.failed + refused.length });
  }

  #keep(state: EmbeddingState): void {
    writeState(this.#tables, state);
    this.#state = state;
  }
}

export function wrongDimensions(expected: number, got: number): EmbeddingError {
  return new EmbeddingError(`The model answered with ${got} dimensions in place of ${expected}`);
}
