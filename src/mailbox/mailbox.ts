import { Server } from "partyserver";
import type { CodeAnswer, EmailPage, SearchPage, ThreadPage } from "../contract/message.ts";
import type { DeletedMailbox, KeyRecord, MailboxInfo, Stats } from "../contract/mailbox.ts";
import { conflict, UNKNOWN_MAILBOX, type Answer } from "../contract/problem.ts";
import type { CodeFilters, InboxFilters } from "../contract/routes.ts";
import type { Scope } from "../contract/scope.ts";
import { configOf } from "../env.ts";
import { idOf, idTail, uuidV7 } from "../lib/ids.ts";
import { hasSchema, migrate } from "../lib/migrate.ts";
import { done, refused } from "../lib/outcome.ts";
import { Database, type RowCost } from "../lib/sql.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import type { Access, Principal } from "./access.ts";
import { Account, noMailbox, REPORT_RETRY_MS } from "./account.ts";
import { codeAnswer, newestHit, takeCode } from "./codes.ts";
import { eraseEmail, ORPHAN_AFTER_MS } from "./erasure.ts";
import { ingest } from "./ingest.ts";
import { Lifecycle } from "./lifecycle.ts";
import { relabel } from "./labelling.ts";
import { NewestPage } from "./newest-page.ts";
import { jsonText, type JsonText, type View } from "./present.ts";
import * as reading from "./reading.ts";
import { rewrite, stalePage, type StalePage } from "./reindex.ts";
import { MIGRATIONS, type CodeRow } from "./schema.ts";
import { searchPage } from "./search.ts";
import { statsOf } from "./stats.ts";
import * as statements from "./statements.ts";
import { Waiters } from "./waiters.ts";

