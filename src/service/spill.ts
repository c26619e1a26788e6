import { GrowingBytes } from "../lib/growing-bytes.ts";
import { uuidV7 } from "../lib/ids.ts";
import { rowsOf } from "./blob-choice.ts";
import type { MailboxStub } from "./mailbox-stub.ts";

/** Bytes that are held in memory, and of one row. */
const HELD_BYTES = 1_000_000;
/** Time after which a reservation is renewed, in ms: a sixth of it. */
const RENEW_MS = 600_000;

/**
 * Collects bytes whose number must be known before they are used. The first megabyte is held in memory, the rest in rows of the
 * mailbox. If a crash leaves rows behind, their reservation erases them.
 */
export class Spill {
  readonly #mailbox: MailboxStub;
  readonly #key: string;
  #held = new GrowingBytes();
  #chunks = 0;
  #sizeBytes = 0;
  /** When the rows were reserved last, in ms since 1970. */
  #reservedAt = 0;

  constructor(mailbox: MailboxStub) {
    this.#mailbox = mailbox;
    this.#key = rowsOf(mailbox).newKey(mailbox.name ?? "", uuidV7(Date.now()));
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  async add(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#held.add(bytes);
    this.#sizeBytes += bytes.length;
    if (this.#held.length < HELD_BYTES) return;
    // Each time a new reservation, because an export may take longer than one lasts.
    const reserved = await this.#mailbox.reserve([this.#key], 0);
    if (!reserved.ok) throw new Error(`The export was stopped: ${reserved.error.error}`);
    this.#reservedAt = Date.now();
    await this.#mailbox.putChunk(this.#key, this.#chunks, this.#held.from(0).slice().buffer);
    this.#chunks += 1;
    this.#held = new GrowingBytes();
  }

  /** Renews the reservation of what waits in rows, once it is some minutes old. */
  async keep(): Promise<void> {
    const nowMs = Date.now();
    if (this.#chunks === 0 || nowMs - this.#reservedAt < RENEW_MS) return;
    this.#reservedAt = nowMs;
    await this.#mailbox.reserve([this.#key], 0);
  }

  /** All bytes, in their order. */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    for (let chunk = 0; chunk < this.#chunks; chunk += 1) {
      const bytes = await this.#mailbox.getChunk(this.#key, chunk);
      if (bytes === null) throw new Error("A part of an export is missing");
      yield new Uint8Array(bytes);
    }
    yield this.#held.from(0);
  }

  /** Erases the rows. */
  async drop(): Promise<void> {
    if (this.#chunks === 0) return;
    await this.#mailbox.deleteChunks([this.#key]).catch((error: unknown) => {
      console.error("Rows of an export are erased later:", error);
    });
  }
}
