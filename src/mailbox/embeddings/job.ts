import { EmbeddingError, type Embedder } from "../../embeddings/embedder.ts";
import { quantized } from "../../embeddings/vectors.ts";
import { withinTime } from "../../lib/time-limit.ts";
import { embeddedText } from "../../mail/search/embedded-text.ts";
import { bodyTextStart } from "../../mail/search/excerpts.ts";
import type { MailboxContext } from "../context.ts";
import { Drain, type Job } from "../job.ts";
import { listingOf } from "../messages/present.ts";
import type { Batch, Unembedded } from "./rows.ts";
import type { StoredEmbeddings } from "./stored-embeddings.ts";

/** How long new mail is gathered, in ms, to be embedded together. */
const GATHER_MS = 200;
/** How often the alarm rings while an attempt is under way, in ms: a new process soon continues the work of one that died. */
const HEARTBEAT_MS = 30_000;
const BATCH_TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 15_000;
const MAX_PAUSE_MS = 3_600_000;
/** After this many failures in a row, the job suspects the texts: some models answer one that is too long with a server error. */
const FAILURES_TO_SUSPECT = 3;
/** A text that every working model embeds. */
const PROBE = "hello";

/** A batch of messages, and the model that embeds it. */
interface EmbeddedBatch extends Batch {
  embedder: Embedder;
  /** The `starts` of the stored embeddings when the batch was taken. */
  starts: number;
}

/**
 * Embeds the mail of a mailbox, batch by batch, until nothing is left or the model fails. The receipt of mail only starts
 * the job, so an error of the model never affects the mailbox.
 */
export class EmbeddingJob implements Job {
  readonly #context: MailboxContext;
  readonly #stored: StoredEmbeddings;
  readonly #embedder: () => Embedder | null;
  readonly #drain: Drain<EmbeddedBatch>;
  #isGathering = false;
  #batchSize = Infinity;
  #error: string | null = null;

  /** @param embedder the configured model; null if none is configured. */
  constructor(context: MailboxContext, stored: StoredEmbeddings, embedder: () => Embedder | null) {
    this.#context = context;
    this.#stored = stored;
    this.#embedder = embedder;
    this.#drain = new Drain<EmbeddedBatch>(
      context,
      {
        // Waiting messages have no due time of their own, so they are always due.
        nextDue: (afterMs) => (afterMs < 0 && this.#hasWork() ? 0 : null),
        claim: () => this.#claim(),
        attempt: (batch, signal) => this.#attempt(batch, signal),
      },
      {
        name: "Embeddings",
        maxAtOnce: 1,
        heartbeatMs: HEARTBEAT_MS,
        pauseMs: (faults) => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** faults),
      },
    );
  }

  /** The error that has stopped embedding for now; null if none has. */
  get error(): string | null {
    return this.#error;
  }

  dues(nowMs: number): number[] {
    const earliest = this.#isGathering ? nowMs + HEARTBEAT_MS : nowMs;
    return this.#drain.dues(nowMs).map((due) => Math.max(due, earliest));
  }

  pump(nowMs: number): void {
    this.#drain.pump(nowMs);
  }

  forget(): void {
    this.#stored.forget();
  }

  close(): void {
    this.#drain.close();
    this.#stored.vectors.forget();
  }

  /** Starts embedding after GATHER_MS, because a message was stored. Costs the receipt of the message only a timer. */
  stored(nowMs: number): void {
    if (this.#embedder() === null || this.#isGathering || this.#drain.isBusy) return;
    // When the pause ends, the alarm starts embedding.
    if (this.#drain.isPaused(nowMs)) return;
    this.#isGathering = true;
    this.#context.clock.atLatest(nowMs + HEARTBEAT_MS);
    setTimeout(() => {
      this.#isGathering = false;
      this.pump(this.#context.now());
    }, GATHER_MS);
  }

  #hasWork(): boolean {
    const [embedder, account] = [this.#embedder(), this.#context.account()];
    if (embedder === null || account === null) return false;
    const { last_seq } = account.row;
    const state = this.#stored.state();
    if (state?.model !== embedder.model) return last_seq > 0;
    return state.high < last_seq || state.low > 0;
  }

  #claim(): EmbeddedBatch[] {
    const [embedder, account] = [this.#embedder(), this.#context.account()];
    if (embedder === null || account === null || !this.#hasWork()) return [];
    const { last_seq } = account.row;
    const state = this.#stored.stateFor(embedder.model, last_seq);
    const batch = this.#stored.next(state, last_seq, Math.min(embedder.maxTexts, this.#batchSize));
    return [{ ...batch, embedder, starts: this.#stored.starts }];
  }

  async #attempt(batch: EmbeddedBatch, signal: AbortSignal): Promise<void> {
    try {
      await this.#embed(batch, signal);
      this.#error = null;
    } catch (error) {
      if (!signal.aborted) this.forget();
      this.#error = error instanceof EmbeddingError ? error.message : "The embedding model cannot be reached";
      throw error;
    }
  }

  async #embed(batch: EmbeddedBatch, signal: AbortSignal): Promise<void> {
    const { messages, embedder, starts } = batch;
    const limit = Math.min(embedder.maxTexts, this.#batchSize);
    const vectors = await this.#vectorsOf(messages, embedder, signal);
    if (signal.aborted || starts !== this.#stored.starts) return;
    if (vectors === null && messages.length > 1) {
      // The model refuses one of these texts. Batches of one message find out which.
      this.#batchSize = 1;
      return;
    }
    this.#batchSize = Math.min(limit * 2, embedder.maxTexts);
    this.#context.write(() => this.#stored.finish(batch, vectors));
  }

  /**
   * The vectors of messages; null if a text is at fault: the model refuses it, or fails on it repeatedly but on no other
   * text.
   */
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
      if (!isRefusal && this.#drain.faults < FAILURES_TO_SUSPECT) throw error;
      // A wrongly configured model refuses every text: this call then throws, and no message is blamed.
      await embed([PROBE]);
      // The model may have recovered by now, so the texts are sent once again before one of them is blamed.
      return isRefusal ? null : await embed(messages.map(textOf)).catch(() => null);
    }
  }
}

function textOf({ listing, body_start }: Unembedded): string {
  const { subject, from_name, from_address, snippet } = listingOf({ listing });
  const body = (body_start === null ? null : bodyTextStart(body_start)) ?? snippet;
  return embeddedText({ subject, from: from_name || from_address, body });
}
