import { R2BlobStore } from "../blobs/r2.ts";
import { directoryShard, type DirectoryReport } from "../contract/directory.ts";
import { seqTime } from "../lib/ids.ts";
import type { Database } from "../lib/sql.ts";
import { REPORT_RETRY_MS, type Account } from "./account.ts";
import { ALL_DUE, eraseDueBlobs, eraseLateBlobs, type ErasureTools } from "./erasure.ts";
import { LATE_BLOBS } from "./migrations.ts";
import * as statements from "./statements.ts";

/** What became of the attempt to erase a mailbox. */
export interface Erased {
  /** Blobs erased from the bucket. */
  blobs: number;
  /** False if something is left, which the alarm tries again. */
  whole: boolean;
}

/** What a mailbox owes to the outside: the directory's row, blobs, its own end. */
export class Lifecycle {
  readonly #db: Database;
  readonly #storage: DurableObjectStorage;
  readonly #env: Pick<Env, "BLOBS" | "DIRECTORY">;
  readonly #releaseDomains: () => Promise<void>;
  /** The latest call of the directory. */
  #told: Promise<void> = Promise.resolve();

  constructor(
    db: Database,
    storage: DurableObjectStorage,
    env: Pick<Env, "BLOBS" | "DIRECTORY">,
    releaseDomains: () => Promise<void>,
  ) {
    this.#db = db;
    this.#storage = storage;
    this.#env = env;
    this.#releaseDomains = releaseDomains;
  }

  /** When what it owes is due. */
  dues(account: Account): (number | null)[] {
    const { status, expires_at, directory_due } = account.row;
    if (status === "closing") return [directory_due];
    return [expires_at, directory_due, this.#db.first(statements.NEXT_ERASURE)?.due_at ?? null];
  }

  /** Does what is due. What fails is due again later. */
  async drain(account: Account, nowMs: number): Promise<void> {
    const { directory_due } = account.row;
    if (directory_due !== null && directory_due <= nowMs) await this.report(account);
    await eraseDueBlobs(this.#erasure(), nowMs, nowMs);
    await eraseLateBlobs(this.#erasure(), nowMs);
  }

  /** Tells the directory how this mailbox stands now, or leaves it to the alarm. */
  async report(account: Account): Promise<void> {
    try {
      const report = this.#stateOf(account);
      await this.#tell((directory) => directory.report(report), account);
      // What changed meanwhile is told again. Of a mailbox that ended there are no rows to look at.
      const isLive = account.row.status === report.status;
      if (isLive && JSON.stringify(this.#stateOf(account)) === JSON.stringify(report)) {
        account.setDirectoryDue(null);
      }
    } catch (error) {
      console.error("The directory could not be told of a mailbox and is told again:", error);
      account.setDirectoryDue(Date.now() + REPORT_RETRY_MS);
    }
  }

  #stateOf({ row }: Account): DirectoryReport {
    const { address, kind, status, created_at, expires_at } = row;
    const attention = this.#db.first(statements.ATTENTION) ?? { failed: 0, kept: null, obstacle: 0 };
    const { failed, kept, obstacle } = attention;
    const kept_at = kept === null ? null : seqTime(kept);
    const attends = { webhooks_failed: failed === 1, kept_at, cannot_send: obstacle === 1 };
    return { address, kind, status, created_at, expires_at, ...attends };
  }

  /** Writes down that the mailbox ends: its keys are gone with it, and whatever it leaves undone now the alarm does. */
  beginEnd(account: Account, nowMs: number): void {
    account.removeKeys();
    account.setStatus("closing", null, nowMs);
    this.#db.run(statements.KEEP_LATE_BLOBS, nowMs);
    this.#db.run(statements.PLAN_ALL_ERASURES, nowMs);
  }

  /** Gives its domains up, erases blobs, then the directory's row, then all rows. Repeated after a failure it goes on where it was. */
  async end(account: Account, nowMs: number): Promise<Erased> {
    let blobs = 0;
    try {
      await this.#releaseDomains();
      blobs = await eraseDueBlobs(this.#erasure(), ALL_DUE, nowMs);
      await this.#tell((directory, address) => directory.remove(address, account.row.kind), account);
      // It clears the alarm too: should the process end before it, the alarm goes on here.
      await this.#clear();
    } catch (error) {
      console.error("A mailbox could not be erased whole and is tried again:", error);
      account.setDirectoryDue(nowMs + REPORT_RETRY_MS);
      return { blobs, whole: false };
    }
    return { blobs, whole: true };
  }

  /**
   * Where the mailbox is gone: erases blobs whose writers were still at it when it ended. When none is left, nothing is, and
   * nothing is due. `isGone`: whether it still is: another may be made while the bucket is asked, and sees to the rest.
   */
  async drainLate(nowMs: number, isGone: () => boolean): Promise<void> {
    if (this.#db.first(statements.FIND_LATE_BLOBS) === null) return;
    const next = await eraseLateBlobs(this.#erasure(), nowMs).catch((error: unknown) => {
      console.error("Blobs of a mailbox that ended could not be erased and are tried again:", error);
      return nowMs + REPORT_RETRY_MS;
    });
    if (!isGone()) return;
    if (next === null) await this.#storage.deleteAll();
    else await this.#storage.setAlarm(next);
  }

  /** Erases all rows but the notes of late blobs. It clears the alarm too: should the process end before it, the alarm goes on here. */
  async #clear(): Promise<void> {
    const late = this.#db.all(statements.LATE_BLOBS);
    const cleared = this.#storage.deleteAll();
    // In the same turn, so that no crash comes between.
    const [first] = late;
    if (first !== undefined) {
      this.#db.script(LATE_BLOBS);
      for (const { key, due_at } of late) this.#db.run(statements.KEEP_LATE_BLOB, key, due_at);
      await this.#storage.setAlarm(first.due_at);
    }
    await cleared;
  }

  #erasure(): ErasureTools {
    return { db: this.#db, bucket: this.#bucket(), durable: () => this.#storage.sync() };
  }

  /** Calls the directory after the call before is answered: calls of two stubs may overtake each other. */
  async #tell(
    say: (directory: ReturnType<Env["DIRECTORY"]["getByName"]>, address: string) => Promise<void>,
    { row: { address } }: Account,
  ): Promise<void> {
    const before = this.#told;
    // What failed before was told to who called then.
    const now = before
      .catch(() => {})
      .then(() => say(this.#env.DIRECTORY.getByName(directoryShard(address)), address));
    this.#told = now;
    await now;
  }

  #bucket(): R2BlobStore | null {
    const bucket: R2Bucket | undefined = this.#env.BLOBS;
    return bucket === undefined ? null : new R2BlobStore(bucket);
  }
}
