import { EmbeddingError, type Embedder } from "../../embeddings/embedder.ts";
import { quantized } from "../../embeddings/vectors.ts";
import type { Seq } from "../../lib/ids.ts";
import { withinTime } from "../../lib/time-limit.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import type { Meaning, Nearness } from "../search/rules.ts";
import { EmbeddingJob } from "./job.ts";
import type { EmbeddingState } from "./rows.ts";
import { StoredEmbeddings, wrongDimensions } from "./stored-embeddings.ts";
import { reachOf } from "./vector-search.ts";

/** How long a search waits for the vector of its text, in ms. After that, it uses keywords alone. */
const QUERY_TIMEOUT_MS = 5_000;
/** The most query vectors that are cached: agents repeat a query, page by page. */
const MAX_KEPT_QUERIES = 32;
/** The result if no message has a vector that can be compared. */
const NOTHING_EMBEDDED: Meaning = {
  ...reachOf({ dimensions: 0, embedded: 0 }),
  nearest: () => Promise.resolve([]),
};

/** The progress of embedding a mailbox's mail. */
export interface EmbeddingProgress {
  model: string;
  embedded: number;
  pending: number;
  failed: number;
  /** The error that has stopped embedding for now; null if none has. */
  error: string | null;
}

/** Searches the vectors of a mailbox's mail, which a job makes. */
export class Embeddings implements Job {
  readonly #context: MailboxContext;
  readonly #embedder: () => Embedder | null;
  readonly #queries = new Map<string, Promise<Int8Array>>();
  readonly #stored: StoredEmbeddings;
  readonly #job: EmbeddingJob;
  #isClosed = false;

  /** @param embedder the configured model; null if none is configured. */
  constructor(context: MailboxContext, embedder: () => Embedder | null) {
    this.#context = context;
    this.#embedder = embedder;
    this.#stored = new StoredEmbeddings(context, () => this.#isClosed);
    this.#job = new EmbeddingJob(context, this.#stored, embedder);
  }

  /** Whether a model is configured. */
  get isOn(): boolean {
    return this.#embedder() !== null;
  }

  dues(nowMs: number): number[] {
    return this.#job.dues(nowMs);
  }

  /** Starts to embed the waiting messages, unless that is under way. Never throws, and returns before it has ended. */
  pump(nowMs: number): void {
    this.#job.pump(nowMs);
  }

  forget(): void {
    this.#job.forget();
  }

  /** Aborts embedding, because the mailbox ends: nothing more is written. */
  close(): void {
    this.#isClosed = true;
    this.#job.close();
  }

  /** Tells the job that a message was stored. */
  stored(nowMs: number): void {
    this.#job.stored(nowMs);
  }

  /** Erases the vector of a message; within the transaction that erases the message. */
  erase(seq: Seq): void {
    this.#stored.erase(seq);
  }

  /** Embeds all mail again, newest first; each old vector stays until it is replaced. Runs inside a transaction of the caller. */
  startOver(): void {
    const account = this.#context.account();
    if (account !== null) this.#stored.startOver(account.row.last_seq);
  }

  /** Embeds mail that was added among older mail; what has a vector keeps it. Runs inside a transaction of the caller. */
  fillGaps(): void {
    const account = this.#context.account();
    if (account !== null) this.#stored.fillGaps(account.row.last_seq);
  }

  /** The progress of embedding; null without a model. */
  progress(): EmbeddingProgress | null {
    const [embedder, account] = [this.#embedder(), this.#context.account()];
    if (embedder === null || account === null) return null;
    const { embedded, failed } = this.#current() ?? { embedded: 0, failed: 0 };
    const pending = Math.max(0, account.row.inbound + account.row.outbound - embedded - failed);
    return { model: embedder.name, embedded, pending, failed, error: this.#job.error };
  }

  /** Prepares a search for messages near a text in meaning. If the model does not answer, the search uses keywords alone. */
  async nearness(text: string): Promise<Nearness> {
    const vector = await this.#queryVector(text).catch((error: unknown) => {
      console.error("A query could not be embedded:", error);
      return null;
    });
    return vector === null
      ? { meaning: null, hint: "The embedding model does not answer, so results come from keywords" }
      : { meaning: this.#meaningOf(vector), hint: this.#hint() };
  }

  #meaningOf(vector: Int8Array): Meaning {
    const state = this.#current();
    if (state === null || state.dimensions !== vector.length) return NOTHING_EMBEDDED;
    // The reach is that of now: what is embedded while the search chooses its candidates, turn by turn, may be missing.
    return {
      ...reachOf(state),
      nearest: (candidates) => this.#stored.vectors.nearest(state, vector, candidates),
    };
  }

  /** Says how many emails have no vector yet; "" if all have one. */
  #hint(): string {
    const { embedded = 0, pending = 0 } = this.progress() ?? {};
    return pending === 0 ? "" : `By meaning ${embedded} of ${embedded + pending} emails are found so far`;
  }

  /** The vector of a query. Repeated and simultaneous queries of the same text call the model once. */
  async #queryVector(text: string): Promise<Int8Array> {
    const embedder = this.#embedder();
    if (embedder === null) throw new EmbeddingError("No model is configured");
    const key = `${embedder.model}\n${text}`;
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    const asked = this.#embedQuery(embedder, text);
    this.#queries.set(key, asked);
    for (const oldest of this.#queries.keys()) {
      if (this.#queries.size <= MAX_KEPT_QUERIES) break;
      this.#queries.delete(oldest);
    }
    try {
      return await asked;
    } catch (error) {
      this.#queries.delete(key);
      throw error;
    }
  }

  async #embedQuery(embedder: Embedder, text: string): Promise<Int8Array> {
    const [vector] = await withinTime(QUERY_TIMEOUT_MS, null, (signal) => embedder.embed([text], signal));
    if (vector === undefined) throw new EmbeddingError("The model gave no vector");
    const { dimensions } = this.#current() ?? { dimensions: 0 };
    if (dimensions !== 0 && dimensions !== vector.length) throw wrongDimensions(dimensions, vector.length);
    return quantized(vector);
  }

  /** The stored state if it belongs to the configured model, else null: vectors of different models cannot be compared. */
  #current(): EmbeddingState | null {
    const state = this.#stored.state();
    return state?.model === this.#embedder()?.model ? state : null;
  }
}
