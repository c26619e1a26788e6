import { changedSeen, isSeen, NOTHING_SEEN } from "../../../contract/seen-state.ts";
import type { SeenChange, SeenMail } from "../../../contract/seen.ts";
import type { Mailkeep } from "../../../client/mailkeep.ts";

/** The service takes so many ids in a call. */
const MAX_IDS = 100;

/**
 * The mails that the reader has seen. The mailbox keeps it, so that every browser of the reader shows the same. A change shows at
 * once and is sent behind; one that could not be sent goes with the next.
 */
export class Seen {
  readonly #client: Mailkeep;
  readonly #changed: () => void;
  readonly #signal: AbortSignal;
  /** Answers whose state was taken. */
  #answers = 0;
  /** Null until the mailbox has said: then nothing looks new. */
  #state: SeenMail | null = null;
  /** Changes that the mailbox does not have yet. */
  #upTo: string | null = null;
  #marks = new Map<string, boolean>();
  #isSending = false;

  /** @param changed called when other mails than before are seen. */
  constructor(client: Mailkeep, changed: () => void, signal: AbortSignal) {
    this.#client = client;
    this.#changed = changed;
    this.#signal = signal;
  }

  /** Loads the state; leaves it as it is if that fails. Never rejects. */
  async load(): Promise<void> {
    const before = this.#answers;
    try {
      this.#answer(await this.#client.mailbox.seen({ signal: this.#signal }), before);
      void this.#send();
    } catch {
      // Tried again when the connection is back.
    }
  }

  has(id: string): boolean {
    return this.#state === null || isSeen(this.#state, id);
  }

  /** Whether every mail up to this one is seen, but for some that are marked. */
  isPast(id: string): boolean {
    return this.#state === null || (this.#state.up_to !== null && id <= this.#state.up_to);
  }

  mark(ids: readonly string[], isSeenNow: boolean): void {
    const changing = ids.filter((id) => this.#state === null || this.has(id) !== isSeenNow);
    if (changing.length === 0) return;
    for (const id of changing) this.#marks.set(id, isSeenNow);
    this.#take(this.#state);
    void this.#send();
  }

  /** Every mail up to this one is seen. */
  markAll(upTo: string): void {
    for (const id of this.#marks.keys()) if (id <= upTo) this.#marks.delete(id);
    this.#upTo = upTo;
    this.#take(this.#state);
    void this.#send();
  }

  #waiting(): SeenChange | null {
    const ids = (wanted: boolean): string[] =>
      [...this.#marks].flatMap(([id, isSeenNow]) => (isSeenNow === wanted ? [id] : [])).slice(0, MAX_IDS);
    if (this.#upTo === null && this.#marks.size === 0) return null;
    return {
      ...(this.#upTo === null ? {} : { up_to: this.#upTo }),
      seen: ids(true),
      unseen: ids(false),
    };
  }

  /**
   * Takes the state of an answer to a request that was made after `before` answers. If another answer came since, either may be
   * the newer: then the state is loaded again.
   */
  #answer(state: SeenMail, before: number): void {
    if (before !== this.#answers) return void this.load();
    this.#answers += 1;
    this.#take(state);
  }

  /** Shows a state of the mailbox with the changes that it does not have yet. */
  #take(state: SeenMail | null): void {
    const waiting = this.#waiting();
    if (state !== null) this.#state = waiting === null ? state : changedSeen(state, waiting);
    else if (this.#state === null && this.#upTo !== null)
      this.#state = changedSeen(NOTHING_SEEN, waiting ?? {});
    this.#changed();
  }

  async #send(): Promise<void> {
    const change = this.#waiting();
    if (this.#isSending || change === null) return;
    this.#isSending = true;
    const isMore = await this.#sent(change);
    this.#isSending = false;
    if (isMore) void this.#send();
  }

  /** Resolves to whether the mailbox has the change. No signal: it is sent although the reader leaves. */
  async #sent(change: SeenChange): Promise<boolean> {
    const sent = new Map(this.#marks);
    const before = this.#answers;
    try {
      const state = await this.#client.mailbox.markSeen(change);
      const named = new Set([...(change.seen ?? []), ...(change.unseen ?? [])]);
      for (const [id, isSeenNow] of sent) {
        if (named.has(id) && this.#marks.get(id) === isSeenNow) this.#marks.delete(id);
      }
      if (this.#upTo === change.up_to) this.#upTo = null;
      this.#answer(state, before);
      return true;
    } catch {
      // It stays among the changes that the mailbox does not have yet.
      return false;
    }
  }
}
