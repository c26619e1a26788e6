import { ownJson } from "../../lib/json-text.ts";
import type { MessageStatus } from "../../contract/message.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { OutgoingMessage } from "../../mail/compose/outgoing.ts";
import { messageStatus, type RecipientState } from "../../outbound/ledger.ts";
import type { MailboxContext } from "../context.ts";
import { SHOW_STATUS } from "../messages/rows.ts";
import { MESSAGES } from "../messages/schema.ts";
import * as rows from "./rows.ts";
import type { ObstacleRow, RecipientRow, SuppressionRow, UnsentRow } from "./rows.ts";
import { SENDING } from "./schema.ts";
import type { DeletedParts } from "./sent-answer.ts";

/**
 * How a message reaches a recipient: `inside` = from actor to actor, for mailboxes of this deployment; `outside` = by the
 * transport. Each way has its own attempts and due time, so that neither waits for the other.
 */
export const WAYS = ["inside", "outside"] as const;
export type Way = (typeof WAYS)[number];

/** The way to an address: addresses at `mailDomain` are mailboxes of this deployment. */
export function wayToAddress(address: string, mailDomain: string): Way {
  return address.toLowerCase().endsWith(`@${mailDomain}`) ? "inside" : "outside";
}

/** The attempts of one way. */
export interface Tries {
  /** Attempts that ended. */
  made: number;
  /**
   * Attempts that began after the last one that ended or settled a recipient. Above 0 while an attempt is under way, or if
   * the process died during one.
   */
  unended: number;
  /** When the next attempt is due, in ms since 1970; null = no further attempt. */
  dueAt: number | null;
}

/** A recipient of a new message. */
export interface Addressee {
  address: string;
  way: Way;
}

/** A queued message with everything needed to compose it. */
export interface Departing {
  seq: Seq;
  message: OutgoingMessage;
  returnPath: string;
  needsSmtpUtf8: boolean;
  /** Ids of the uploads that hold the attachments, in order. */
  uploads: readonly string[];
  tries: Readonly<Record<Way, Tries>>;
  /** Fields to write before the message's own: its DKIM signature, or "". */
  signature: string;
}

/** Queued messages, their recipients, and suppressed addresses. Methods that change rows run inside a transaction of the caller. */
export class Outbox {
  readonly #tables: Tables;
  readonly #messages: Tables;

  constructor(context: MailboxContext) {
    this.#tables = context.tables(SENDING);
    this.#messages = context.tables(MESSAGES);
  }

  /** Stores a message whose first attempt is due at once. */
  add(
    seq: Seq,
    departing: {
      message: OutgoingMessage;
      recipients: readonly Addressee[];
      needsSmtpUtf8: boolean;
      uploads: readonly string[];
    },
    returnPath: string,
    nowMs: number,
  ): void {
    const { text, html, ...rest } = departing.message;
    const composed = [JSON.stringify(rest), text, html, JSON.stringify(departing.uploads)] as const;
    const utf8 = Number(departing.needsSmtpUtf8);
    const goes = (by: Way): boolean => departing.recipients.some(({ way }) => way === by);
    const due = [goes("inside") ? nowMs : null, goes("outside") ? nowMs : null] as const;
    this.#tables.run(rows.INSERT, seq, ...composed, returnPath, utf8, ...due);
    for (const [position, { address, way }] of departing.recipients.entries()) {
      this.#tables.run(rows.INSERT_RECIPIENT, seq, position, address, Number(way === "inside"), nowMs);
    }
  }

  find(seq: Seq): Departing | null {
    const row = this.#tables.first(rows.FIND, seq);
    if (row === null) return null;
    const rest = ownJson<Omit<OutgoingMessage, "text" | "html">>(row.message);
    return {
      seq,
      message: { ...rest, text: row.text, html: row.html },
      returnPath: row.return_path,
      needsSmtpUtf8: row.smtp_utf8 === 1,
      uploads: ownJson<string[]>(row.files),
      tries: {
        inside: { made: row.inside_tries, unended: row.inside_unended, dueAt: row.inside_due_at },
        outside: { made: row.tries, unended: row.unended, dueAt: row.due_at },
      },
      signature: row.signature,
    };
  }

  /** Stores the token of a recipient's return path, by which reports about the recipient are recognized. */
  mint(recipient: RecipientRow, token: string): void {
    this.#tables.run(rows.MINT, token, recipient.seq, recipient.position);
    recipient.token = token;
  }

