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
/** Disk that one write may take: a row and its texts in the index. */
const MAX_WRITE_BYTES = 4_000_000;
/**
 * The database size is read only once in this many writes, because reading it takes as long as a statement; more often where
 * so many writes might reach the limit.
 */
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
    return Math.min(this.quotaOf(account) - account.row.storage_bytes, this.#diskLeft(account));
  }

  /** The problem to answer if there is no room. */
  full(account: Account): Problem {
    const most = this.#maxDisk(account);
    const limit =
      this.#diskLeft(account) < this.quotaOf(account) - account.row.storage_bytes
        ? `its rows and its search index take the ${most} bytes of disk that it may have`
        : `max ${this.quotaOf(account)} bytes`;
    return { code: "mailbox_full", error: `Mailbox is full (${limit})` };
  }

  /** Quota of a mailbox in bytes. */
  quotaOf(account: Account): number {
    const { provisionalQuotaBytes, mailboxQuotaBytes } = this.#context.config();
    return account.row.kind === "temporary" ? provisionalQuotaBytes : mailboxQuotaBytes;
  }

  /** Rows and index may take more than the mail itself: a mail of a few bytes may name a hundred others. */
  #maxDisk(account: Account): number {
    return Math.min(MAX_DATABASE_BYTES, this.quotaOf(account) * MAX_DISK_PER_QUOTA + EMPTY_DATABASE_BYTES);
  }

  #diskLeft(account: Account): number {
    const most = this.#maxDisk(account);
    if (this.#disk.uses <= 0) {
      const bytes = this.#context.storage.sql.databaseSize;
      const writes = Math.floor((most - bytes) / MAX_WRITE_BYTES);
      this.#disk = { bytes, uses: Math.min(WRITES_PER_DISK_CHECK, writes) };
    }
    this.#disk.uses -= 1;
    return most - this.#disk.bytes;
  }
}