/** What a mailbox is created with. */
export interface NewMailbox {
  /** Canonical. */
  address: string;
  kind: "permanent" | "temporary";
  secretHash: string;
  scope: Scope;
  expiresAt: number | null;
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
/** Asking for the size of the database takes as long as a statement, so it is asked once in so many receipts. */
const RECEIPTS_PER_DISK_CHECK = 64;

/** A message that is safely stored. */
export interface Received {
  id: string;
  duplicate: boolean;
}

/**
 * One mailbox. It is named by its locator and holds everything of it: mail, keys, counters, jobs.
 *
 * Every method is called by RPC, which does not pass through partyserver's `onStart`: an address that nobody created gets
 * no row by being asked for, because the schema is made by `create` alone.
 */
export class Mailbox extends Server<Env> {
  readonly #db: Database;
  readonly #waiters = new Waiters();
  readonly #lifecycle: Lifecycle;
  #account: Account | null = null;
  #ending: Promise<number> | null = null;
  #tail: bigint | null = null;
  #disk = { bytes: 0, nextCheck: 0 };
  readonly #newest = new NewestPage();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#db = new Database(ctx.storage);
    this.#lifecycle = new Lifecycle(this.#db, ctx.storage, env);
    if (!hasSchema(this.#db)) return;
    migrate(this.#db, MIGRATIONS);
    this.#account = Account.open(this.#db);
    // An alarm that failed too often is cleared for good by the platform: whoever wakes the object sets it again.
    void ctx.blockConcurrencyWhile(() => this.#arm());
  }

  /** Makes this object a mailbox. Repeated with the same key it answers the same; with another it is a conflict. */
  async create(mailbox: NewMailbox): Promise<Answer<CreatedMailbox>> {
    const now = Date.now();
    if (this.#account !== null && !this.#account.isLive(now)) await this.#close();
    if (this.#account !== null) {
      if (!this.#account.holdsKey(mailbox.secretHash))
        return refused(conflict(`${mailbox.address} is taken`));
      return done({ replayed: true, expiresAt: this.#account.row.expires_at });
    }
    this.#db.transaction(() => {
      migrate(this.#db, MIGRATIONS);
      const month = new Date(now).toISOString().slice(0, 7);
      const { address, kind, expiresAt } = mailbox;
      const due = now + REPORT_RETRY_MS;
      this.#db.run(statements.INSERT_ACCOUNT, address, kind, now, expiresAt, 0, month, due);
      this.#db.run(statements.INSERT_KEY, uuidV7(now), mailbox.secretHash, mailbox.scope, now, expiresAt);
    });
    const account = Account.open(this.#db);
    this.#account = account;
    if (account !== null) await this.#reportToDirectory(account);
    return done({ replayed: false, expiresAt: mailbox.expiresAt });
  }

  /** Whether the mailbox was made with this very key, and until when it lives; null if not. */
  replay(secretHash: string): CreatedMailbox | null {
    const account = this.#live(Date.now());
    if (!account?.holdsKey(secretHash)) return null;
    return { replayed: true, expiresAt: account.row.expires_at };
  }

  /** Judges a caller and does nothing more. */
  admit(access: Access): Answer<Principal> {
    const now = Date.now();
    return this.#live(now)?.admit(access, now) ?? refused(noMailbox(access));
  }

  /** Who the caller is, and on which mailbox. */
  me(access: Access): Answer<Principal & { address: string }> {
    return this.#for(access, (account, principal) => done({ ...principal, address: account.row.address }));
  }

  /** Makes room for a large message whose blobs are written next; those that no message comes to name are erased. */
  async reserve(keys: readonly string[], sizeBytes: number): Promise<Answer<null>> {
    const now = Date.now();
    const room = this.#roomFor(sizeBytes, now);
    if (!room.ok) return room;
    this.#db.transaction(() => {
      for (const key of keys) this.#db.run(statements.PLAN_ERASURE, key, now + ORPHAN_AFTER_MS);
    });
    await this.#arm();
    return done(null);
  }

  /** Stores a message with all that follows from it, then tells whoever waits. Answered only when it is on disk. */
  receive(mail: PreparedMail): Answer<Received> {
    const now = Date.now();
    const room = this.#roomFor(mail.sizeBytes, now);
    if (!room.ok) return room;
    const account = room.value;
    const ingested = this.#commit(() => ingest(this.#db, account, mail, now));
    if (ingested.kind === "duplicate") return done({ id: this.#id(ingested.seq), duplicate: true });
    if (this.#waiters.size > 0 && this.#waiters.publish(ingested.message)) {
      takeCode(this.#db, ingested.message.seq, now);
    }
    return done({ id: this.#id(ingested.message.seq), duplicate: false });
  }

  inbox(access: Access, filters: InboxFilters): Answer<JsonText<EmailPage>> {
    return this.#for(access, (account) => this.#newest.read(this.#db, this.#view(account), filters));
  }

  search(
    access: Access,
    filters: InboxFilters,
    options: { text: string; mode: string },
  ): Answer<JsonText<SearchPage>> {
    return this.#for(access, (account) => searchPage(this.#db, this.#view(account), filters, options));
  }

  readEmail(access: Access, id: string): Answer<reading.EmailAnswer> {
    return this.#for(access, (account, { scope }) =>
      reading.findEmail(this.#db, this.#view(account), id, scope !== "provisional"),
    );
  }

  raw(access: Access, id: string): Answer<reading.RawSource> {
    return this.#for(access, (account) => {
      const seq = reading.seqOf(this.#view(account), id);
      return seq.ok ? reading.findRaw(this.#db, seq.value) : seq;
    });
  }

  attachment(access: Access, id: string): Answer<reading.AttachmentSource> {
    return this.#for(access, (account) => reading.findAttachment(this.#db, this.#view(account), id));
  }

  threads(access: Access, filters: { limit: number; cursor: string | null }): Answer<JsonText<ThreadPage>> {
    return this.#for(access, (account) => reading.threadPage(this.#db, this.#view(account), filters));
  }

  thread(
    access: Access,
    filters: { id: string; limit: number; cursor: string | null },
  ): Answer<reading.ThreadAnswer> {
    return this.#for(access, (account, { scope }) =>
      reading.findThread(this.#db, this.#view(account), {
        ...filters,
        downloadable: scope !== "provisional",
      }),
    );
  }

  /** Waits for a code. The commit that stores it wakes the caller; `waitId` lets `forget` end the wait. */
  async code(access: Access, filters: CodeFilters, waitId: string): Promise<Answer<CodeAnswer>> {
    const deadline = Date.now() + filters.timeout * 1_000;
    for (;;) {
      const now = Date.now();
      const admitted = this.admit(access);
      if (!admitted.ok) return admitted;
      const hit = this.#takeNewest(filters, now);
      if (hit !== null || now >= deadline) return done(this.#codeAnswer(hit));
      const until = Math.min(deadline, admitted.value.expiresAt ?? deadline);
      const wait = this.#waiters.wait(waitId, filters, until - now);
      if (!wait.ok) return wait;
      const wake = await wait.value;
      if (wake.kind === "message") return done(this.#codeAnswer(wake.message));
      if (wake.kind === "timeout" && Date.now() < until) return done({ code: null });
    }
  }

  /** Ends a wait whose caller hung up. */
  forget(waitId: string): void {
    this.#waiters.forget(waitId);
  }

  async relabel(
    access: Access,
    id: string,
    change: { add: string[]; remove: string[] },
  ): Promise<Answer<reading.EmailAnswer>> {
    return this.#for(access, (account, { scope }) => {
      const view = this.#view(account);
      const seq = reading.seqOf(view, id);
      if (!seq.ok) return seq;
      const labelled = this.#commit(() => relabel(this.#db, seq.value, change));
      if (!labelled.ok) return labelled;
      return reading.findEmail(this.#db, view, id, scope !== "provisional");
    });
  }

  /** Erases one email; its blobs follow by alarm. */
  async deleteEmail(access: Access, id: string): Promise<Answer<{ deleted: true }>> {
    const deleted = this.#for(access, (account) => {
      const seq = reading.seqOf(this.#view(account), id);
      return seq.ok ? this.#commit(() => eraseEmail(this.#db, account, seq.value, Date.now())) : seq;
    });
    if (deleted.ok) await this.#arm();
    return deleted;
  }

  stats(access: Access): Answer<JsonText<Stats>> {
    return this.#for(access, ({ row }) => done(jsonText(statsOf(row, Date.now()))));
  }

  /** The stored messages, page by page, for whoever reads them again after a change of the parser. */
  stale(access: Access, page: { cursor: string | null; limit: number }): Answer<StalePage> {
    return this.#for(access, (account) => stalePage(this.#db, this.#view(account), page));
  }

  /** Writes once more what follows from the bytes of a message. */
  async rewrite(access: Access, id: string, mail: PreparedMail): Promise<Answer<null>> {
    const rewritten = this.#for(access, (account) => {
      const seq = reading.seqOf(this.#view(account), id);
      return seq.ok ? this.#commit(() => rewrite(this.#db, seq.value, mail, Date.now())) : seq;
    });
    if (rewritten.ok && mail.partsKey !== null) await this.#arm();
    return rewritten;
  }

  /** State and settings, and whether mail is refused for want of room. */
  info(access: Access): Answer<MailboxInfo & { full: boolean }> {
    return this.#for(access, (account) =>
      done({ ...account.info(), full: !this.#roomFor(1, Date.now()).ok }),
    );
  }

  rename(access: Access, displayName: string | null | undefined): Answer<MailboxInfo> {
    return this.#for(access, (account) => {
      if (displayName !== undefined) account.setDisplayName(displayName === "" ? null : displayName);
      return done(account.info());
    });
  }

  /** Refuses every request but resume from now on, waiting ones included. Mail still arrives. */
  async pause(access: Access, reason: string | null) {
    return this.#changeStatus(access, "paused", reason, ({ row }) => ({
      mailbox: row.address,
      status: "paused" as const,
      reason: row.pause_reason,
      paused_at: new Date(row.paused_at ?? 0).toISOString(),
    }));
  }

  async resume(access: Access) {
    return this.#changeStatus(access, "active", null, ({ row }) => ({
      mailbox: row.address,
      status: "active" as const,
    }));
  }

