import { UNKNOWN_MAILBOX, type Answer, type Problem } from "../../contract/problem.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { MailboxContext } from "../context.ts";
import type { Account } from "./account.ts";

/** The platform gives an object 10 GB. The last 2 GB are reserved: deleting mail needs space too. */
const MAX_DATABASE_BYTES = 8_000_000_000;
/** Disk that rows and index of a mailbox may take, as a multiple of its quota. */
const MAX_DISK_PER_QUOTA = 5;
/** Size of the tables themselves, in bytes. */
const EMPTY_DATABASE_BYTES = 16_000_000;
/** The database size is read only once in this many writes, because reading it takes as long as a statement. */
const WRITES_PER_DISK_CHECK = 64;

/** Decides how much more mail a mailbox accepts. */
export class Room {
  readonly #context: MailboxContext;
  #disk = { bytes: 0, uses: 0 };

  constructor(context: MailboxContext) {
    this.#context = context;
  }

  /** The account, if it has room for `sizeBytes` more. 404 if there is no mailbox, 507 if it is full. */
  for(sizeBytes: number, nowMs: number): Answer<Account> {
    const account = this.#context.live(nowMs);
    if (account === null) return refused(UNKNOWN_MAILBOX);
    return sizeBytes <= this.left(account) ? done(account) : refused(this.full(account));
  }

  /** Bytes that still fit into the mailbox. */
  left(account: Account): number {
    const quota = this.quotaOf(account);
    // Rows and index may take more than the mail itself: a mail of a few bytes may name a hundred others.
    const disk = Math.min(MAX_DATABASE_BYTES, quota * MAX_DISK_PER_QUOTA + EMPTY_DATABASE_BYTES);
    return Math.min(quota - account.row.storage_bytes, disk - this.#diskUsed());
  }

  /** The problem to answer if there is no room. */
  full(account: Account): Problem {
    return { code: "mailbox_full", error: `Mailbox is full (max ${this.quotaOf(account)} bytes)` };
  }

  /** Quota of a mailbox in bytes. */
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
