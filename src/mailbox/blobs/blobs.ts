import { bucketOf } from "../../blobs/bucket.ts";
import { isRowsKey, RowsBlobStore } from "../../blobs/rows.ts";
import { inTime } from "../../blobs/bucket-call.ts";
import type { BlobStore } from "../../blobs/store.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import { eraseDueBlobs, eraseLateBlobs, RETRY_MS, type ErasureTools } from "./erasure.ts";
import { readOwnBlob } from "./own-blobs.ts";
import * as rows from "./rows.ts";
import { BLOBS, CHUNKS, LATE_BLOBS } from "./schema.ts";

/** The platform holds no larger row. */
const MAX_ROW_BYTES = 2_097_152;

/** A reserved blob that no message claims within this time, in ms, is erased. */
export const ORPHAN_AFTER_MS = 3_600_000;
/** Later than every due date. */
const ALL_DUE = Number.MAX_SAFE_INTEGER;

/** The blobs of a mailbox: reservations, planned erasures, and the blobs stored in its own rows. */
export class Blobs implements Job {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #chunks: Tables;
  /** The blobs stored in rows of this mailbox. */
  readonly store: RowsBlobStore;

  constructor(context: MailboxContext) {
    this.#context = context;
    this.#tables = context.tables(BLOBS);
    this.#chunks = context.tables(CHUNKS);
    this.store = new RowsBlobStore({
      putChunk: async (key, position, bytes) => this.putChunk(key, position, bytes),
      getChunk: async (...part) => this.getChunk(...part),
      deleteChunks: async (keys) => this.deleteChunks(keys),
    });
  }

  /** Reserves a blob that is written next. It is erased at `dueAt` (ms since 1970) unless a message claims it. */
  reserve(key: string, dueAt: number): void {
    this.#tables.run(rows.PLAN_ERASURE, key, dueAt);
  }

  /** Claims a reserved blob for a message. Throws if it is too late and the blob may be erased: the sender tries again. */
  claim(key: string): void {
    if (this.#tables.first(rows.CLAIM_BLOB, key) === null)
      throw new Error("The blob of a message is no longer reserved");
  }

  /** Ends the reservation of a blob that was never written. */
  cancel(key: string): void {
    this.#tables.run(rows.END_ERASURE, key);
  }

  /** Plans the erasure of a blob that nothing uses any more, at the next alarm. */
  erase(key: string, nowMs: number): void {
    this.#tables.run(rows.PLAN_ERASURE, key, nowMs);
  }

  /**
   * Plans the erasure of a blob that may still be written, even after the mailbox has ended.
   *
   * @param dueAt when its writer has given up, in ms since 1970.
   */
  eraseLate(key: string, dueAt: number): void {
    if (!isRowsKey(key)) this.#tables.run(rows.NOTE_LATE_BLOB, key, dueAt);
  }

  /**
   * Plans the erasure of all blobs, because the mailbox ends.
   *
   * @param keys SELECT statements over tables of other capabilities, each with one column `key`.
   */
  eraseAll(keys: readonly string[], nowMs: number): void {
    if (keys.length === 0 && !this.#tables.isMade) return;
    this.#tables.run(rows.NOTE_RESERVED, nowMs);
    this.#tables.run(rows.planAll(keys), nowMs);
  }

  /** Reads a blob from its first byte. Each piece is valid until the next one is requested. Throws if the blob is missing. */
  read(blob: { key: string; sizeBytes: number }): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    return readOwnBlob(this.store, this.#bucket(), blob);
  }

  /** `length` bytes of a blob from `offset` on. Throws if the blob is missing. */
  async range(key: string, offset: number, length: number): Promise<Uint8Array> {
    const store = isRowsKey(key) ? this.store : this.#bucket();
    const stream = await store?.get(key, { offset, length });
    if (!stream) throw new Error("A blob is missing");
    return new Uint8Array(await inTime(new Response(stream).arrayBuffer()));
  }

  /** Where large blobs are written: the bucket, or rows of this mailbox where there is none. */
  forWriting(): BlobStore {
    return this.#bucket() ?? this.store;
  }

  putChunk(key: string, position: number, bytes: ArrayBuffer): void {
    if (this.#context.account() !== null) this.#chunks.run(rows.PUT_CHUNK, key, position, bytes);
  }

  getChunk(key: string, position: number, offset = 0, length = MAX_ROW_BYTES): ArrayBuffer | null {
    if (this.#context.account() === null) return null;
    // SQLite counts from 1.
    return this.#chunks.first(rows.GET_CHUNK, offset + 1, length, key, position)?.bytes ?? null;
  }

  deleteChunks(keys: readonly string[]): void {
    if (this.#context.account() === null) return;
    for (const key of keys) this.#chunks.run(rows.DELETE_CHUNKS, key);
  }

  dues(): (number | null)[] {
    return [this.#tables.first(rows.NEXT_ERASURE)?.due_at ?? null];
  }

  /** Erases the blobs that are due. The alarm waits for it. */
  async pump(nowMs: number): Promise<void> {
    await eraseDueBlobs(this.#erasure(), nowMs, nowMs);
    await eraseLateBlobs(this.#erasure(), nowMs);
  }

  /** Erases all blobs whose erasure is planned, due or not; answers how many were in the bucket. */
  drain(nowMs: number): Promise<number> {
    return eraseDueBlobs(this.#erasure(), ALL_DUE, nowMs);
  }

  /**
   * Erases all rows of the object except those about blobs that may still be written. This deletes the alarm too; if the
   * process dies before, the alarm continues the erasure.
   */
  async clearStorage(): Promise<void> {
    const { db, schemas, storage } = this.#context;
    const late = this.#tables.all(rows.LATE_BLOBS);
    const cleared = storage.deleteAll();
    schemas.forget();
    // In the same synchronous turn, so that a crash cannot separate it from `deleteAll`.
    const [first] = late;
    if (first !== undefined) {
      db.script(LATE_BLOBS);
      for (const { key, due_at } of late) db.run(rows.NOTE_LATE_BLOB, key, due_at);
      await storage.setAlarm(first.due_at);
    }
    await cleared;
  }

  /**
   * After the mailbox has ended: erases blobs whose writers were still active then. When none is left, erases all rows.
   *
   * @param isGone whether there is still no mailbox: one that is created during a call to the bucket erases the rest
   * itself.
   */
  async drainLate(nowMs: number, isGone: () => boolean): Promise<void> {
    const { db, storage } = this.#context;
    if (db.first(rows.FIND_LATE_BLOBS) === null) return;
    const next = await eraseLateBlobs({ ...this.#erasure(), tables: db }, nowMs).catch((error: unknown) => {
      console.error("Blobs of an erased mailbox could not be erased; its alarm tries again:", error);
      return nowMs + RETRY_MS;
    });
    if (!isGone()) return;
    if (next === null) await storage.deleteAll();
    else await storage.setAlarm(next);
  }

  /**
   * Keeps the rows about late blobs of an earlier mailbox of this object, within the transaction that creates another
   * mailbox.
   */
  adoptLate(): void {
    if (this.#context.db.first(rows.FIND_LATE_BLOBS) !== null) this.#tables.make();
  }

  #erasure(): ErasureTools {
    return {
      tables: this.#tables,
      chunks: this.#chunks,
      bucket: this.#bucket(),
      durable: this.#context.durable,
    };
  }

  #bucket(): BlobStore | null {
    return bucketOf(this.#context.env());
  }
}
