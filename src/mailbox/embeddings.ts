import { EmbeddingError, type Embedder } from "../embeddings/embedder.ts";
import { quantized } from "../embeddings/vectors.ts";
import type { Seq } from "../lib/ids.ts";
import type { Database } from "../lib/sql.ts";
import { withinTime } from "../lib/time-limit.ts";
import type { AlarmClock } from "../lib/wake.ts";
import { embeddedText } from "../mail/search/embedded-text.ts";
import { bodyTextStart } from "../mail/search/excerpts.ts";
import type { Account } from "./account.ts";
import {
  eraseVector,
  isVisible,
  nextBatch,
  putVectors,
  readState,
  writeState,
  type Batch,
  type EmbeddingState,
  type Unembedded,
} from "./embedding-rows.ts";
import { listingOf } from "./present.ts";
import type { Meaning, Nearness } from "./search.ts";
import { reachOf, VectorSearch } from "./vector-search.ts";

/** Mail that comes together is embedded together. */
const GATHER_MS = 200;
/** Should the process die meanwhile, the alarm goes on. */
const HEARTBEAT_MS = 30_000;
const BATCH_TIMEOUT_MS = 60_000;
/** A search waits no longer: words answer it then. */
const QUERY_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 3_600_000;
/** Failures in a row after which the texts are looked at: some models answer one that is too long with a fault of theirs. */
const FAILURES_TO_SUSPECT = 3;
/** Vectors of queries that are kept: agents ask the same again, page by page. */
const MAX_KEPT_QUERIES = 32;
/** Every model embeds it, unless it is the model that is at fault. */
const PROBE = "hello";

/** Where no message has a vector that could be compared. */
const NOTHING_EMBEDDED: Meaning = {
  ...reachOf({ dimensions: 0, embedded: 0 }),
  nearest: () => Promise.resolve([]),
};

/** What embedding works with. */
export interface EmbeddingTools {
  db: Database;
  clock: AlarmClock;
  account: () => Account | null;
  /** Null where none is configured. */
  embedder: () => Embedder | null;
}

/** How far the mail of a mailbox is embedded. */
export interface EmbeddingProgress {
  model: string;
  embedded: number;
  pending: number;
  failed: number;
  /** What keeps it from going on; null = nothing. */
  error: string | null;
}

/**
 * Embeds the mail of a mailbox, as a job beside everything else: a receipt only tells it to look, and no fault of the model
 * is one of the mailbox. What is done is known by two marks in the order of receipt, so a message waits without a row of its
 * own. Another model begins anew from the newest message on; vectors of the one before are overwritten.
 */
export class Embeddings {
  readonly #tools: EmbeddingTools;
  readonly #queries = new Map<string, Promise<Int8Array>>();
  readonly #vectors: VectorSearch;
  /** Undefined = not read yet. */
  #state: EmbeddingState | null | undefined;
  #busy: AbortController | null = null;
  #isGathering = false;
  #batchSize = Infinity;
  /** How often all was begun again: a batch that was taken before then may be of older texts, and is not kept. */
  #starts = 0;
  #failures = 0;
  #pausedUntil = 0;
  #error: string | null = null;
  #closed = false;

  constructor(tools: EmbeddingTools) {
    this.#tools = tools;
    this.#vectors = new VectorSearch(tools.db, () => this.#closed);
  }

  /** Whether a model is configured. */
  get isOn(): boolean {
    return this.#tools.embedder() !== null;
  }

