import { MAX_MESSAGE_BYTES } from "../../contract/limits.ts";
import { notFound, type Answer } from "../../contract/problem.ts";
import {
  MAX_REFUSED_MAILS,
  REFUSED_KEPT_MS,
  type RefusalReason,
  type RefusedMail,
  type RefusedPage,
} from "../../contract/rules.ts";
import { idOf, uuidV7, type Seq } from "../../lib/ids.ts";
import { ownJson } from "../../lib/json-text.ts";
import { done, refused } from "../../lib/outcome.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { Authentication, Metadata } from "../../contract/message.ts";
import type { Listing, PreparedMail } from "../../mail/prepared-mail.ts";
import type { Access } from "../account/access.ts";
import type { Account } from "../account/account.ts";
import type { Room } from "../account/room.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { MailboxContext } from "../context.ts";
import type { Job } from "../job.ts";
import { pageOf, pageStart, writeCursor } from "../page.ts";
import * as rows from "./rows.ts";
import { isVerified } from "./rules.ts";
import type { RefusedRow } from "./rows.ts";
import { REFUSED } from "./schema.ts";

/** The part of a mailbox's quota that refused mail may take beside it. */
const QUOTA_SHARE = 0.1;
/** Characters of a subject or a name in the list of refused mail. */
const MAX_LISTED_CHARS = 998;
/** Refused mails that expire in one step. Other calls wait for a step to end. */
const BATCH = 100;
/** Above every position. */
const BEYOND_ALL = Number.MAX_SAFE_INTEGER;

/** How a refused mail arrived. */
interface Arrival {
  metadata: Metadata;
  authentication: Authentication | null;
}

/** A refused mail to be released: its bytes, or the email that it became already. */
export type FoundRefused =
  | { kind: "kept"; bytes: ArrayBuffer | null; key: string | null; sizeBytes: number; arrival: Arrival }
  | { kind: "released"; emailId: string };

/** Mail that the rules refused: kept whole for 7 days, within limits of its own. */
export class RefusedMails implements Job {
  readonly #context: MailboxContext;
  readonly #tables: Tables;
  readonly #others: { room: Room; blobs: Blobs };

  constructor(context: MailboxContext, others: { room: Room; blobs: Blobs }) {
    this.#context = context;
    this.#tables = context.tables(REFUSED);
    this.#others = others;
  }

  /**
   * Keeps a refused mail, within the transaction that refuses it. A repeat of a kept one is not kept again. Beyond the limits the
   * oldest is removed, so that refused mail never takes room from other mail.
   */
  keep(account: Account, mail: PreparedMail, reason: RefusalReason): void {
    const nowMs = this.#context.now();
    const { blobs } = this.#others;
    const isKnown = this.#tables.first(rows.FIND_SAME, mail.digest) !== null;
    for (const key of mail.unusedKeys) blobs.cancel(key);
    // The texts are made from the raw message again if it is released.
    const needless = [mail.bodyKey, isKnown ? mail.rawKey : null];
    for (const key of needless) if (key !== null) blobs.erase(key, nowMs);
    if (needless.some((key) => key !== null)) this.#context.clock.atLatest(nowMs);
    if (isKnown) return;
    if (mail.rawKey !== null) blobs.claim(mail.rawKey);
    this.#makeRoom(account, mail.sizeBytes, nowMs);
    const { from_address, from_name, subject } = ownJson<Listing>(mail.listing);
    const expiresAt = nowMs + REFUSED_KEPT_MS;
    const said = [reason, isVerified(mail) ? 1 : 0, from_address, cut(from_name), cut(subject)] as const;
    const stored = [mail.detail, mail.rawKey, mail.raw] as const;
    const at = [mail.sizeBytes, nowMs, expiresAt] as const;
    this.#tables.run(rows.KEEP, uuidV7(nowMs), mail.digest, ...said, ...at, ...stored);
    this.#tables.run(rows.ADD_TO_TOTAL, 1, mail.sizeBytes, 0);
    this.#context.clock.atLatest(expiresAt);
  }

