import { UPLOAD_LIFETIME_MS, MAX_ATTACHMENT_BYTES } from "../../contract/limits.ts";
import { notFound, TOO_LARGE_ATTACHMENT, type Answer, type Problem } from "../../contract/problem.ts";
import type { Upload } from "../../contract/upload.ts";
import type { Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { Room } from "../account/room.ts";
import { ORPHAN_AFTER_MS, type Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import * as rows from "./rows.ts";
import type { UploadRow } from "./rows.ts";
import { UPLOADS } from "./schema.ts";

/** An upload that begins. */
export interface NewUpload {
  id: string;
  key: string;
  filename: string;
  contentType: string;
}

/** A file whose blob is completely written. */
export interface WholeUpload {
  id: string;
  sizeBytes: number;
  sha256: string;
  /** Name and media type, if they were not known when the upload began. */
  named?: { filename: string; contentType: string };
}

/** An upload that is complete. */
export interface StoredUpload {
  id: string;
  /** Key of its blob. */
  key: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** ms since 1970; null = a message uses it. */
  expiresAt: number | null;
}

/** Room that is reserved for an upload. */
export interface UploadRoom {
  maxBytes: number;
  /** The problem to answer if the file is larger than `maxBytes`. */
  beyond: Problem;
}

/** The most uploads that expire in one step. Other calls wait for a step to end. */
const BATCH = 500;

/** Files that a caller uploads before the message that sends them. */
export class Uploads implements Job {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #room: Room;
  readonly #blobs: Blobs;

  constructor(context: MailboxContext, others: { room: Room; blobs: Blobs }) {
    this.#context = context;
    this.#tables = context.tables(UPLOADS);
    this.#room = others.room;
    this.#blobs = others.blobs;
  }

  /**
   * Reserves room for a file that is stored next: `sizeBytes`; if that is unknown, `mostBytes`; if both are unknown, the
   * largest allowed size. An upload that is not completed within an hour is erased.
   */
  beginUpload(
    access: Access,
    upload: NewUpload & { sizeBytes: number | null; mostBytes: number | null },
  ): Answer<UploadRoom> {
    const { answer, now, commit, clock } = this.#context;
    return answer(access, (account) => {
      const nowMs = now();
      const wanted = upload.mostBytes ?? MAX_ATTACHMENT_BYTES;
      // At least one byte, so that a full mailbox refuses before anything is read.
      const most = Math.max(1, Math.min(wanted, MAX_ATTACHMENT_BYTES, this.#room.left(account)));
      const sizeBytes = upload.sizeBytes ?? most;
      const room = this.#room.for(sizeBytes, nowMs);
      if (!room.ok) return room;
      commit(() => {
        const { id, key, filename, contentType } = upload;
        const expiresAt = nowMs + ORPHAN_AFTER_MS;
        this.#tables.run(rows.INSERT, id, key, filename, contentType, sizeBytes, nowMs, expiresAt);
        account.countStorage(sizeBytes);
        clock.atLatest(expiresAt);
      });
      const beyond = sizeBytes < MAX_ATTACHMENT_BYTES ? this.#room.full(account) : TOO_LARGE_ATTACHMENT;
      return done({ maxBytes: sizeBytes, beyond });
    });
  }

  /** Marks an upload as complete: its blob is written, and it can be sent and read. 503 if it came too late and may be erased. */
  async completeUpload(access: Access, whole: WholeUpload): Promise<Answer<Upload>> {
    const { answer, commit, arm } = this.#context;
    const completed = answer(access, (account) => commit(() => this.#complete(account, whole)));
    if (completed.ok) await arm();
    return completed;
  }

  /** Erases an upload that was not completed, with the written part of its blob, and frees its room. */
  async abandonUpload(id: string): Promise<void> {
    await this.#removeAll([id], ({ sha256 }) => sha256 === null);
  }

  /** Erases uploads that were made for a message which is not sent; not those that another message uses. */
  async discardUploads(ids: readonly string[]): Promise<void> {
    await this.#removeAll(ids, ({ expires_at }) => expires_at !== null);
  }

  /** An upload that is complete and has not expired; null if there is none. */
  find(id: string): StoredUpload | null {
    const row = this.#tables.first(rows.FIND, id.toLowerCase());
    if (row === null || row.sha256 === null) return null;
    // The time decides, even if the alarm is late.
    if (row.expires_at !== null && row.expires_at <= this.#context.now()) return null;
    return {
      id: row.id,
      key: row.key,
      filename: row.filename,
      contentType: row.content_type,
      sizeBytes: row.size_bytes,
      sha256: row.sha256,
      expiresAt: row.expires_at,
    };
  }

  /** The bytes of an upload that a message uses. Throws if it is erased. */
  open(id: string): AsyncIterable<Uint8Array> {
    const found = this.find(id);
    if (found === null) throw new Error("An upload that a message uses is missing");
    return this.#blobs.read(found);
  }

  /**
   * Lets a message use uploads, which then do not expire. Runs inside the transaction that accepts the message. All uploads
   * are used or none; several messages may use one upload. 404 if one has expired.
   */
  use(message: Seq, ids: readonly string[]): Answer<null> {
    const found = ids.map((id) => this.find(id));
    if (found.includes(null)) return refused(notFound("Attachment"));
    for (const upload of found) {
      if (upload === null) continue;
      this.#tables.run(rows.USE, message, upload.id);
      this.#tables.run(rows.KEEP, upload.id);
    }
    return done(null);
  }

  /**
   * Ends a message's use of its uploads; inside one transaction. Uploads that no other message uses expire 24 hours after
   * their upload, or at once if that time is past. The caller sets the alarm. A repeated call changes nothing.
   */
  release(message: Seq, nowMs: number): void {
    const used = this.#tables.all(rows.USED_BY, message);
    this.#tables.run(rows.UNUSE, message);
    for (const { upload } of used) this.#tables.run(rows.LET_EXPIRE, nowMs, UPLOAD_LIFETIME_MS, upload);
  }

  /**
   * When the mailbox ends: plans the erasure of blobs that are still being written, for the time when their writers have
   * given up.
   */
  eraseComing(nowMs: number): void {
    for (const { key, expires_at } of this.#tables.all(rows.COMING, nowMs))
      this.#blobs.eraseLate(key, expires_at);
  }

  /** A SELECT of the keys of all blobs of uploads; null if there are no uploads. */
  get blobKeys(): string | null {
    return this.#tables.isMade ? rows.BLOB_KEYS : null;
  }

  dues(): (number | null)[] {
    return [this.#tables.first(rows.NEXT_DUE)?.due ?? null];
  }

  /** Erases expired uploads. It runs before the blobs that are due are erased, because it makes their blobs due. */
  pump(nowMs: number): void {
    const account = this.#context.account();
    const [due = null] = this.dues();
    if (account === null || due === null || due > nowMs) return;
    this.#context.commit(() => {
      for (const row of this.#tables.all(rows.EXPIRED, nowMs, BATCH)) this.#remove(account, row, nowMs);
    });
  }

  #complete(account: Account, { id, sizeBytes, sha256, named }: WholeUpload): Answer<Upload> {
    const row = this.#tables.first(rows.FIND, id);
    if (row === null) return refused({ code: "unavailable", error: "The upload took too long; try again" });
    const nowMs = this.#context.now();
    const expiresAt = nowMs + UPLOAD_LIFETIME_MS;
    const { filename, contentType } = named ?? { filename: row.filename, contentType: row.content_type };
    this.#tables.run(rows.COMPLETE, filename, contentType, sizeBytes, sha256, nowMs, expiresAt, id);
    account.countStorage(sizeBytes - row.size_bytes);
    return done({
      id,
      filename,
      content_type: contentType,
      size_bytes: sizeBytes,
      sha256,
      expires_at: new Date(expiresAt).toISOString(),
    });
  }

  async #removeAll(ids: readonly string[], isGoing: (row: UploadRow) => boolean): Promise<void> {
    const { now, commit, arm } = this.#context;
    const account = this.#context.account();
    if (account === null) return;
    commit(() => {
      for (const id of ids) {
        const row = this.#tables.first(rows.FIND, id);
        if (row !== null && isGoing(row)) this.#remove(account, row, now());
      }
    });
    await arm();
  }

  #remove(account: Account, row: UploadRow, nowMs: number): void {
    this.#tables.run(rows.REMOVE, row.id);
    this.#blobs.erase(row.key, nowMs);
    // A bucket may still finish a write after its writer has given up.
    if (row.sha256 === null && row.expires_at !== null) this.#blobs.eraseLate(row.key, row.expires_at);
    account.countStorage(-row.size_bytes);
  }
}