  /** When the alarm must ring, in ms since 1970; null = for nothing. */
  due(nowMs: number): number | null {
    if (!this.#hasWork(nowMs)) return null;
    return this.#busy === null && !this.#isGathering
      ? Math.max(nowMs, this.#pausedUntil)
      : Math.max(nowMs + HEARTBEAT_MS, this.#pausedUntil);
  }

  /** A message was stored. Costs the receipt nothing but a timer. */
  stored(nowMs: number): void {
    if (!this.isOn || this.#isGathering || this.#busy !== null) return;
    // The alarm is set to the end of the pause.
    if (nowMs < this.#pausedUntil) return;
    this.#isGathering = true;
    this.#tools.clock.atLatest(nowMs + HEARTBEAT_MS);
    setTimeout(() => {
      this.#isGathering = false;
      this.pump(Date.now());
    }, GATHER_MS);
  }

  /** Embeds what is to be embedded, unless that is under way. Never throws, and returns before it has ended. */
  pump(nowMs: number): void {
    if (this.#busy !== null || nowMs < this.#pausedUntil || !this.#hasWork(nowMs)) return;
    this.#busy = new AbortController();
    void this.#work(this.#busy.signal);
  }

  /** The mailbox ends: nothing more is written. */
  close(): void {
    this.#closed = true;
    this.#busy?.abort();
    this.#vectors.forget();
  }

  /** Erases the vector of a message; within the transaction that erases the message. */
  erase(seq: Seq): void {
    const state = this.#stored();
    if (state === null) return;
    const { generation, low, high } = state;
    const isPassed = seq > low && seq <= high && isVisible(this.#tools.db, seq);
    const isEmbedded = eraseVector(this.#tools.db, seq) === generation;
    this.#vectors.delete(seq);
    if (isEmbedded) this.#keep({ ...state, embedded: state.embedded - 1 });
    // It had its turn and has no vector: the model refused it.
    else if (isPassed) this.#keep({ ...state, failed: state.failed - 1 });
  }

  /** Forgets what is in memory: a transaction that it believed in failed. */
  forget(): void {
    this.#state = undefined;
    this.#vectors.forget();
  }

  /** Embeds all mail again, the newest first; vectors there are stay until then. Within a transaction of the caller's. */
  startOver(): void {
    const [state, account] = [this.#stored(), this.#tools.account()];
    if (state === null || account === null) return;
    const { last_seq: seq } = account.row;
    this.#starts += 1;
    this.#keep({ ...state, low: seq, high: seq, failed: 0 });
  }

  /** Null without a model. */
  progress(): EmbeddingProgress | null {
    const [embedder, account] = [this.#tools.embedder(), this.#tools.account()];
    if (embedder === null || account === null) return null;
    const { embedded, failed } = this.#current() ?? { embedded: 0, failed: 0 };
    const pending = Math.max(0, account.row.inbound + account.row.outbound - embedded - failed);
    return { model: embedder.name, embedded, pending, failed, error: this.#error };
  }

  /** What a text is near to, as a search among the vectors of this mailbox; nobody knows where the model does not answer. */
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
    return { ...reachOf(state), nearest: (candidates) => this.#vectors.nearest(state, vector, candidates) };
  }

  /** What is not found by meaning yet, in words; "" if nothing. */
  #hint(): string {
    const { embedded = 0, pending = 0 } = this.progress() ?? {};
    return pending === 0 ? "" : `By meaning ${embedded} of ${embedded + pending} emails are found so far`;
  }

  /** The vector of a query; asked again, even at the same time, it costs one call of the model. */
  async #queryVector(text: string): Promise<Int8Array> {
    const embedder = this.#tools.embedder();
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

  #hasWork(nowMs: number): boolean {
    const [embedder, account] = [this.#tools.embedder(), this.#tools.account()];
    if (this.#closed || embedder === null || account?.isLive(nowMs) !== true) return false;
    const state = this.#stored();
    if (state?.model !== embedder.model) return account.row.last_seq > 0;
    return state.high < account.row.last_seq || state.low > 0;
  }

  /** One batch after another, until nothing is left or the model fails; never rejects. */
  async #work(signal: AbortSignal): Promise<void> {
    try {
      while (this.#hasWork(Date.now())) {
        await this.#embedNext(signal);
        this.#failures = 0;
        this.#error = null;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#busy = null;
    }
  }

  #fail(error: unknown): void {
    if (this.#closed) return;
    this.forget();
    this.#error = error instanceof EmbeddingError ? error.message : "The embedding model cannot be reached";
    console.error("Mail is embedded later:", error);
    const pauseMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#pausedUntil = Date.now() + pauseMs;
    this.#tools.clock.atLatest(this.#pausedUntil);
  }

  async #embedNext(signal: AbortSignal): Promise<void> {
    const [embedder, account] = [this.#tools.embedder(), this.#tools.account()];
    if (embedder === null || account === null) return;
    const state = this.#stateFor(embedder, account);
    const limit = Math.min(embedder.maxTexts, this.#batchSize);
    const start = this.#starts;
    const batch = nextBatch(this.#tools.db, state, account.row.last_seq, limit);
    const vectors = await this.#vectorsOf(batch.messages, embedder, signal);
    if (this.#closed || start !== this.#starts) return;
    if (vectors === null && batch.messages.length > 1) {
      // One of them is refused: it is found by taking fewer.
      this.#batchSize = 1;
      return;
    }
    this.#batchSize = Math.min(limit * 2, embedder.maxTexts);
    this.#tools.db.transaction(() => this.#finish(batch, vectors));
  }

  /** Null if one of the texts is to blame: the model refuses it, or fails at it again and again but not at another. */
  async #vectorsOf(
    messages: readonly Unembedded[],
    embedder: Embedder,
    signal: AbortSignal,
  ): Promise<Int8Array[] | null> {
    if (messages.length === 0) return [];
    const embed = async (texts: readonly string[]) =>
      (await withinTime(BATCH_TIMEOUT_MS, signal, (within) => embedder.embed(texts, within))).map(quantized);
    try {
      return await embed(messages.map(textOf));
    } catch (error) {
      const isRefusal = error instanceof EmbeddingError && error.isOfTexts;
      if (!isRefusal && this.#failures < FAILURES_TO_SUSPECT) throw error;
      // A model that is set wrong refuses everything: then no message is to blame.
      await embed([PROBE]);
      // Nor is one where the model is but back since.
      return isRefusal ? null : await embed(messages.map(textOf)).catch(() => null);
    }
  }

  /** The state under the configured model: of another one, all is to be done again. */
  #stateFor({ model }: Embedder, { row }: Account): EmbeddingState {
    const state = this.#stored();
    if (state?.model === model) return state;
    const generation = (state?.generation ?? 0) + 1;
    const fresh = {
      model,
      generation,
      dimensions: 0,
      low: row.last_seq,
      high: row.last_seq,
      embedded: 0,
      failed: 0,
    };
    this.#vectors.forget();
    this.#keep(fresh);
    return fresh;
  }

  #finish({ messages, after }: Batch, vectors: readonly Int8Array[] | null): void {
    const state = this.#stored();
    if (state === null) return;
    if (vectors === null) {
      this.#passOver(state, { messages, after });
      return;
    }
    const dimensions = state.dimensions || (vectors[0]?.length ?? 0);
    const wrong = vectors.find(({ length }) => length !== dimensions);
    if (wrong !== undefined) throw wrongDimensions(dimensions, wrong.length);
    const bySeq = new Map(messages.map(({ seq }, at) => [seq, vectors[at] ?? new Int8Array(dimensions)]));
    const kept = putVectors(this.#tools.db, state.generation, bySeq);
    if (state.dimensions === 0) this.#vectors.forget();
    for (const { seq } of kept) this.#vectors.set(seq, bySeq.get(seq) ?? new Int8Array(dimensions));
    const embedded = state.embedded + kept.filter(({ isNew }) => isNew).length;
    this.#keep({ ...state, ...after, dimensions, embedded });
  }

  /** Counts messages that the model refused and whose owner has not erased them meanwhile; a vector of an older text goes. */
  #passOver(state: EmbeddingState, { messages, after }: Batch): void {
    const refused = messages.filter(({ seq }) => isVisible(this.#tools.db, seq));
    const had = refused.filter(({ seq }) => eraseVector(this.#tools.db, seq) === state.generation);
    for (const { seq } of refused) this.#vectors.delete(seq);
    const embedded = state.embedded - had.length;
    this.#keep({ ...state, ...after, embedded, failed: state.failed + refused.length });
  }

  /** The state where it is the configured model's; of another one there is nothing that words can be compared with. */
  #current(): EmbeddingState | null {
    const state = this.#stored();
    return state?.model === this.#tools.embedder()?.model ? state : null;
  }

  #stored(): EmbeddingState | null {
    if (this.#state === undefined) this.#state = readState(this.#tools.db);
    return this.#state;
  }

  #keep(state: EmbeddingState): void {
    writeState(this.#tools.db, state);
    this.#state = state;
  }
}

function wrongDimensions(expected: number, got: number): EmbeddingError {
  return new EmbeddingError(`The model answered with ${got} dimensions in place of ${expected}`);
}

function textOf({ listing, body_start }: Unembedded): string {
  const { subject, from_name, from_address, snippet } = listingOf({ listing });
  const body = (body_start === null ? null : bodyTextStart(body_start)) ?? snippet;
  return embeddedText({ subject, from: from_name || from_address, body });
}
