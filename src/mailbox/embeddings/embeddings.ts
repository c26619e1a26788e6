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

/** A search waits no longer: words answer it then. */
const QUERY_TIMEOUT_MS = 5_000;
/** Vectors of queries that are kept: agents ask the same again, page by page. */
const MAX_KEPT_QUERIES = 32;
/** Where no message has a vector that could be compared. */
const NOTHING_EMBEDDED: Meaning = {
  ...reachOf({ dimensions: 0, embedded: 0 }),
  nearest: () => Promise.resolve([]),
};

/** How far the mail of a mailbox is embedded. */
export interface EmbeddingProgress {
  model: string;
  embedded: number;
  pending: number;
  failed: number;
  /** Why embedding does not go on; null if it does. */
  error: string | null;
}

/** The vectors of a mailbox's mail, which a job makes, and searches among them. */
export class Embeddings implements Job {
  readonly #context: MailboxContext;
  readonly #embedder: () => Embedder | null;
  readonly #queries = new Map<string, Promise<Int8Array>>();
  readonly #stored: StoredEmbeddings;
  readonly #job: EmbeddingJob;
  #isClosed = false;

  /** @param embedder the configured model; null where none is. */
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

  /** Embeds what is to be embedded, unless that is under way. Never throws, and returns before it has ended. */
  pump(nowMs: number): void {
    this.#job.pump(nowMs);
  }

  forget(): void {
    this.#job.forget();
  }

  /** The mailbox ends: nothing more is written. */
  close(): void {
    this.#isClosed = true;
    this.#job.close();
  }

  /** A message was stored. */
  stored(nowMs: number): void {
    this.#job.stored(nowMs);
  }

  /** Erases the vector of a message; within the transaction that erases the message. */
  erase(seq: Seq): void {
    this.#stored.erase(seq);
  }

  /** Embeds all mail again, the newest first; vectors there are stay until then. Within a transaction of the caller's. */
  startOver(): void {
    const account = this.#context.account();
    if (account !== null) this.#stored.startOver(account.row.last_seq);
  }

  /** Null without a model. */
  progress(): EmbeddingProgress | null {
    const [embedder, account] = [this.#embedder(), this.#context.account()];
    if (embedder === null || account === null) return null;
    const { embedded, failed } = this.#current() ?? { embedded: 0, failed: 0 };
    const pending = Math.max(0, account.row.inbound + account.row.outbound - embedded - failed);
    return { model: embedder.name, embedded, pending, failed, error: this.#job.error };
  }

  /** Prepares a search for messages near a text in meaning. If the model does not answer, words alone find them. */
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
    // Candidates are chosen after this, in the same turn: what is embedded until they are compared changes no reach.
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

  /** The vector of a query; asked again, even at the same time, it costs one call of the model. */
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

  /** The state where it is the configured model's; of another one there is nothing that words can be compared with. */
  #current(): EmbeddingState | null {
    const state = this.#stored.state();
    return state?.model === this.#embedder()?.model ? state : null;
  }
}
