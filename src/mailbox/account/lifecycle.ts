import type { DirectoryReport } from "../../contract/directory.ts";
import type { DeletedMailbox } from "../../contract/mailbox.ts";
import type { Answer } from "../../contract/problem.ts";
import type { Scope } from "../../contract/scope.ts";
import { isRowsKey } from "../../blobs/rows.ts";
import { breath } from "../../lib/breath.ts";
import { holdFile } from "../../lib/held-file.ts";
import { seqTime, uuidV7, type Seq } from "../../lib/ids.ts";
import { done } from "../../lib/outcome.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import type { Domains } from "../domains/domains.ts";
import type { Job } from "../job.ts";
import { BLOBS_WITHIN, LAST_OF_NEXT, LAST_OF_NEXT_WITH_BLOBS } from "../messages/rows.ts";
import { MESSAGE_BLOBS, MESSAGES } from "../messages/schema.ts";
import type { Imports } from "../imports/imports.ts";
import { BEYOND_ALL } from "../reading/rules.ts";
import type { RefusedMails } from "../rules/refused-mails.ts";
import type { Outbox } from "../sending/outbox.ts";
import type { TakenMailbox, Takeover } from "../takeover/takeover.ts";
import { ROWS_A_TURN } from "../turns.ts";
import type { Uploads } from "../uploads/uploads.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { Access } from "./access.ts";
import { Account, REPORT_RETRY_MS } from "./account.ts";
import * as rows from "./rows.ts";
import { ACCOUNT, KEYS } from "./schema.ts";
import { StoredKeys } from "./stored-keys.ts";

/** The properties of a new mailbox. */
export interface NewMailbox {
  /** Canonical address. */
  address: string;
  kind: "permanent" | "temporary";
  secretHash: string;
  scope: Scope;
  expiresAt: number | null;
  /** The temporary mailbox to take over; null for none. */
  takeOver?: TakenMailbox | null;
  /** Allows the operator to create an address again while erased addresses are still reserved. */
  evenIfQuarantined?: boolean;
}

/** A created mailbox. `replayed`: an earlier call with the same key had created it. */
export interface CreatedMailbox {
  replayed: boolean;
  expiresAt: number | null;
}

/** The methods of the directory that a mailbox calls. */
export interface DirectoryEntry {
  report(report: DirectoryReport): Promise<void>;
  remove(address: string, kind: "permanent" | "temporary"): Promise<void>;
}

/** Capabilities that take part in the beginning and the end of a mailbox. */
interface Others {
  blobs: Blobs;
  uploads: Uploads;
  domains: Domains;
  webhooks: Webhooks;
  outbox: Outbox;
  takeover: Takeover;
  imports: Pick<Imports, "blobKeys" | "eraseComing">;
  refusedMails: Pick<RefusedMails, "blobKeys">;
}

/** Everything outside the mailbox that its beginning and end need. */
export interface LifecycleTools {
  directoryOf: (address: string) => DirectoryEntry;
  /** Stops the jobs of the mailbox and ends all waiting calls and streams. */
  stop: () => void;
  /** Called when nothing is left: the object may become another mailbox. */
  ended: () => void;
}

/** Changes within this time share one report to the directory. */
const REPORT_DELAY_MS = 1_000;
/** How long a temporary mailbox is kept after each `hold` of the mailbox that takes it over. */
const HOLD_MS = 86_400_000;
/** Limit of all extensions by `hold`, from the creation of the mailbox: time for somebody to make room. */
const MAX_HELD_MS = 30 * HOLD_MS;

/** One life of a mailbox: its beginning, its entry in the directory, and its end. */
export class Lifecycle implements Job {
  readonly #context: MailboxContext;
  readonly #others: Others;
  readonly #tools: LifecycleTools;
  account: Account | null = null;
  #ending: Promise<number> | null = null;
  /** The latest call to the directory. Calls go out one after another, because calls on different stubs may overtake each other. */
  #reported: Promise<void> = Promise.resolve();

  constructor(context: MailboxContext, others: Others, tools: LifecycleTools) {
    this.#context = context;
    this.#others = others;
    this.#tools = tools;
    this.forget();
  }

  /**
   * The mailbox while it is live, else null. Once found expired at `nowMs` it is ended for good, even if the clock moves
   * backwards.
   */
  live(nowMs: number): Account | null {
    const { account } = this;
    if (account === null || account.isLive(nowMs)) return account;
    if (account.row.status !== "closing") {
      this.end().catch((error: unknown) => console.error("An expired mailbox could not be erased:", error));
    }
    return null;
  }

