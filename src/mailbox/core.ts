import { Server } from "partyserver";
import { directoryShard, standingFault, type Standing } from "../contract/directory.ts";
import type { DeletedMailbox } from "../contract/mailbox.ts";
import { conflict, UNKNOWN_MAILBOX, type Answer, type Problem } from "../contract/problem.ts";
import type { Scope } from "../contract/scope.ts";
import { configOf } from "../config/env.ts";
import { uuidV7, type Seq } from "../lib/ids.ts";
import { hasSchema, migrate } from "../lib/migrate.ts";
import { done, refused } from "../lib/outcome.ts";
import { Database } from "../lib/sql.ts";
import { TokenBucket } from "../lib/token-bucket.ts";
import { AlarmClock } from "../lib/wake.ts";
import type { Access, Principal } from "./access.ts";
import { Account, noMailbox, REPORT_RETRY_MS } from "./account.ts";
import { Jobs } from "./jobs.ts";
import { KeptPages } from "./kept-pages.ts";
import { Lifecycle } from "./lifecycle.ts";
import { Listeners } from "./listeners.ts";
import { eventsAfter, type LoggedEvent } from "./log.ts";
import { type View } from "./present.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { CodeRow } from "./schema.ts";
import { OlderBodies } from "./older-bodies.ts";
import { Outbox } from "./outbox.ts";
import { seqOf, type EmailAnswer } from "./reading.ts";
import type { ReportTools } from "./reports.ts";
import { erasedBy, prune, retentionDue } from "./retention.ts";
import * as statements from "./statements.ts";
import { readOwnBlob } from "./own-blobs.ts";
import { expireUploads, findUpload, uploadsDue } from "./uploads.ts";
import type { KeptMailbox } from "./take-over.ts";
import { spentCalls } from "./call-limits.ts";
import { Waiters } from "./waiters.ts";

/** What a mailbox is created with. */
export interface NewMailbox {
  /** Canonical. */
  address: string;
  kind: "permanent" | "temporary";
  secretHash: string;
  scope: Scope;
  expiresAt: number | null;
  /** The temporary mailbox whose mail comes along. */
  takeOver?: KeptMailbox | null;
  /** The operator may make anew what was erased a while ago. */
  evenIfQuarantined?: boolean;
}

/** A created mailbox; `replayed` if the very same key had created it before. */
export interface CreatedMailbox {
  replayed: boolean;
  expiresAt: number | null;
}

/** Of the 10 GB that the platform gives an object, the rest is room to delete in. */
const MAX_DATABASE_BYTES = 8_000_000_000;
/** Disk that a mailbox's mail may take, rows and index included, as a multiple of its quota. */
const MAX_DISK_PER_QUOTA = 5;

/** Room for the tables themselves. */
const EMPTY_DATABASE_BYTES = 16_000_000;
const DAY_MS = 86_400_000;
/** A burst of what the directory should hear of is one report. */
const REPORT_DELAY_MS = 1_000;

/** No address is given out unless the directory said that it may be. */
const DIRECTORY_DOWN: Problem = {
  code: "unavailable",
  error: "The list of mailboxes does not answer; try again",
  retryAfterSeconds: 5,
};

/** Asking for the size of the database takes as long as a statement, so it is asked once for so many receipts and uploads. */
const WRITES_PER_DISK_CHECK = 64;

/**
 * What every mailbox is before anything is read or written in it: its storage, who may use it, its beginning, its alarm,
 * and its end.
 */