  /** Erases the mailbox. From here on its keys are unknown and its mail is refused; a store that fails is retried by alarm. */
  async destroy(access: Access): Promise<Answer<DeletedMailbox>> {
    const admitted = this.admit(access);
    const account = this.#account;
    if (!admitted.ok || account === null) return admitted.ok ? refused(noMailbox(access)) : admitted;
    const erased = await this.#close();
    return done({ ok: true, deleted: account.row.address, r2_blobs_deleted: erased });
  }

  keys(access: Access): Answer<{ mailbox: string; keys: KeyRecord[] }> {
    return this.#for(access, (account) => done({ mailbox: account.row.address, keys: account.keyRecords() }));
  }

  createKey(
    access: Access,
    key: { secretHash: string; scope: Scope; expiresAt: number | null },
  ): Answer<KeyRecord & { mailbox: string }> {
    return this.#for(access, (account) => {
      const made = account.addKey(key.secretHash, key.scope, key.expiresAt, Date.now());
      return made.ok ? done({ mailbox: account.row.address, ...made.value }) : made;
    });
  }

  /** Revokes a key; who waits with it is told at once. */
  revokeKey(access: Access, id: string): Answer<{ deleted: true }> {
    return this.#for(access, (account) => {
      const removed = account.removeKey(id);
      if (!removed.ok) return removed;
      this.#waiters.recheck();
      return done({ deleted: true });
    });
  }

  /** ChunkRows: where a deployment has no bucket, blobs lie here. Only the router calls these. */
  putChunk(key: string, position: number, bytes: ArrayBuffer): void {
    if (this.#account !== null) this.#db.run(statements.PUT_CHUNK, key, position, bytes);
  }

  getChunk(key: string, position: number): ArrayBuffer | null {
    return this.#account === null
      ? null
      : (this.#db.first(statements.GET_CHUNK, key, position)?.bytes ?? null);
  }

  deleteChunks(keys: readonly string[]): void {
    if (this.#account !== null) for (const key of keys) this.#db.run(statements.DELETE_CHUNKS, key);
  }

  /** Rows read and written since the last call: for the benchmark and for tests of cost; no route leads here. */
  takeRowCost(): RowCost {
    return this.#db.takeCost();
  }

  /** Drains what is due. It may run twice, and it never throws: an alarm that throws too often is never rung again. */
  override async onAlarm(): Promise<void> {
    try {
      const now = Date.now();
      if (this.#account === null) return;
      if (!this.#account.isLive(now)) {
        await this.#close();
        return;
      }
      await this.#lifecycle.drain(this.#account, now);
    } catch (error) {
      console.error("A mailbox's alarm did not finish and rings again:", error);
    } finally {
      await this.#arm();
    }
  }

  /** The mailbox while it lives. Once seen to be over it ends for good, though the clock went back and the alarm is late. */
  #live(now: number): Account | null {
    const account = this.#account;
    if (account === null || account.isLive(now)) return account;
    if (account.row.status !== "closing") this.ctx.waitUntil(this.#close());
    return null;
  }

  #for<T>(access: Access, work: (account: Account, principal: Principal) => Answer<T>): Answer<T> {
    const admitted = this.admit(access);
    if (!admitted.ok) return admitted;
    return this.#account === null ? refused(noMailbox(access)) : work(this.#account, admitted.value);
  }

  /** Runs a change as one transaction. When it fails, memory is read again from what is stored. */
  #commit<T>(change: () => T): T {
    this.#newest.forget();
    try {
      return this.#db.transaction(change);
    } catch (error) {
      this.#account = Account.open(this.#db);
      throw error;
    }
  }

  #roomFor(sizeBytes: number, now: number): Answer<Account> {
    const account = this.#live(now);
    if (account === null) return refused(UNKNOWN_MAILBOX);
    const config = configOf(this.env);
    const quota = account.row.kind === "temporary" ? config.provisionalQuotaBytes : config.mailboxQuotaBytes;
    // Rows and index take more than the mail itself: a mail of a few bytes may name a hundred others.
    const disk = Math.min(MAX_DATABASE_BYTES, quota * MAX_DISK_PER_QUOTA + EMPTY_DATABASE_BYTES);
    const fits = account.row.storage_bytes + sizeBytes <= quota && this.#diskUsed() + sizeBytes <= disk;
    return fits
      ? done(account)
      : refused({ code: "mailbox_full", error: `Mailbox is full (max ${quota} bytes)` });
  }

  #diskUsed(): number {
    const receipt = this.#account?.row.inbound ?? 0;
    if (receipt >= this.#disk.nextCheck || receipt < this.#disk.nextCheck - RECEIPTS_PER_DISK_CHECK) {
      const bytes = this.ctx.storage.sql.databaseSize;
      this.#disk = { bytes, nextCheck: receipt + RECEIPTS_PER_DISK_CHECK };
    }
    return this.#disk.bytes;
  }

  #takeNewest(filters: CodeFilters, now: number): CodeRow | null {
    const hit = newestHit(this.#db, filters);
    if (hit !== null && filters.consume) takeCode(this.#db, hit.seq, now);
    return hit;
  }

  #codeAnswer(hit: CodeRow | null): CodeAnswer {
    return this.#account === null ? { code: null } : codeAnswer(hit, this.#view(this.#account));
  }

  async #changeStatus<T>(
    access: Access,
    status: "active" | "paused",
    reason: string | null,
    show: (account: Account) => T,
  ): Promise<Answer<T>> {
    const admitted = this.admit(access);
    const account = this.#account;
    if (!admitted.ok || account === null) return admitted.ok ? refused(noMailbox(access)) : admitted;
    if (account.row.status !== status) {
      account.setStatus(status, reason, Date.now());
      this.#waiters.recheck();
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
    const account = this.#account;
    if (account === null) return 0;
    const now = Date.now();
    this.#commit(() => this.#lifecycle.beginEnd(account, now));
    this.#waiters.recheck();
    await this.#arm();
    const { blobs, whole } = await this.#lifecycle.end(account, now);
    if (whole) this.#account = null;
    return blobs;
  }

  async #arm(): Promise<void> {
    if (this.#account !== null) await this.#lifecycle.arm(this.#account);
  }

  /** The alarm is set first: should the process end in between, it tells. */
  async #reportToDirectory(account: Account): Promise<void> {
    await this.#arm();
    await this.#lifecycle.report(account);
    await this.#arm();
  }

  #view(account: Account): View {
    return { mailbox: account.row.address, tail: this.#idTail(), lastSeq: account.row.last_seq };
  }

  #id(seq: number): string {
    return idOf(seq, this.#idTail());
  }

  #idTail(): bigint {
    this.#tail ??= idTail(this.name);
    return this.#tail;
  }
}
