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

/** A file that is about to come in. */
export interface NewUpload {
  id: string;
  key: string;
  filename: string;
  contentType: string;
}

/** What is known of a file once its blob is whole. */
export interface WholeUpload {
  id: string;
  sizeBytes: number;
  sha256: string;
  /** What it is called and what it is, where nobody knew when room was kept for it. */
  named?: { filename: string; contentType: string };
}

/** A file that is there whole. */
export interface StoredUpload {
  id: string;
  /** Where its bytes lie in the blob store. */
  key: string;
  filename: string;
  contentType: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  /** ms since 1970; null = a message uses it. */
  expiresAt: number | null;
}

/** Room that is kept for an upload. */
export interface UploadRoom {
  maxBytes: number;
  /** The refusal of a byte more. */
  beyond: Problem;
}

/** Uploads that one step expires, so that nobody waits long behind it. */
const BATCH = 500;

/** Files that are uploaded to be sent. */
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
   * Keeps room for a file whose blob is written next: `sizeBytes` of it, or where nobody knows `mostBytes`, or as much as a
   * file may take. One that does not become whole in time is erased.
   */
  beginUpload(
    access: Access,
    upload: NewUpload & { sizeBytes: number | null; mostBytes: number | null },
  ): Answer<UploadRoom> {
    const { answer, now, commit, clock } = this.#context;
    return answer(access, (account) => {
      const nowMs = now();
      const wanted = upload.mostBytes ?? MAX_ATTACHMENT_BYTES;
      // One byte at least, so that a full mailbox says so before anything is read.
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

  /** The blob is whole: from now on the upload can be sent and read. 503 if it came too late and may be erased already. */
  async completeUpload(access: Access, whole: WholeUpload): Promise<Answer<Upload>> {
    const { answer, commit, arm } = this.#context;
    const completed = answer(access, (account) => commit(() => this.#complete(account, whole)));
    if (completed.ok) await arm();
    return completed;
  }

  /** The upload did not become whole: its room is free again, and the part of its blob that was written is erased. */
  async abandonUpload(id: string): Promise<void> {
    await this.#removeAll([id], ({ sha256 }) => sha256 === null);
  }

  /** Erases uploads that were made for one message, which is not sent; not those that another message uses. */
  async discardUploads(ids: readonly string[]): Promise<void> {
    await this.#removeAll(ids, ({ expires_at }) => expires_at !== null);
  }

  /** An upload that is whole and has not expired; null if there is none. */
  find(id: string): StoredUpload | null {
    const row = this.#tables.first(rows.FIND, id.toLowerCase());
    if (row === null || row.sha256 === null) return null;
    // It expires by time alone, however late the alarm.
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

  /** The bytes of an upload that a message uses. Throws if it is gone. */
  open(id: string): AsyncIterable<Uint8Array> {
    const found = this.find(id);
    if (found === null) throw new Error("An upload of a message is gone");
    return this.#blobs.read(found);
  }

  /**
   * Lets a message use uploads, which then stay as long as it needs them; inside the transaction that accepts the message, and
   * with all of them or none. Any number of messages may use one upload. 404 if one has expired.
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
   * Ends a message's use of its uploads; inside one transaction. Those that no other message uses expire 24 hours after they
   * came, at once if that is past; the caller sets the alarm. Done twice it is done once.
   */
  release(message: Seq, nowMs: number): void {
    const used = this.#tables.all(rows.USED_BY, message);
    this.#tables.run(rows.UNUSE, message);
    for (const { upload } of used) this.#tables.run(rows.LET_EXPIRE, nowMs, UPLOAD_LIFETIME_MS, upload);
  }

  /** The mailbox ends: has the blobs erased that are still being written, once their writers have given up. */
  eraseComing(nowMs: number): void {
    for (const { key, expires_at } of this.#tables.all(rows.COMING, nowMs))
      this.#blobs.eraseLate(key, expires_at);
  }

  /** Selects the keys of all blobs of uploads; null where there is none. */
  get blobKeys(): string | null {
    return this.#tables.isMade ? rows.BLOB_KEYS : null;
  }

  dues(): (number | null)[] {
    return [this.#tables.first(rows.NEXT_DUE)?.due ?? null];
  }

  /** Expires what is due; before the blobs that are due are erased, which theirs are then. */
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
    // A bucket may still store a file after its writer has given up.
    if (row.sha256 === null && row.expires_at !== null) this.#blobs.eraseLate(row.key, row.expires_at);
    account.countStorage(-row.size_bytes);
  }
}
