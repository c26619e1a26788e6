import type { EventData } from "../../../contract/event.ts";
import type { Mailkeep } from "../../../client/mailkeep.ts";
import { isRefusal } from "../lib/refusals.ts";
import { readEventStream, type Block } from "../lib/event-stream.ts";

/** The service says each 2 s that it lives; who was silent for this long is gone. */
const SILENCE_MS = 8_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

export type Connection = "connecting" | "live" | "offline";

/** The callbacks of a listener. */
export interface Listening {
  /** Each event once, in order. */
  event: (data: EventData) => void;
  /** Called when events may have been missed: reload what is shown. */
  lost: () => void;
  connection: (state: Connection) => void;
}

/**
 * Receives the events of the mailbox from now on. When a stream ends, it opens the next one with the id of the last event, so
 * that none is missed. (An EventSource does the same but cannot send an Authorization header.)
 */
export class Live {
  readonly #client: Mailkeep;
  readonly #listening: Listening;
  readonly #signal: AbortSignal;
  /** `id:` of the last block; null before the first. */
  #lastId: string | null = null;
  #failures = 0;

  constructor(client: Mailkeep, listening: Listening, signal: AbortSignal) {
    this.#client = client;
    this.#listening = listening;
    this.#signal = signal;
  }

  /** Listens until `signal` is aborted or the service refuses the key. */
  async run(): Promise<void> {
    this.#listening.connection("connecting");
    while (!this.#signal.aborted) {
      await this.#seen();
      const pauseMs = await this.#listen();
      if (pauseMs === null) return;
      if (pauseMs === 0) continue;
      this.#listening.connection("offline");
      await this.#pause(pauseMs);
    }
  }

  /** Reads one stream to its end. Resolves to the milliseconds to wait before the next; null: there is no next. */
  async #listen(): Promise<number | null> {
    const silence = new AbortController();
    const signal = AbortSignal.any([this.#signal, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    // The browser notices a lost network sooner than the timeout does.
    window.addEventListener("offline", () => silence.abort(), { signal });
    try {
      const { body } = await this.#client.eventStream({}, { headers: this.#lastSeen(), signal });
      if (body === null) return this.#backOff();
      let opening = true;
      for await (const block of readEventStream(body)) {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        if (block === null) continue;
        if (opening) this.#open(block);
        opening = false;
        this.#take(block);
      }
      return opening ? this.#backOff() : 0;
    } catch (error) {
      return this.#failed(error);
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
  }

  #lastSeen(): Record<string, string> {
    return this.#lastId === null ? {} : { "Last-Event-ID": this.#lastId };
  }

  #open({ id }: Block): void {
    this.#failures = 0;
    // A stream that does not continue the one before: the first, or one whose missed events are no longer stored.
    const goesOn = this.#lastId !== null && id === this.#lastId;
    this.#listening.connection("live");
    if (!goesOn) this.#listening.lost();
  }

  #take({ id, data }: Block): void {
    if (id !== null) this.#lastId = id;
    if (data !== null) this.#listening.event(JSON.parse(data) as EventData);
  }

  #failed(error: unknown): number | null {
    if (this.#signal.aborted) return null;
    // A timeout, or a broken connection.
    if (!isRefusal(error)) return this.#backOff();
    const isFinal = error.status === 401 || error.status === 403;
    if (isFinal) return null;
    return error.retryAfterMs ?? this.#backOff();
  }

  #backOff(): number {
    this.#failures += 1;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    // Random, so that tabs which lost the service together do not reconnect together.
    return pauseMs * (0.75 + Math.random() / 4);
  }

  /** A hidden tab has no stream: a browser opens at most six connections to a host, for all its tabs. */
  async #seen(): Promise<void> {
    while (document.hidden && !this.#signal.aborted) await this.#any([[document, "visibilitychange"]]);
  }

  async #pause(ms: number): Promise<void> {
    await this.#any([[globalThis, "online"]], ms);
  }

  /** Resolves at one of these events, after the time, or when listening ends. */
  #any(events: readonly [EventTarget, string][], ms?: number): Promise<void> {
    return new Promise((resolve) => {
      const over = new AbortController();
      const end = (): void => {
        over.abort();
        resolve();
      };
      for (const [target, name] of events) target.addEventListener(name, end, { signal: over.signal });
      this.#signal.addEventListener("abort", end, { signal: over.signal });
      if (ms === undefined) return;
      const timer = setTimeout(end, ms);
      over.signal.addEventListener("abort", () => clearTimeout(timer));
    });
  }
}