  /** Whether the mailbox has expired or was deleted, but is not completely erased yet. */
  isOver(): boolean {
    return this.account !== null && !this.account.isLive(this.#context.now());
  }

  /** Creates the mailbox of an object that holds none. */
  async begin(mailbox: NewMailbox): Promise<Answer<CreatedMailbox>> {
    const { schemas, write, now } = this.#context;
    const { address, kind, secretHash, scope, expiresAt, takeOver = null } = mailbox;
    const nowMs = now();
    write(() => {
      schemas.make(ACCOUNT);
      this.#others.blobs.adoptLate();
      const month = new Date(nowMs).toISOString().slice(0, 7);
      const born = [address, kind, nowMs, expiresAt, month, nowMs + REPORT_RETRY_MS] as const;
      const key = {
        id: uuidV7(nowMs),
        secret_hash: secretHash,
        scope,
        created_at: nowMs,
        expires_at: expiresAt,
      };
      const column = StoredKeys.column({ ...key, last_used_at: null });
      this.#context.tables(ACCOUNT).run(rows.INSERT_ACCOUNT, ...born, column, schemas.recorded);
      if (takeOver !== null) this.#others.takeover.begin(takeOver, nowMs);
    });
    this.forget();
    if (this.account !== null) await this.#reportBirth(this.account);
    return done({ replayed: false, expiresAt });
  }

  /** Tells the directory of a new mailbox. That it knows is written late: until then a repeated report does no harm. */
  async #reportBirth(account: Account): Promise<void> {
    const { directory_due: due } = account.row;
    await this.#context.arm();
    const isTold = await this.#tell(account);
    if (!isTold) return;
    this.#context.late.add(() => {
      // A change since then needs a report of its own.
      if (account.row.directory_due === due) account.setDirectoryDue(null);
    });
  }

  /** If this key created the mailbox: the answer to a repeat of the creation. Else null. */
  replay(secretHash: string): CreatedMailbox | null {
    const account = this.live(this.#context.now());
    if (!account?.holdsKey(secretHash)) return null;
    return { replayed: true, expiresAt: account.row.expires_at };
  }

  /** Erases the mailbox. From here on its keys are invalid and its mail is refused. If the blob store fails, the alarm retries. */
  async destroy(access: Access): Promise<Answer<DeletedMailbox>> {
    const admitted = this.#context.answer(access, (account) => done(account));
    if (!admitted.ok) return admitted;
    return done({ ok: true, deleted: admitted.value.row.address, r2_blobs_deleted: await this.end() });
  }

  /**
   * Extends the life of a temporary mailbox while another mailbox takes it over and has no room for its mail yet: nothing
   * else has that mail. It ends nevertheless 30 days after its creation.
   */
  async hold(access: Access): Promise<Answer<null>> {
    const { answer, write, now, arm } = this.#context;
    const held = answer(access, (account, { keyId }) => {
      const until = Math.min(now() + HOLD_MS, account.row.created_at + MAX_HELD_MS);
      if (keyId !== null) write(() => account.extend(until, keyId));
      return done(null);
    });
    if (held.ok) await arm();
    return held;
  }

  /**
   * Ends the mailbox: its keys are invalid and its mail is refused at once. Resolves to the number of blobs erased from the
   * bucket. Calls at the same time share one end.
   */
  async end(): Promise<number> {
    this.#ending ??= this.#end();
    try {
      return await this.#ending;
    } finally {
      this.#ending = null;
    }
  }

  /** Reports the mailbox to the directory within a second. */
  reportSoon(): void {
    const due = this.#context.now() + REPORT_DELAY_MS;
    this.account?.reportBy(due);
    this.#context.clock.atLatest(due);
  }

  /** Reports the state of the mailbox to the directory. The alarm is set first, so that it reports if the process dies before. */
  async reportNow(account: Account): Promise<void> {
    await this.#context.arm();
    await this.#report(account);
    await this.#context.arm();
  }

  dues(): (number | null)[] {
    if (this.account === null) return [];
    const { status, expires_at, directory_due } = this.account.row;
    return status === "closing" ? [directory_due] : [expires_at, directory_due];
  }

  /** Reports to the directory if that is due. The alarm waits for it. */
  async pump(nowMs: number): Promise<void> {
    const { account } = this;
    const due = account?.row.directory_due ?? null;
    if (account !== null && due !== null && due <= nowMs) await this.#report(account);
  }

  forget(): void {
    const { schemas, tables, late } = this.#context;
    this.account = schemas.isMade(ACCOUNT) ? Account.open(tables(ACCOUNT), tables(KEYS), late) : null;
  }

  async #end(): Promise<number> {
    const { account } = this;
    if (account === null) return 0;
    const { write, arm, now, env, storage } = this.#context;
    const nowMs = now();
    this.#context.late.forget();
    write(() => this.#beginEnd(account, nowMs));
    this.#tools.stop();
    await arm();
    let erased = 0;
    try {
      await this.#others.domains.releaseAll();
      erased = await this.#eraseBlobs(nowMs);
      await this.#callDirectory(account, (directory, { address, kind }) => directory.remove(address, kind));
      await holdFile(env(), { address: account.row.address, bytes: storage.sql.databaseSize });
      await this.#others.blobs.clearStorage();
      this.account = null;
      this.#tools.ended();
    } catch (error) {
      console.error("A mailbox could not be erased completely; its alarm tries again:", error);
      account.setDirectoryDue(nowMs + REPORT_RETRY_MS);
      await arm();
    }
    return erased;
  }

  /**
   * Erases all blobs in the bucket; those in rows go with the rows. A mailbox may have a million messages with blobs, or no index
   * of these, so other mailboxes of this process get turns. After a crash the alarm begins again: erasing a blob twice is harmless.
   */
  async #eraseBlobs(nowMs: number): Promise<number> {
    const { blobs } = this.#others;
    const messages = this.#context.tables(MESSAGES);
    const end = this.#context.tables(MESSAGE_BLOBS).isMade ? LAST_OF_NEXT_WITH_BLOBS : LAST_OF_NEXT;
    let erased = await blobs.drain(nowMs);
    for (let above: Seq | null = 0; above !== null;) {
      const last: Seq | null = messages.first(end, above, ROWS_A_TURN)?.seq ?? null;
      const found = messages.all(BLOBS_WITHIN, above, last ?? BEYOND_ALL);
      const keys = found.flatMap((row) => [row.raw_key, row.parts_key, row.body_key]);
      const objects = keys.filter((key) => key !== null && !isRowsKey(key));
      this.#context.write(() => objects.forEach((key) => key !== null && blobs.erase(key, nowMs)));
      if (objects.length > 0) erased += await blobs.drain(nowMs);
      above = last;
      if (above !== null) await breath();
    }
    return erased;
  }

  /**
   * Stores that the mailbox ends: removes its keys and plans the erasure of the blobs that belong to no message. The alarm does what
   * fails now.
   */
  #beginEnd(account: Account, nowMs: number): void {
    account.removeKeys();
    account.setStatus("closing", null, nowMs);
    const { blobs, uploads, imports, refusedMails } = this.#others;
    uploads.eraseComing(nowMs);
    imports.eraseComing();
    const keys = [uploads.blobKeys, imports.blobKeys, refusedMails.blobKeys];
    blobs.eraseAll(
      keys.filter((select) => select !== null),
      nowMs,
    );
  }

  /** Reports the state of the mailbox to the directory. If that fails, the alarm retries. */
  async #report(account: Account): Promise<void> {
    if (await this.#tell(account)) account.setDirectoryDue(null);
  }

  /** Tells the directory the state of the mailbox, and resolves to whether it needs no further report. If it fails, the alarm retries. */
  async #tell(account: Account): Promise<boolean> {
    try {
      const report = this.#stateOf(account);
      await this.#callDirectory(account, (directory) => directory.report(report));
      // A change during the call needs another report. If the mailbox ended meanwhile, its rows may be gone and must not be
      // read.
      const isLive = account.row.status === report.status;
      return isLive && JSON.stringify(this.#stateOf(account)) === JSON.stringify(report);
    } catch (error) {
      console.error("A mailbox could not report to the directory; its alarm tries again:", error);
      account.setDirectoryDue(this.#context.now() + REPORT_RETRY_MS);
      return false;
    }
  }

  #stateOf({ row }: Account): DirectoryReport {
    const { outbox, webhooks } = this.#others;
    const { address, kind, status, created_at, expires_at } = row;
    const unsent = outbox.newestUnsent();
    const kept_at = unsent === null ? null : seqTime(unsent);
    const attention = {
      webhooks_failed: webhooks.hasFailed,
      kept_at,
      cannot_send: outbox.obstacle() !== null,
    };
    return { address, kind, status, created_at, expires_at, ...attention };
  }

  /** Calls the directory once its previous call has ended. */
  async #callDirectory(
    { row }: Account,
    say: (directory: DirectoryEntry, row: Account["row"]) => Promise<void>,
  ): Promise<void> {
    const before = this.#reported;
    // The caller of the previous call already got its error.
    const reported = before.catch(() => {}).then(() => say(this.#tools.directoryOf(row.address), row));
    this.#reported = reported;
    await reported;
  }
}
