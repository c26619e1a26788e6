import { eventData, type EventKind } from "../../contract/event.ts";
import { rateLimited, type Answer } from "../../contract/problem.ts";
import { breath } from "../../lib/breath.ts";
import { DRAIN_LOOK_MS, isDraining } from "../../lib/draining.ts";
import { done, refused } from "../../lib/outcome.ts";
import { eventFrame, KEEPALIVE, openingBlock } from "../../lib/sse.ts";
import { metrics, secondsSince } from "../../metrics/metrics.ts";
import type { Turns } from "../turns.ts";
import type { LoggedEvent } from "./rows.ts";

/** The most open streams of one mailbox. */
const MAX_LISTENERS = 1_000;
/** `Retry-After` for a client beyond that limit, in seconds. By then some stream has reached its time limit. */
const RETRY_SECONDS = 5;

/** A stream ends at the client within 25 s (docs/events.md#a-stream), so it is closed half a second earlier here. */
const HOLD_MS = 24_500;
const KEEPALIVE_MS = 2_000;
/** Precision of the one timer, in ms. */
const TICK_MS = 100;
/** The timer fires at least this often, so that streams end when the server stops, and those of an expired key even if the clock jumps. */
const LOOK_MS = DRAIN_LOOK_MS;

/** The most unread bytes of a stream. A client with more is disconnected, and resumes by `Last-Event-ID`. */
export const MAX_UNREAD_BYTES = 65_536;
/** A replay reads the next page when fewer unread bytes than this are buffered. */
const REPLAY_LOW_WATER_BYTES = 16_384;
/** Log entries that a replay reads at once. */
const REPLAY_PAGE = 200;

/**
 * The pause after a push to MAX_LISTENERS streams, in ms, in which new events are gathered for the next push. A push costs
 * one write for each stream: with a thousand streams and no pause, no time would be left to receive mail. The pause falls
 * with the square of the number of streams: 5 ms for a hundred, none for one.
 */
const MAX_PAUSE_MS = 500;

const encoder = new TextEncoder();
const keepaliveBytes = encoder.encode(KEEPALIVE);

/** A caller's stream: which events it gets, and until when. */
export interface Listening {
  /** Null = all kinds. */
  kinds: readonly EventKind[] | null;
  /** Number of the entry that the stream starts after. */
  after: number;
  /** When the caller's key expires, in ms since 1970; null = never. */
  expiresAt: number | null;
  /** Authenticates the caller again; called after a change of keys or of the mailbox's status. */
  mayListen: () => boolean;
  /** Aborts when the client closes its connection. */
  signal: AbortSignal;
}

interface Listener extends Listening {
  controller: ReadableStreamDefaultController<Uint8Array>;
  /** False while the stream still replays stored entries. */
  live: boolean;
  /** By `Listeners.#now`, as is `endsAt`. */
  lastWriteAt: number;
  endsAt: number;
}

/** The log, as streams read it. */
export interface ListenerSource {
  /** Log entries after a number, at most `limit`, of some kinds (null = all). */
  read: (after: number, limit: number, kinds: readonly EventKind[] | null) => Turns<LoggedEvent[]>;
  /** Resolves when everything written so far is on disk. */
  durable: () => Promise<void>;
  /** Called when a stream opened or ended, with the number of streams that are open. */
  changed: (left: number) => void;
}

/**
 * The open streams of one mailbox. They live in memory. Each event is pushed after its commit is on disk; a client that
 * lost its stream replays from the log. One timer serves all streams, and none runs without streams.
 */
export class Listeners {
  readonly #source: ListenerSource;
  readonly #open = new Set<Listener>();
  /** Events that are committed and not pushed yet. */
  #gathered: LoggedEvent[] = [];
  /** When the first of them was gathered, by `performance.now()`. */
  #gatheredSinceMs = 0;
  #pushing = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Time that has passed while somebody looked, in ms. */
  #passedMs = 0;
  #lookedMs = performance.now();