export abstract class MailboxCore extends Server<Env> {
  protected readonly db: Database;
  /** Who waits for a code. */
  protected readonly codeWaiters = new Waiters<CodeRow>();
  /** Who waits for an entry of the log. */
  protected readonly changeWaiters = new Waiters<LoggedEvent>();
  protected readonly listeners: Listeners;
  protected readonly alarmClock: AlarmClock;
  readonly #lifecycle: Lifecycle;
  protected readonly outbox: Outbox;
  /** What it does by itself. */
  protected jobs: Jobs;
  /** Who waits for the first try of a message. */
  protected readonly sendWaiters = new Waiters<Seq>();
  protected account: Account | null = null;
  readonly #olderBodies: OlderBodies;
  #ending: Promise<number> | null = null;
  /** How often a mailbox ended here since the object woke. */
  #ends = 0;
  #disk = { bytes: 0, uses: 0 };
  readonly #calls = new TokenBucket();
  readonly #counted = new WeakSet<Access>();
  protected readonly pages = new KeptPages();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.db = new Database(ctx.storage);
    this.listeners = new Listeners({
      read: (after, limit, kinds) => eventsAfter(this.db, after, limit, kinds),
      durable: () => ctx.storage.sync(),
    });
    this.alarmClock = new AlarmClock(ctx.storage);
    this.outbox = new Outbox(this.db);
    this.#olderBodies = new OlderBodies({
      db: this.db,
      bucket: () => this.env.BLOBS,
      commit: (change) => this.commit(change),
    });
    this.jobs = this.#newJobs();
    this.#lifecycle = new Lifecycle(this.db, ctx.storage, env, () => this.jobs.domains.releaseAll());
    if (!hasSchema(this.db)) return;
    migrate(this.db, MIGRATIONS);
    this.account = Account.open(this.db);
    // An alarm that failed too often is cleared for good by the platform: whoever wakes the object sets it again.
    void ctx.blockConcurrencyWhile(() => this.arm());
  }

  /** Makes this object a mailbox. Repeated with the same key it answers the same; with another it is a conflict. */
  async create(mailbox: NewMailbox): Promise<Answer<CreatedMailbox>> {
    const standing = await this.#clearFor(mailbox);
    if (standing !== null) return standing;
    const now = Date.now();
    this.db.transaction(() => {
      migrate(this.db, MIGRATIONS);
      const month = new Date(now).toISOString().slice(0, 7);
      const { address, kind, expiresAt } = mailbox;
      const due = now + REPORT_RETRY_MS;
      this.db.run(statements.INSERT_ACCOUNT, address, kind, now, expiresAt, 0, month, due);
      this.db.run(statements.INSERT_KEY, uuidV7(now), mailbox.secretHash, mailbox.scope, now, expiresAt);
      if (mailbox.takeOver) this.jobs.takeOver.begin(mailbox.takeOver, now);
    });
    const account = Account.open(this.db);
    this.account = account;
    if (account !== null) await this.#reportToDirectory(account);
    return done({ replayed: false, expiresAt: mailbox.expiresAt });
  }

  /** What a `create` answers that makes nothing; null where the mailbox can be made at once. */
  async #clearFor(mailbox: NewMailbox): Promise<Answer<CreatedMailbox> | null> {
    const { address, secretHash, evenIfQuarantined = false } = mailbox;
    for (;;) {
      if (this.account !== null && !this.account.isLive(Date.now())) await this.#close();
      if (this.account !== null) {
        if (!this.account.holdsKey(secretHash)) return refused(conflict(`${address} is taken`));
        return done({ replayed: true, expiresAt: this.account.row.expires_at });
      }
      const ends = this.#ends;
      const standing = await this.#standingOf(address);
      if (standing === null) return refused(DIRECTORY_DOWN);
      const fault = standingFault(address, standing, { evenIfQuarantined });
      if (fault !== null) return refused(fault);
      // While the directory was asked, another call may have made the mailbox, and a third may have erased it.
      if (this.account === null && this.#ends === ends) return null;
    }
  }

  /** Null where the directory does not answer. */
  async #standingOf(address: string): Promise<Standing | null> {
    try {
      return await this.env.DIRECTORY.getByName(directoryShard(address)).standing(address);
    } catch (error) {
      console.error("The directory could not be asked for an address:", error);
      return null;
    }
  }

  /** Whether the mailbox was made with this very key, and until when it lives; null if not. */
  replay(secretHash: string): CreatedMailbox | null {
    const account = this.live(Date.now());
    if (!account?.holdsKey(secretHash)) return null;
    return { replayed: true, expiresAt: account.row.expires_at };
  }

  /** Judges a caller and does nothing more. */
  admit(access: Access): Answer<Principal> {
    const now = Date.now();
    const judged = this.live(now)?.admit(access, now) ?? refused(noMailbox(access));
    // Whoever may not ask hears that first; a fault of the request counts like any other call.
    if (!judged.ok && judged.error !== access.fault) return judged;
    const spent = this.#callsSpent(access, now);
    return spent === null ? judged : refused(spent);
  }

  /** Counts a request once, however often it is judged while it waits or listens. The operator's count for nothing. */
  #callsSpent(access: Access, now: number): Problem | null {
    const isCounted = access.isCounted === true || this.#counted.has(access);
    if (access.credential.kind === "operator" || isCounted) return null;
    const { requestsPerMinute } = configOf(this.env);
    const spent = spentCalls(this.#calls, { name: "requests", limit: requestsPerMinute }, now);
    if (spent === null) this.#counted.add(access);
    return spent;
  }

  /** Erases the mailbox. From here on its keys are unknown and its mail is refused; a store that fails is retried by alarm. */
  async destroy(access: Access): Promise<Answer<DeletedMailbox>> {
    const admitted = this.admit(access);
    const account = this.account;
    if (!admitted.ok || account === null) return admitted.ok ? refused(noMailbox(access)) : admitted;
    const erased = await this.#close();
    return done({ ok: true, deleted: account.row.address, r2_blobs_deleted: erased });
  }

  /** Drains what is due. It may run twice, and it never throws: an alarm that throws too often is never rung again. */
  override async onAlarm(): Promise<void> {
    this.alarmClock.rang();
    try {
      const now = Date.now();
      if (this.account === null) {
        await this.#lifecycle.drainLate(now, () => this.account === null);
        return;
      }
      if (!this.account.isLive(now)) {
        await this.#close();
        return;
      }
      this.jobs.pump(now);
      prune(this.db, this.retentionMs, now);
      this.#expireUploads(this.account, now);
      await this.#lifecycle.drain(this.account, now);
    } catch (error) {
      console.error("A mailbox's alarm did not finish and rings again:", error);
    } finally {
      await this.arm();
    }
  }

  /** The mailbox while it lives. Once seen to be over it ends for good, though the clock went back and the alarm is late. */
  protected live(now: number): Account | null {
    const account = this.account;
    if (account === null || account.isLive(now)) return account;
    if (account.row.status !== "closing") this.ctx.waitUntil(this.#close());
    return null;
  }

  protected answer<T>(
    access: Access,
    work: (account: Account, principal: Principal) => Answer<T>,
  ): Answer<T> {
    const admitted = this.admit(access);
    if (!admitted.ok) return admitted;
    return this.account === null ? refused(noMailbox(access)) : work(this.account, admitted.value);
  }

  /** Reads emails; those from before their bodies were stored get them first, and are read again. */
  protected async withBodies<T>(
    read: () => Answer<T>,
    emailsOf: (value: T) => readonly EmailAnswer[],
  ): Promise<Answer<T>> {
    const found = read();
    const account = this.account;
    if (!found.ok || account === null) return found;
    const without = emailsOf(found.value).filter(({ isWithoutBody }) => isWithoutBody);
    if (without.length === 0) return found;
    try {
      for (const { id } of without) {
        const seq = seqOf(this.view(account), id);
        if (seq.ok) await this.#olderBodies.keep(seq.value);
      }
    } catch (error) {
      console.error("The texts of a stored message could not be read:", error);
      return refused({
        code: "unavailable",
        error: "The stored message cannot be read now; try again",
        retryAfterSeconds: 5,
      });
    }
    return read();
  }

  /** Runs a change as one transaction. When it fails, memory is read again from what is stored. */
  protected commit<T>(change: () => T): T {
    this.pages.forget();
    try {
      return this.db.transaction(change);
    } catch (error) {
      this.account = Account.open(this.db);
      this.jobs.forget();
      // What the change said of the alarm is undone with it.
      this.ctx.waitUntil(this.arm());
      throw error;
    }
  }

  protected roomFor(sizeBytes: number, now: number): Answer<Account> {
    const account = this.live(now);
    if (account === null) return refused(UNKNOWN_MAILBOX);
    return sizeBytes <= this.roomLeft(account) ? done(account) : refused(this.full(account));
  }

  /** Bytes that the mailbox still takes. */
  protected roomLeft(account: Account): number {
    const quota = this.quotaOf(account);
    // Rows and index take more than the mail itself: a mail of a few bytes may name a hundred others.
    const disk = Math.min(MAX_DATABASE_BYTES, quota * MAX_DISK_PER_QUOTA + EMPTY_DATABASE_BYTES);
    return Math.min(quota - account.row.storage_bytes, disk - this.#diskUsed());
  }

  protected full(account: Account): Problem {
    return { code: "mailbox_full", error: `Mailbox is full (max ${this.quotaOf(account)} bytes)` };
  }

  protected quotaOf(account: Account): number {
    const { provisionalQuotaBytes, mailboxQuotaBytes } = configOf(this.env);
    return account.row.kind === "temporary" ? provisionalQuotaBytes : mailboxQuotaBytes;
  }

  #diskUsed(): number {
    if (this.#disk.uses === 0) {
      this.#disk = { bytes: this.ctx.storage.sql.databaseSize, uses: WRITES_PER_DISK_CHECK };
    }
    this.#disk.uses -= 1;
    return this.#disk.bytes;
  }

  protected async changeStatus<T>(
    access: Access,
    status: "active" | "paused",
    reason: string | null,
    show: (account: Account) => T,
  ): Promise<Answer<T>> {
    const admitted = this.admit(access);
    const account = this.account;
    if (!admitted.ok || account === null) return admitted.ok ? refused(noMailbox(access)) : admitted;
    if (account.row.status !== status) {
      account.setStatus(status, reason, Date.now());
      this.recheck();
      this.jobs.resume(Date.now());
      await this.#reportToDirectory(account);
    }
    return done(show(account));
  }

  /** Ends the mailbox: from the first moment its keys are unknown and its mail is refused. Called twice it is one end. */
  async #close(): Promise<number> {
    this.#ending ??= this.#end();
    try {
      return await this.#ending;
    } finally {
      this.#ending = null;
    }
  }

  async #end(): Promise<number> {
    const account = this.account;
    if (account === null) return 0;
    const now = Date.now();
    this.commit(() => this.#lifecycle.beginEnd(account, now));
    this.jobs.close();
    this.recheck();
    await this.arm();
    const { blobs, whole } = await this.#lifecycle.end(account, now);
    if (whole) {
      this.account = null;
      this.#ends += 1;
      this.jobs = this.#newJobs();
    } else await this.arm();
    return blobs;
  }

  /** Sets the alarm to whatever is due first. */
  protected async arm(): Promise<void> {
    const { account } = this;
    if (account === null) return;
    const now = Date.now();
    // Of a mailbox that ends only its end is due.
    const work =
      account.row.status === "closing"
        ? []
        : [retentionDue(this.db, this.retentionMs), uploadsDue(this.db), ...this.jobs.dues(now)];
    await this.alarmClock.set([...this.#lifecycle.dues(account), ...work]);
  }

  #newJobs(): Jobs {
    return new Jobs({
      db: this.db,
      env: () => this.env,
      clock: this.alarmClock,
      outbox: this.outbox,
      account: () => this.account,
      commit: (change) => this.commit(change),
      durable: () => this.ctx.storage.sync(),
      openFile: (upload) => this.openFile(upload),
      tell: (events) => this.tell(events),
      rearm: () =>
        this.ctx.waitUntil(
          this.arm().catch((error: unknown) => console.error("A mailbox's alarm could not be set:", error)),
        ),
      reportSoon: () => this.reportSoon(),
      moved: (seq) => void this.sendWaiters.publish(seq),
    });
  }

  /** What reports about messages of ours are applied with. */
  protected get reportTools(): ReportTools {
    const enqueue: ReportTools["enqueue"] = (account, event, now) =>
      this.jobs.webhooks.enqueue(account, event, now);
    return { db: this.db, outbox: this.outbox, enqueue };
  }

  /** The bytes of an upload that a message uses. */
  protected openFile(upload: string): AsyncIterable<Uint8Array> {
    const found = findUpload(this.db, upload, Date.now());
    if (found === null) throw new Error("An upload of a message is gone");
    return readOwnBlob(this.db, this.env.BLOBS, found);
  }

  /** Everybody who hears of the log hears of its new entries from memory; nobody polls the database. */
  protected tell(events: readonly LoggedEvent[]): void {
    for (const event of events) {
      this.alarmClock.atLatest(erasedBy(event.at, this.retentionMs));
      if (this.changeWaiters.size > 0) this.changeWaiters.publish(event);
      this.listeners.publish(event);
    }
    if (events.length > 0) this.jobs.webhooks.pump(Date.now());
  }

  /** Before the blobs that are due are erased, which theirs are then. */
  #expireUploads(account: Account, now: number): void {
    const due = uploadsDue(this.db);
    if (due !== null && due <= now) this.commit(() => expireUploads(this.db, account, now));
  }

  /** How long the log keeps an entry. */
  protected get retentionMs(): number {
    return configOf(this.env).eventRetentionDays * DAY_MS;
  }

  /** Makes everybody who waits or listens prove itself again. */
  protected recheck(): void {
    this.codeWaiters.recheck();
    this.changeWaiters.recheck();
    this.sendWaiters.recheck();
    this.listeners.recheck();
  }

  /** The alarm tells the directory, of whatever has come together by then. */
  protected reportSoon(): void {
    const due = Date.now() + REPORT_DELAY_MS;
    this.account?.reportBy(due);
    this.alarmClock.atLatest(due);
  }

  /** The alarm is set first: should the process end in between, it tells. */
  async #reportToDirectory(account: Account): Promise<void> {
    await this.arm();
    await this.#lifecycle.report(account);
    await this.arm();
  }

  protected view(account: Account): View {
    return { mailbox: account.row.address, tail: account.idTail, lastSeq: account.row.last_seq };
  }
}