  /** Stores when a recipient was handed over: from then on, reports about it are believed. */
  handOver({ seq, position }: RecipientRow, nowMs: number): void {
    this.#tables.run(rows.HAND_OVER, nowMs, seq, position);
  }

  /** Undoes `handOver` because the host took nothing: no report about this recipient can be true. */
  takeBack({ seq, position }: RecipientRow): void {
    this.#tables.run(rows.HAND_OVER, null, seq, position);
  }

  /** The recipient with this token, if it was handed over after `sinceMs`; else null. */
  ofToken(token: string, sinceMs: number): RecipientRow | null {
    return this.#tables.first(rows.OF_TOKEN, token, sinceMs);
  }

  /** Recipients that were handed over after `sinceMs` under one token for the whole message, as earlier releases did. */
  ofSharedToken(token: string, sinceMs: number): RecipientRow[] {
    return this.#tables.all(rows.OF_SHARED_TOKEN, token, sinceMs);
  }

  recipients(seq: Seq): RecipientRow[] {
    return this.#tables.all(rows.RECIPIENTS, seq);
  }

  /** Messages whose next attempt on this way is due, or whose lease has expired; the longest overdue first. */
  due(way: Way, nowMs: number, limit: number): Seq[] {
    return this.#tables.all(rows.BY_WAY[way].due, nowMs, limit).map(({ seq }) => seq);
  }

  /** Makes every message due that has an unfinished attempt, because the process that made the attempt has died. */
  release(): void {
    for (const way of WAYS) this.#tables.run(rows.BY_WAY[way].release);
  }

  /** The earliest due time of one way after `afterMs`, in ms since 1970; null if no message is queued. */
  nextDue(way: Way, afterMs: number): number | null {
    return this.#tables.first(rows.BY_WAY[way].nextDue, afterMs)?.due_at ?? null;
  }

  /** How many messages wait for an attempt, up to a limit, and the oldest of those that were counted. */
  waiting(limit: number): { count: number; oldest: Seq | null } {
    return this.#tables.first(rows.WAITING, limit) ?? { count: 0, oldest: null };
  }

  /** Writes the new state of one recipient. */
  move(recipient: RecipientRow, state: RecipientState, diagnostic: string | null, nowMs: number): void {
    this.#tables.run(rows.MOVE, state, nowMs, diagnostic, recipient.seq, recipient.position);
    Object.assign(recipient, { state, at: nowMs, diagnostic });
  }

  /** Stores the name that the sending service gave the message to this recipient. */
  nameAs({ seq, position }: RecipientRow, providerId: string): void {
    this.#tables.run(rows.NAME, providerId, seq, position);
  }

  /** The recipient whose message the sending service gave this name; null if it is not known yet. */
  named(providerId: string): RecipientRow | null {
    return this.#tables.first(rows.NAMED, providerId);
  }

  /** Stores how many attempts a message had on one way, and when the next is due. */
  plan(seq: Seq, way: Way, tries: Tries): void {
    this.#tables.run(rows.BY_WAY[way].plan, tries.made, tries.unended, tries.dueAt, seq);
  }

  /** Marks a message as not sent because no transport is configured. */
  markUnsent(seq: Seq): void {
    this.#tables.run(rows.MARK_UNSENT, seq);
  }

  /** Messages that were not sent, with a seq below `below`, newest first. */
  unsent(below: Seq, limit: number): UnsentRow[] {
    return this.#messages.isMade ? this.#tables.all(rows.UNSENT, below, limit) : [];
  }

