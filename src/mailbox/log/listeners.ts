import { eventData, type EventKind } from "../../contract/event.ts";
import { rateLimited, type Answer } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import { eventFrame, KEEPALIVE, openingBlock } from "../../lib/sse.ts";
import type { LoggedEvent } from "./rows.ts";

/** Streams that one mailbox holds at once. */
const MAX_LISTENERS = 1_000;
/** What a client is told to wait that finds no place: by then a stream has ended by its time. */
const RETRY_SECONDS = 5;

/** A stream ends before the 25 s of the specification are over, the way to the client included. */
const HOLD_MS = 24_500;
const KEEPALIVE_MS = 2_000;
/** How exact the one timer is. */
const TICK_MS = 100;
/** The one timer looks this often at least, so that a key's end is seen though the clock jumps. */
const LOOK_MS = 1_000;

/** Bytes that wait for a client to read them. One that lets more pile up is cut off, and goes on by Last-Event-ID. */
export const MAX_UNREAD_BYTES = 65_536;
/** A replay reads on when less than this waits. */
const REPLAY_LOW_WATER_BYTES = 16_384;
/** Entries of the log that a replay reads at once. */
const REPLAY_PAGE = 200;

/**
 * Silence after a push to as many listeners as there may be, in which what happens is gathered. A push costs a write for
 * each, so a thousand that hear of each mail at once would leave no time to receive the next. It falls with the square of
 * their number: a hundred wait 5 ms at most, and one waits for nothing.
 */
const MAX_PAUSE_MS = 500;

const encoder = new TextEncoder();
const keepaliveBytes = encoder.encode(KEEPALIVE);

/** What a listener wants, and until when it may have it. */
export interface Listening {
  /** Null = all. */
  kinds: readonly EventKind[] | null;
  /** Begins with the entry after this one. */
  after: number;
  /** When its key ends, in ms since 1970; null = it does not. */
  expiresAt: number | null;
  /** Asked again when something about keys or mailbox changed. */
  mayListen: () => boolean;
  /** Hang-up of the client. */
  signal: AbortSignal;
}

interface Listener extends Listening {
  controller: ReadableStreamDefaultController<Uint8Array>;
  /** False while it still reads what happened before. */
  live: boolean;
  /** By `performance.now()`, as `endsAt`. */
  lastWriteAt: number;
  endsAt: number;
}

/** What listeners need of the mailbox. */
export interface ListenerSource {
  /** Entries of the log after one, of some kinds (null = all). */
  read: (after: number, limit: number, kinds: readonly EventKind[] | null) => LoggedEvent[];
  /** Resolves when everything written so far is on disk. */
  durable: () => Promise<void>;
}

/**
 * Open streams of one mailbox. They live in memory and are pushed to once the commit is on disk; a client that lost its
 * stream goes on from the log. One timer serves all of them, and none runs when nobody listens.
 */
export class Listeners {
  readonly #source: ListenerSource;
  readonly #open = new Set<Listener>();
  /** Committed, and not pushed yet. */
  #gathered: LoggedEvent[] = [];
  #pushing = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(source: ListenerSource) {
    this.#source = source;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whether nothing of it runs. */
  get isIdle(): boolean {
    return this.#timer === null && !this.#pushing;
  }

