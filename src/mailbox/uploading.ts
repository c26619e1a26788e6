import { MAX_ATTACHMENT_BYTES } from "../contract/limits.ts";
import { TOO_LARGE_ATTACHMENT, type Answer, type Problem } from "../contract/problem.ts";
import type { Upload } from "../contract/upload.ts";
import { done } from "../lib/outcome.ts";
import type { Access } from "./access.ts";
import { MailboxDomains } from "./domain-settings.ts";
import { ORPHAN_AFTER_MS } from "./erasure.ts";
import {
  abandonUpload,
  beginUpload,
  completeUpload,
  discardUploads,
  type NewUpload,
  type WholeUpload,
} from "./uploads.ts";

/** Room that is kept for an upload. */
export interface UploadRoom {
  maxBytes: number;
  /** What is wrong with a byte more. */
  beyond: Problem;
}

/** Files that come in to be sent. */
export abstract class MailboxUploads extends MailboxDomains {
  /**
   * Keeps room for a file whose blob is written next: `sizeBytes` of it, or where nobody knows `mostBytes`, or as much as a
   * file may take.
   */
  beginUpload(
    access: Access,
    upload: NewUpload & { sizeBytes: number | null; mostBytes: number | null },
  ): Answer<UploadRoom> {
    return this.answer(access, (account) => {
      const now = Date.now();
      const wanted = upload.mostBytes ?? MAX_ATTACHMENT_BYTES;
      // One byte at least, so that a full mailbox says so before anything is read.
      const most = Math.max(1, Math.min(wanted, MAX_ATTACHMENT_BYTES, this.roomLeft(account)));
      const sizeBytes = upload.sizeBytes ?? most;
      const room = this.roomFor(sizeBytes, now);
      if (!room.ok) return room;
      this.commit(() => {
        beginUpload(this.db, account, { ...upload, sizeBytes }, now);
        this.alarmClock.atLatest(now + ORPHAN_AFTER_MS);
      });
      const beyond = sizeBytes < MAX_ATTACHMENT_BYTES ? this.full(account) : TOO_LARGE_ATTACHMENT;
      return done({ maxBytes: sizeBytes, beyond });
    });
  }

  /** The blob is whole: from now on the upload can be sent and read. */
  async completeUpload(access: Access, whole: WholeUpload): Promise<Answer<Upload>> {
    const completed = this.answer(access, (account) =>
      this.commit(() => completeUpload(this.db, account, whole, Date.now())),
    );
    if (completed.ok) await this.arm();
    return completed;
  }

  /** The upload did not become whole: its room is free again, and what there is of its blob is erased. */
  async abandonUpload(id: string): Promise<void> {
    const { account } = this;
    if (account === null) return;
    this.commit(() => abandonUpload(this.db, account, id, Date.now()));
    await this.arm();
  }

  /** Uploads that were made for one message, which is not sent: those that no message uses are erased. */
  async discardUploads(ids: readonly string[]): Promise<void> {
    const { account } = this;
    if (account === null) return;
    this.commit(() => discardUploads(this.db, account, ids, Date.now()));
    await this.arm();
  }
}