  /** Which of these messages were not sent. Without an outgoing message among them no row is read. */
  unsentAmong(messages: readonly { seq: Seq; status: MessageStatus }[]): ReadonlySet<Seq> {
    const ours = messages.filter(({ status }) => status !== "received").map(({ seq }) => seq);
    if (ours.length === 0) return new Set();
    return new Set(this.#tables.all(rows.UNSENT_AMONG, JSON.stringify(ours)).map(({ seq }) => seq));
  }

  /** The newest message that was not sent; null if there is none. */
  newestUnsent(): Seq | null {
    return this.#tables.first(rows.NEWEST_UNSENT)?.seq ?? null;
  }

  /** A message that was not sent; null for any other message. */
  unsentOne(seq: Seq): UnsentRow | null {
    const [row] = this.unsent(seq + 1, 1);
    return row?.seq === seq ? row : null;
  }

  /** Cancels all further attempts of a message. */
  settle(seq: Seq): void {
    this.#tables.run(rows.SETTLE, seq);
  }

  /** Whether the log has a `message.sent` event of the message; null if the message is erased. */
  toldSent(seq: Seq): boolean | null {
    const row = this.#tables.first(rows.TOLD_SENT, seq);
    return row === null ? null : row.told_sent === 1;
  }

  /** Stores that the log has a `message.sent` event of the message: there is at most one. */
  tellSent(seq: Seq): void {
    this.#tables.run(rows.TELL_SENT, seq);
  }

  /** Stores the signature of a message unless it has one, and answers the stored one: later attempts send the same bytes. */
  sign(seq: Seq, signature: string): string {
    this.#tables.run(rows.SIGN, signature, seq);
    return this.#tables.first(rows.SIGNATURE, seq)?.signature ?? signature;
  }

  /** Writes the status of a message that follows from the states of its recipients. */
  showStatus(seq: Seq, recipients: readonly RecipientRow[]): void {
    this.#messages.run(SHOW_STATUS, messageStatus(recipients.map(({ state }) => state)), seq);
  }

  /** Erases the parts of a message. Attempts that are still due are not made. */
  erase(seq: Seq): void {
    this.#tables.run(rows.ERASE, seq);
    this.#tables.run(rows.ERASE_RECIPIENTS, seq);
  }

  /** Suppresses an address: nothing more is sent to it until its owner removes the suppression. */
  suppress(address: string, reason: SuppressionRow["reason"], at: { seq: Seq; nowMs: number }): void {
    this.#tables.run(rows.SUPPRESS, suppressionKey(address), reason, at.nowMs, at.seq);
  }

  /** The first suppressed address among these; null if none is. */
  firstSuppressed(addresses: readonly string[]): (SuppressionRow & { written: string }) | null {
    const found = this.#tables.all(rows.SUPPRESSED, JSON.stringify(addresses.map(suppressionKey)));
    if (found.length === 0) return null;
    for (const written of addresses) {
      const row = found.find(({ address }) => address === suppressionKey(written));
      if (row !== undefined) return { ...row, written };
    }
    return null;
  }

  suppressions(after: string, limit: number): SuppressionRow[] {
    return this.#tables.all(rows.LIST_SUPPRESSIONS, after, limit);
  }

  countSuppressions(): number {
    return this.#tables.first(rows.COUNT_SUPPRESSIONS)?.count ?? 0;
  }

  /** Removes the suppression of an address; false if there was none. */
  forgive(address: string): boolean {
    return this.#tables.first(rows.FORGIVE, suppressionKey(address)) !== null;
  }

  /** Stores an obstacle to sending that the operator can remove, in the words of the relay. */
  noteObstacle(reply: string, nowMs: number): void {
    this.#tables.run(rows.NOTE_OBSTACLE, reply, nowMs);
  }

  clearObstacle(): void {
    this.#tables.run(rows.CLEAR_OBSTACLE);
  }

  /** The last obstacle to sending; null once the relay has accepted a message since. */
  obstacle(): ObstacleRow | null {
    return this.#tables.first(rows.OBSTACLE);
  }

  /** The request and the message for which an Idempotency-Key was used after `sinceMs`; null if it was not. */
  keyed(key: string, sinceMs: number): { digest: string; seq: Seq } | null {
    return this.#tables.first(rows.FIND_KEY, key, sinceMs);
  }

  /** Stores what an Idempotency-Key was used for, and erases keys used before `sinceMs`. */
  storeKey(key: string, used: { digest: string; seq: Seq }, times: { nowMs: number; sinceMs: number }): void {
    this.#tables.run(rows.FORGET_KEYS, times.sinceMs);
    this.#tables.run(rows.STORE_KEY, key, used.digest, used.seq, times.nowMs);
  }

  /** Stores, with its Idempotency-Key if it has one, the answer to a send whose message is being erased. */
  storeAnswer(seq: Seq, parts: DeletedParts): void {
    this.#tables.run(rows.STORE_ANSWER, JSON.stringify(parts), seq);
  }

  /** The answer that `storeAnswer` stored for a message; null if none. */
  storedAnswer(seq: Seq): DeletedParts | null {
    const answer = this.#tables.first(rows.STORED_ANSWER, seq)?.answer ?? null;
    return answer === null ? null : ownJson<DeletedParts>(answer);
  }
}

/**
 * The form in which suppressed addresses are compared. Host names ignore case (RFC 1035). Only its host knows whether a
 * local part ignores case, and few hosts distinguish it.
 */
function suppressionKey(address: string): string {
  return address.toLowerCase();
}