  /** Opens a stream: what happened after `after`, then what happens. */
  open(listening: Listening): Answer<ReadableStream<Uint8Array>> {
    if (this.#open.size >= MAX_LISTENERS) {
      return refused(
        rateLimited("streams", { limit: MAX_LISTENERS, windowSeconds: 1, resetSeconds: RETRY_SECONDS }),
      );
    }
    const now = performance.now();
    let listener: Listener;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          listener = { ...listening, controller, live: false, lastWriteAt: now, endsAt: now + HOLD_MS };
          this.#open.add(listener);
          controller.enqueue(encoder.encode(openingBlock(listening.after)));
        },
        pull: () => this.#replay(listener),
        cancel: () => this.#forget(listener),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: REPLAY_LOW_WATER_BYTES }),
    );
    listening.signal.addEventListener("abort", () => this.#forget(listener));
    this.#schedule();
    return done(stream);
  }

  /** Tells everybody who is live of a new entry of the log, once it is on disk. */
  publish(event: LoggedEvent): void {
    if (this.#open.size === 0) return;
    this.#gathered.push(event);
    if (!this.#pushing) void this.#push();
  }

  /** Ends the streams of callers that may not listen any more: a key was revoked, the mailbox paused or erased. */
  recheck(): void {
    for (const listener of this.#open) if (!listener.mayListen()) this.#close(listener);
  }

  /** Pushes until nothing is gathered, with pauses that leave most of the time to others. Never rejects. */
  async #push(): Promise<void> {
    this.#pushing = true;
    try {
      while (this.#gathered.length > 0 && this.#open.size > 0) {
        const events = this.#gathered;
        this.#gathered = [];
        await this.#source.durable();
        const pause = MAX_PAUSE_MS * (this.#open.size / MAX_LISTENERS) ** 2;
        this.#send(events);
        if (pause >= 1) await new Promise((resolve) => setTimeout(resolve, pause));
      }
      this.#gathered = [];
    } catch (error) {
      // What could not be written was not committed either; who listens finds all that was in the log.
      console.error("Streams are ended, because the log could not be written:", error);
      this.#gathered = [];
      for (const listener of this.#open) this.#close(listener);
    } finally {
      this.#pushing = false;
    }
  }

  #send(events: readonly LoggedEvent[]): void {
    const now = performance.now();
    const first = events[0]?.seq ?? 0;
    const last = events.at(-1)?.seq ?? 0;
    // Most listeners want the same, so it is written once for all of them.
    const frames = new Map<string, Uint8Array>();
    for (const listener of this.#open) {
      if (!listener.live) continue;
      // The log has no gaps: this many it has read there already.
      const known = Math.max(0, listener.after - first + 1);
      const key = `${known} ${listener.kinds?.join() ?? ""}`;
      const bytes = frames.get(key) ?? encodeFrames(events.slice(known), listener.kinds);
      frames.set(key, bytes);
      listener.after = Math.max(listener.after, last);
      if (bytes.byteLength > 0) this.#write(listener, bytes, now);
    }
  }

  /** Reads on in the log, as fast as the client does. Once nothing is left there, the listener is live. */
  async #replay(listener: Listener): Promise<void> {
    if (listener.live) return;
    const events = this.#source.read(listener.after, REPLAY_PAGE, listener.kinds);
    const last = events.at(-1);
    if (last === undefined) {
      listener.live = true;
      return;
    }
    // Not live meanwhile: what is committed in between, the next page brings.
    await this.#source.durable();
    if (!this.#open.has(listener)) return;
    listener.after = last.seq;
    listener.lastWriteAt = performance.now();
    listener.controller.enqueue(encodeFrames(events, null));
  }

  #write(listener: Listener, bytes: Uint8Array, now: number): void {
    // Judged by what was there before: much that happened at once is no fault of the client.
    const unread = REPLAY_LOW_WATER_BYTES - (listener.controller.desiredSize ?? 0);
    if (unread > MAX_UNREAD_BYTES) {
      this.#cutOff(listener);
      return;
    }
    listener.controller.enqueue(bytes);
    listener.lastWriteAt = now;
  }

  #schedule(): void {
    if (this.#timer !== null || this.#open.size === 0) return;
    const next = Math.min(
      ...Array.from(this.#open, ({ lastWriteAt, endsAt }) => Math.min(lastWriteAt + KEEPALIVE_MS, endsAt)),
    );
    const delay = Math.min(LOOK_MS, Math.max(TICK_MS, next - performance.now()));
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#tick();
      this.#schedule();
    }, delay);
  }

  #tick(): void {
    const now = performance.now();
    const date = Date.now();
    for (const listener of this.#open) {
      const { endsAt, expiresAt, lastWriteAt, live } = listener;
      if (now >= endsAt || (expiresAt !== null && date >= expiresAt)) this.#close(listener);
      else if (live && now - lastWriteAt >= KEEPALIVE_MS) this.#write(listener, keepaliveBytes, now);
      // A client that takes its time over a replay is not idle.
      else if (!live) listener.lastWriteAt = now;
    }
  }

  #close(listener: Listener): void {
    if (!this.#open.delete(listener)) return;
    this.#settle();
    listener.controller.close();
  }

  /** Ends a stream that nobody reads, and what it holds with it. */
  #cutOff(listener: Listener): void {
    if (!this.#open.delete(listener)) return;
    this.#settle();
    // Marked as the runtime marks a lost connection, which is what it becomes: any other error it reports as uncaught.
    const lost = Object.assign(new Error("The client reads too slowly"), { retryable: true });
    listener.controller.error(lost);
  }

  #forget(listener: Listener): void {
    if (this.#open.delete(listener)) this.#settle();
  }

  #settle(): void {
    if (this.#open.size > 0 || this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function encodeFrames(events: readonly LoggedEvent[], kinds: readonly EventKind[] | null): Uint8Array {
  const wanted = kinds === null ? events : events.filter(({ kind }) => kinds.includes(kind));
  return encoder.encode(wanted.map(({ seq, kind, data }) => eventFrame(seq, kind, eventData(data))).join(""));
}
