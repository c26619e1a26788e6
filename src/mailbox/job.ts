/** Work that a mailbox does by itself, beside whoever asks it something. */
export interface Job {
  /** When the alarm must ring for it, in ms since 1970; null entries are work without a date. */
  dues(nowMs: number): (number | null)[];
  /** Starts what is due. Work that takes long goes on after it returns; the alarm waits for a promise. */
  pump(nowMs: number): void | Promise<void>;
  /** Reads again what it keeps in memory: a transaction that it took part in was undone. */
  forget(): void;
  /** The mailbox ends: what is under way is broken off and writes nothing any more. */
  close(): void;
}