  /** A page of refused mail, newest first. */
  refusedPage(
    access: Access,
    { cursor, limit }: { cursor: string | null; limit: number },
  ): Answer<RefusedPage> {
    return this.#context.answer(access, (account) => {
      const start = pageStart(cursor, [BEYOND_ALL]);
      if (!start.ok) return start;
      const [below = BEYOND_ALL] = start.value;
      const found = this.#tables.all(rows.PAGE, below, this.#context.now(), limit + 1);
      const { shown, next } = pageOf(found, limit, ({ position }) => writeCursor(position));
      const { emails, size_bytes, dropped } = this.#total();
      const max_bytes = this.#maxBytes(account);
      return done({
        refused: shown.map(refusedMail),
        next_cursor: next,
        kept: { emails, max_emails: MAX_REFUSED_MAILS, size_bytes, max_bytes, dropped },
      });
    });
  }

  /** A refused mail, to be released. */
  refusedMail(access: Access, id: string): Answer<FoundRefused> {
    return this.#context.answer(access, (account): Answer<FoundRefused> => {
      const row = this.find(id);
      if (row === null) return refused(notFound("Refused mail"));
      if (row.released !== null) {
        return done({ kind: "released", emailId: idOf(row.released, account.idTail) });
      }
      const content = this.#tables.first(rows.READ_CONTENT, row.position);
      if (content === null) return refused(notFound("Refused mail"));
      const arrival = ownJson<Arrival>(content.detail);
      const { raw_key: key, size_bytes: sizeBytes } = row;
      return done({ kind: "kept", bytes: content.raw, key, sizeBytes, arrival });
    });
  }

  /** Erases a refused mail. */
  deleteRefused(access: Access, id: string): Answer<{ deleted: true }> {
    const { answer, write, now } = this.#context;
    return answer(access, () => {
      const row = this.find(id);
      if (row === null || row.released !== null) return refused(notFound("Refused mail"));
      write(() => this.#erase(row, now()));
      return done({ deleted: true });
    });
  }

  /** A mail that is kept, or that was released already; null for any other id. */
  find(id: string): RefusedRow | null {
    // The time decides, even if the alarm is late.
    return this.#tables.first(rows.FIND, id.toLowerCase(), this.#context.now());
  }

  /** Notes the email that a refused mail became, within the transaction that stores it. */
  released(row: RefusedRow, seq: Seq, nowMs: number): void {
    this.#forget(row, nowMs);
    this.#tables.run(rows.RELEASE, seq, row.position);
  }

  /** Forgets a refused mail that was received after all, because the rules changed or the sender is proven by now. */
  received({ digest }: PreparedMail): void {
    const row = this.#tables.first(rows.FIND_SAME, digest);
    if (row !== null && row.released === null) this.#erase(row, this.#context.now());
  }

  /** A SELECT of the keys of all blobs of refused mail; null if there is none. */
  get blobKeys(): string | null {
    return this.#tables.isMade ? rows.BLOB_KEYS : null;
  }

  dues(): (number | null)[] {
    return [this.#tables.first(rows.NEXT_EXPIRY)?.due ?? null];
  }

  /** Erases what is older than 7 days. It runs before the blobs that are due are erased, because it makes their blobs due. */
  pump(nowMs: number): void {
    const [due = null] = this.dues();
    if (due === null || due > nowMs) return;
    this.#context.write(() => {
      for (const row of this.#tables.all(rows.EXPIRED, nowMs, BATCH)) this.#erase(row, nowMs);
    });
  }

  #total(): rows.TotalRow {
    return this.#tables.first(rows.READ_TOTAL) ?? { emails: 0, size_bytes: 0, dropped: 0 };
  }

  /** Bytes of refused mail at most: a tenth of the quota, and one mail however small the quota is. */
  #maxBytes(account: Account): number {
    return Math.max(MAX_MESSAGE_BYTES, Math.floor(this.#others.room.quotaOf(account) * QUOTA_SHARE));
  }

  /** Erases the oldest until one more fits. */
  #makeRoom(account: Account, sizeBytes: number, nowMs: number): void {
    const maxBytes = this.#maxBytes(account) - sizeBytes;
    for (;;) {
      const { emails, size_bytes } = this.#total();
      const oldest =
        emails < MAX_REFUSED_MAILS && size_bytes <= maxBytes ? null : this.#tables.first(rows.OLDEST);
      if (oldest === null) return;
      this.#erase(oldest, nowMs);
      // Expired mails do not count as dropped.
      if (oldest.expires_at > nowMs) this.#tables.run(rows.ADD_TO_TOTAL, 0, 0, 1);
    }
  }

  #erase(row: RefusedRow, nowMs: number): void {
    this.#forget(row, nowMs);
    this.#tables.run(rows.ERASE, row.position);
  }

  /** Gives the room of a refused mail back, and plans the erasure of its blob. */
  #forget({ released, raw_key, size_bytes }: RefusedRow, nowMs: number): void {
    if (released !== null) return;
    this.#tables.run(rows.ADD_TO_TOTAL, -1, -size_bytes, 0);
    if (raw_key === null) return;
    this.#others.blobs.erase(raw_key, nowMs);
    this.#context.clock.atLatest(nowMs);
  }
}

function refusedMail(row: RefusedRow): RefusedMail {
  const { id, from_address, from_name, subject, reason, size_bytes } = row;
  return {
    id,
    from_address,
    from_name,
    subject,
    received_at: new Date(row.received_at).toISOString(),
    reason,
    sender_verified: row.verified === 1,
    size_bytes,
    expires_at: new Date(row.expires_at).toISOString(),
  };
}

function cut(text: string): string {
  return text.slice(0, MAX_LISTED_CHARS).toWellFormed();
}
