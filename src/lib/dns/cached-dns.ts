import { privateEnding } from "../public-url.ts";
import { DnsFailure, isAskable, NO_SUCH_NAME, type Dns, type DnsAnswer, type RecordType } from "./dns.ts";

/** An answer that was just fetched. */
export interface Fetched {
  answer: DnsAnswer;
  /** How long it may be kept, as DNS says; of an empty answer what RFC 2308 §5 says. */
  ttlSeconds: number;
}

/** Asks a resolver. Rejects where it fails, and ends within a time of its own. */
export type Ask = (name: string, type: RecordType) => Promise<Fetched>;

export interface CacheOptions {
  /** The most answers that are kept. */
  maxEntries: number;
  /** Characters of all names and records that are kept. */
  maxChars: number;
  /**
   * False where each caller asks for itself, although another one asks the same at that time: in workerd the network calls of one
   * request end with it. True if not given.
   */
  isShared?: boolean;
  /** Milliseconds since 1970. */
  now?: () => number;
}

/** An answer is kept for at least this long, so that a TTL of 0 does not make each mail ask. */
const MIN_TTL_SECONDS = 30;
/** A key that was revoked is believed at most this long. */
const MAX_TTL_SECONDS = 3_600;
/** A record that was published after a mail asked for it is seen after this time. */
const MAX_NEGATIVE_TTL_SECONDS = 300;
/** After a failure a resolver is not asked the same again for so long: a domain whose servers are dead delays few mails. */
const FAILURE_TTL_SECONDS = 15;
/** Limits of one answer: a hostile server can send 64 KB. */
const MAX_RECORDS = 64;
const MAX_ANSWER_CHARS = 16_384;
/** Questions under way at a time. */
const MAX_UNDER_WAY = 512;
/** The share of the cache for answers that were used only once. */
const NEW_SHARE = 0.25;

interface Entry {
  /** Null: the resolver failed. */
  answer: DnsAnswer | null;
  expiresAt: number;
  chars: number;
}

/** The contents of a cache in numbers, for figures and tests. */
export interface CacheSize {
  entries: number;
  chars: number;
}

/**
 * A resolver with a cache. Answers that were used only once fill at most a quarter of it, so that names that a sender invents do
 * not displace those in use. A question that is under way is not asked twice.
 */
export class CachedDns implements Dns {
  readonly #ask: Ask;
  readonly #now: () => number;
  readonly #isShared: boolean;
  readonly #new: Shelf;
  readonly #used: Shelf;
  readonly #underWay = new Map<string, Promise<Entry>>();

  constructor(ask: Ask, { maxEntries, maxChars, isShared = true, now = Date.now }: CacheOptions) {
    this.#ask = ask;
    this.#isShared = isShared;
    this.#now = now;
    this.#new = new Shelf(maxEntries * NEW_SHARE, maxChars * NEW_SHARE);
    this.#used = new Shelf(maxEntries * (1 - NEW_SHARE), maxChars * (1 - NEW_SHARE));
  }

  get size(): CacheSize {
    return {
      entries: this.#new.entries.size + this.#used.entries.size,
      chars: this.#new.chars + this.#used.chars,
    };
  }

  async look(name: string, type: RecordType, signal?: AbortSignal): Promise<DnsAnswer> {
    const lower = name.toLowerCase();
    const key = `${type} ${lower}`;
    let entry = this.#kept(key);
    if (entry === null) {
      // Other names are never asked for, so none of them is kept.
      if (!isPublic(lower)) return NO_SUCH_NAME;
      entry = await this.#asked(key, lower, { type, signal });
    }
    if (entry.answer === null) throw new DnsFailure(`DNS does not answer for ${lower}`);
    return entry.answer;
  }

  #kept(key: string): Entry | null {
    const used = this.#used.take(key);
    const entry = used ?? this.#new.take(key);
    if (entry === undefined || entry.expiresAt <= this.#now()) return null;
    // Asked for again, so it is in use; what it pushes out may be asked for again too.
    for (const [name, old] of this.#used.put(key, entry)) this.#new.put(name, old);
    return entry;
  }

  async #asked(
    key: string,
    name: string,
    { type, signal }: { type: RecordType; signal: AbortSignal | undefined },
  ): Promise<Entry> {
    signal?.throwIfAborted();
    const fetching = this.#isShared ? this.#shared(key, name, type) : this.#fetch(key, name, type);
    return signal === undefined ? fetching : untilAborted(fetching, signal);
  }

  #shared(key: string, name: string, type: RecordType): Promise<Entry> {
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    if (this.#underWay.size >= MAX_UNDER_WAY) throw new DnsFailure("Too many names are being looked up");
    const fetching = this.#fetch(key, name, type).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, fetching);
    return fetching;
  }

  async #fetch(key: string, name: string, type: RecordType): Promise<Entry> {
    const fetched = await this.#ask(name, type).then(bounded, () => null);
    const entry = {
      answer: fetched?.answer ?? null,
      expiresAt: this.#now() + ttlOf(fetched) * 1_000,
      chars: key.length + (fetched?.answer.records.reduce((sum, { length }) => sum + length, 0) ?? 0),
    };
    this.#new.put(key, entry);
    return entry;
  }
}

/** Entries in the order of their last use, up to a number and a size. */
class Shelf {
  readonly entries = new Map<string, Entry>();
  chars = 0;
  readonly #maxEntries: number;
  readonly #maxChars: number;

  constructor(maxEntries: number, maxChars: number) {
    this.#maxEntries = maxEntries;
    this.#maxChars = maxChars;
  }

  /** Removes an entry and returns it. */
  take(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.chars -= entry.chars;
    return entry;
  }

  /** Puts an entry in and returns those that no longer fit, the longest unused first. */
  put(key: string, entry: Entry): [string, Entry][] {
    this.take(key);
    this.entries.set(key, entry);
    this.chars += entry.chars;
    const removed: [string, Entry][] = [];
    for (const [name, old] of this.entries) {
      if (this.entries.size <= this.#maxEntries && this.chars <= this.#maxChars) break;
      this.take(name);
      removed.push([name, old]);
    }
    return removed;
  }
}

/** Whether public DNS can answer for a name. A sender must not have private names looked up, which a resolver may know. */
function isPublic(name: string): boolean {
  return isAskable(name) && name.includes(".") && privateEnding(name) === null;
}

/** An answer that is too large counts as a failure. */
function bounded(fetched: Fetched): Fetched | null {
  const { records } = fetched.answer;
  const chars = records.reduce((sum, { length }) => sum + length, 0);
  return records.length > MAX_RECORDS || chars > MAX_ANSWER_CHARS ? null : fetched;
}

function ttlOf(fetched: Fetched | null): number {
  if (fetched === null) return FAILURE_TTL_SECONDS;
  const max = fetched.answer.records.length > 0 ? MAX_TTL_SECONDS : MAX_NEGATIVE_TTL_SECONDS;
  return Math.min(Math.max(fetched.ttlSeconds, MIN_TTL_SECONDS), max);
}

/** Waits for work that goes on when this caller gives up. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const gaveUp = Promise.withResolvers<never>();
  const giveUp = (): void => gaveUp.reject(new DnsFailure("The look-up was given up"));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([work, gaveUp.promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}