  constructor(source: ListenerSource) {
    this.#source = source;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whether neither timer nor push is running. */
  get isIdle(): boolean {
    return this.#timer === null && !this.#pushing;
  }

  /** Opens a stream: first the stored entries after `listening.after`, then new ones as they are written. */
  open(listening: Listening): Answer<ReadableStream<Uint8Array>> {
    if (this.#open.size >= MAX_LISTENERS) {
      return refused(
        rateLimited("streams", { limit: MAX_LISTENERS, windowSeconds: 1, resetSeconds: RETRY_SECONDS }),
      );
    }
    const now = this.#now();
    let listener: Listener;
    const stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          listener = { ...listening, controller, live: false, lastWriteAt: now, endsAt: now + HOLD_MS };
          this.#open.add(listener);
          this.#source.changed(this.#open.size);
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

  /** Queues a new log entry for all live streams; it is pushed once it is on disk. */
  publish(event: LoggedEvent): void {
    if (this.#open.size === 0) return;
    if (this.#gathered.length === 0) this.#gatheredSinceMs = performance.now();
    this.#gathered.push(event);
    if (!this.#pushing) void this.#push();
  }

  /**
   * Authenticates all callers again and closes the streams of those that are no longer allowed: a key was revoked, the
   * mailbox was paused or erased.
   */
  recheck(): void {
    for (const listener of this.#open) if (!listener.mayListen()) this.#close(listener);
  }

  /** Pushes until nothing is queued. Pauses in between leave most of the time to other calls. Never rejects. */
  async #push(): Promise<void> {
    this.#pushing = true;
    try {
      while (this.#gathered.length > 0 && this.#open.size > 0) {
        const events = this.#gathered;
        this.#gathered = [];
        const startMs = this.#gatheredSinceMs;
        await this.#source.durable();
        const pause = MAX_PAUSE_MS * (this.#open.size / MAX_LISTENERS) ** 2;
        this.#send(events);
        metrics.observe("mailkeep_notify_seconds", {}, secondsSince(startMs));
        if (pause >= 1) await new Promise((resolve) => setTimeout(resolve, pause));
      }
      this.#gathered = [];
    } catch (error) {
      // Events that could not be written were not committed either. A client that reconnects replays what the log holds.
      console.error("Event streams of a mailbox were closed, because its log could not be written:", error);
      this.#gathered = [];
      for (const listener of this.#open) this.#close(listener);
    } finally {
      this.#pushing = false;
    }
  }

  #send(events: readonly LoggedEvent[]): void {
    const now = this.#now();
    const first = events[0]?.seq ?? 0;
    const last = events.at(-1)?.seq ?? 0;
    // Most streams want the same events, so each selection is serialized once for all of them.
    const frames = new Map<string, Uint8Array>();
    for (const listener of this.#open) {
      if (!listener.live) continue;
      // The log has no gaps, so this is how many of `events` the replay has already sent.
      const known = Math.max(0, listener.after - first + 1);
      const key = `${known} ${listener.kinds?.join() ?? ""}`;
      const bytes = frames.get(key) ?? encodeFrames(events.slice(known), listener.kinds);
      frames.set(key, bytes);
      listener.after = Math.max(listener.after, last);
      if (bytes.byteLength > 0) this.#write(listener, bytes, now);
    }
  }

  /** Replays the next page of the log at the pace of the client. When no entry is left, the stream becomes live. */
  async #replay(listener: Listener): Promise<void> {
    if (listener.live) return;
    const reading = this.#source.read(listener.after, REPLAY_PAGE, listener.kinds);
    let turn = reading.next();
    for (; turn.done !== true; turn = reading.next()) {
      await breath();
      if (!this.#open.has(listener)) return;
    }
    // No call may run between the last turn and here: what it committed would be neither read nor pushed.
    const events = turn.value;
    const last = events.at(-1);
    if (last === undefined) {
      listener.live = true;
      return;
    }
    // The stream stays a replay during this wait: entries committed meanwhile come with the next page.
    await this.#source.durable();
    if (!this.#open.has(listener)) return;
    listener.after = last.seq;
    listener.lastWriteAt = this.#now();
    listener.controller.enqueue(encodeFrames(events, null));
  }

  #write(listener: Listener, bytes: Uint8Array, now: number): void {
    // Only bytes of earlier pushes count: a client is not slow because many events come at once.
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
    const delay = Math.min(LOOK_MS, Math.max(TICK_MS, next - this.#now()));
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#tick();
      this.#schedule();
    }, delay);
  }

  /**
   * Time in ms that only grows. In workerd `performance.now()` is the time of day: if that is set back by an hour, streams must
   * not stay open for an hour, or go without keep-alives. If it is set forward, streams end early, and their clients resume.
   */
  #now(): number {
    const nowMs = performance.now();
    this.#passedMs += Math.max(nowMs - this.#lookedMs, 0);
    this.#lookedMs = nowMs;
    return this.#passedMs;
  }

  #tick(): void {
    const now = this.#now();
    const date = Date.now();
    for (const listener of this.#open) {
      const { endsAt, expiresAt, lastWriteAt, live } = listener;
      const isOver = now >= endsAt || (expiresAt !== null && date >= expiresAt);
      if (isOver || isDraining()) this.#close(listener);
      else if (live && now - lastWriteAt >= KEEPALIVE_MS) this.#write(listener, keepaliveBytes, now);
      // A replay that the client reads slowly gets no keep-alives.
      else if (!live) listener.lastWriteAt = now;
    }
  }

  #close(listener: Listener): void {
    if (!this.#open.delete(listener)) return;
    this.#settle();
    listener.controller.close();
  }

  /** Errors the stream of a client that does not read, and frees its buffer. */
  #cutOff(listener: Listener): void {
    if (!this.#open.delete(listener)) return;
    this.#settle();
    // `retryable` marks a lost connection for the runtime; it logs any other error as uncaught.
    const lost = Object.assign(new Error("The client reads too slowly"), { retryable: true });
    listener.controller.error(lost);
  }

  #forget(listener: Listener): void {
    if (this.#open.delete(listener)) this.#settle();
  }

  #settle(): void {
    this.#source.changed(this.#open.size);
    if (this.#open.size > 0 || this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
  }
}

function encodeFrames(events: readonly LoggedEvent[], kinds: readonly EventKind[] | null): Uint8Array {
  const wanted = kinds === null ? events : events.filter(({ kind }) => kinds.includes(kind));
  return encoder.encode(wanted.map(({ seq, kind, data }) => eventFrame(seq, kind, eventData(data))).join(""));
}
