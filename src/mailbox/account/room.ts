import { UNKNOWN_MAILBOX, type Answer, type Problem } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { MailboxContext } from "../context.ts";
import type { Account } from "./account.ts";

/** Of the 10 GB that the platform gives an object, the rest is room to delete in. */
const MAX_DATABASE_BYTES = 8_000_000_000;
/** Disk that a mailbox's mail may take, rows and index included, as a multiple of its quota. */
const MAX_DISK_PER_QUOTA = 5;
/** Room for the tables themselves. */
const EMPTY_DATABASE_BYTES = 16_000_000;
/** Asking for the size of the database takes as long as a statement, so it is asked once for so many receipts and uploads. */
const WRITES_PER_DISK_CHECK = 64;

/** How much more a mailbox takes. */
export class Room {
  readonly #context: MailboxContext;
  #disk = { bytes: 0, uses: 0 };

  constructor(context: MailboxContext) {
    this.#context = context;
  }

  /** The mailbox, if it takes so many bytes more; else why not. */
  for(sizeBytes: number, nowMs: number): Answer<Account> {
    const account = this.#context.live(nowMs);
    if (account === null) return refused(UNKNOWN_MAILBOX);
    return sizeBytes <= this.left(account) ? done(account) : refused(this.full(account));
  }

  /** Bytes that the mailbox still takes. */
  left(account: Account): number {
    const quota = this.quotaOf(account);
    // Rows and index take more than the mail itself: a mail of a few bytes may name a hundred others.
    const disk = Math.min(MAX_DATABASE_BYTES, quota * MAX_DISK_PER_QUOTA + EMPTY_DATABASE_BYTES);
    return Math.min(quota - account.row.storage_bytes, disk - this.#diskUsed());
  }

  /** The refusal of more than there is room for. */
  full(account: Account): Problem {
    return { code: "mailbox_full", error: `Mailbox is full (max ${this.quotaOf(account)} bytes)` };
  }

  /** Bytes of mail that a mailbox holds at most. */
  quotaOf(account: Account): number {
    const { provisionalQuotaBytes, mailboxQuotaBytes } = this.#context.config();
    return account.row.kind === "temporary" ? provisionalQuotaBytes : mailboxQuotaBytes;
  }

  #diskUsed(): number {
    if (this.#disk.uses === 0) {
      this.#disk = { bytes: this.#context.storage.sql.databaseSize, uses: WRITES_PER_DISK_CHECK };
    }
    this.#disk.uses -= 1;
    return this.#disk.bytes;
  }
}
