import type { MessageStatus } from "../../contract/message.ts";
import type { Seq } from "../../lib/ids.ts";
import type { Statements, Tables } from "../../lib/schemas.ts";
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
 * How a message goes to a recipient: to our own mailboxes actor to actor, to all others by the transport. Each way has its own
 * tries, so that neither waits for the other.
 */
export const WAYS = ["inside", "outside"] as const;
export type Way = (typeof WAYS)[number];

/** How a message goes to an address: mail to addresses at `mailDomain` is for mailboxes of this deployment. */
export function wayToAddress(address: string, mailDomain: string): Way {
  return address.toLowerCase().endsWith(`@${mailDomain}`) ? "inside" : "outside";
}

/** Tries of one way. */
export interface Tries {
  /** Those that came to an end. */
  made: number;
  /** Those that were begun since, or since one settled a recipient: more than none while one is under way, or after a death. */
  unended: number;
  /** ms since 1970; null = nothing is tried any more. */
  dueAt: number | null;
}

/** Whom a message goes to. */
export interface Addressee {
  address: string;
  way: Way;
}

/** A message on its way out, with what it takes to compose it. */
export interface Departing {
  seq: Seq;
  message: OutgoingMessage;
  returnPath: string;
  needsSmtpUtf8: boolean;
  /** Ids of the uploads that hold the attachments, in their order. */
  uploads: readonly string[];
  tries: Readonly<Record<Way, Tries>>;
  /** Fields before those of the message: its DKIM signature, or "". */
  signature: string;
}

/** Messages on their way out, their recipients, and whom nothing is sent to. What changes rows runs in a transaction of the caller's. */
export class Outbox {
  readonly #tables: Tables;
  readonly #messages: Statements;

  constructor(context: MailboxContext) {
    this.#tables = context.tables(SENDING);
    this.#messages = context.tables(MESSAGES);
  }

  /** Puts a message down to be tried at once. */
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
    const rest = JSON.parse(row.message) as Omit<OutgoingMessage, "text" | "html">;
    return {
      seq,
      message: { ...rest, text: row.text, html: row.html },
      returnPath: row.return_path,
      needsSmtpUtf8: row.smtp_utf8 === 1,
      uploads: JSON.parse(row.files) as string[],
      tries: {
        inside: { made: row.inside_tries, unended: row.inside_unended, dueAt: row.inside_due_at },
        outside: { made: row.tries, unended: row.unended, dueAt: row.due_at },
      },
      signature: row.signature,
    };
  }

  /** Gives a recipient the token that reports about it come back to. */
  mint(recipient: RecipientRow, token: string): void {
    this.#tables.run(rows.MINT, token, recipient.seq, recipient.position);
    recipient.token = token;
  }

  /** From here on a report about a recipient may be true. */
  handOver({ seq, position }: RecipientRow, nowMs: number): void {
    this.#tables.run(rows.HAND_OVER, nowMs, seq, position);
  }

  /** Its host has not taken it: no report about it can be true. */
  takeBack({ seq, position }: RecipientRow): void {
    this.#tables.run(rows.HAND_OVER, null, seq, position);
  }

  /** The recipient to whom this token was given, if it was handed over after `sinceMs`. */
  ofToken(token: string, sinceMs: number): RecipientRow | null {
    return this.#tables.first(rows.OF_TOKEN, token, sinceMs);
  }

  /** Recipients handed over after `sinceMs` under a token that was their message's. */
  ofSharedToken(token: string, sinceMs: number): RecipientRow[] {
    return this.#tables.all(rows.OF_SHARED_TOKEN, token, sinceMs);
  }

  recipients(seq: Seq): RecipientRow[] {
    return this.#tables.all(rows.RECIPIENTS, seq);
  }

  /** Messages to be tried one way, or whose lease is over, the longest due first. */
  due(way: Way, nowMs: number, limit: number): Seq[] {
    return this.#tables.all(rows.BY_WAY[way].due, nowMs, limit).map(({ seq }) => seq);
  }

  /** Makes every message due whose try was under way: whoever made it is dead. */
  release(): void {
    for (const way of WAYS) this.#tables.run(rows.BY_WAY[way].release);
  }

  /** The earliest due time of one way after `afterMs`; null if nothing waits. */
  nextDue(way: Way, afterMs: number): number | null {
    return this.#tables.first(rows.BY_WAY[way].nextDue, afterMs)?.due_at ?? null;
  }

  /** Moves one recipient on. */
  move(recipient: RecipientRow, state: RecipientState, diagnostic: string | null, nowMs: number): void {
    this.#tables.run(rows.MOVE, state, nowMs, diagnostic, recipient.seq, recipient.position);
    Object.assign(recipient, { state, at: nowMs, diagnostic });
  }

  /** Keeps what the platform calls the message to a recipient. */
  nameAs({ seq, position }: RecipientRow, providerId: string): void {
    this.#tables.run(rows.NAME, providerId, seq, position);
  }

  /** The recipient whose message the platform calls so; null if there is none yet. */
  named(providerId: string): RecipientRow | null {
    return this.#tables.first(rows.NAMED, providerId);
  }

  /** Writes how often a message was tried one way, and when it is next. */
  plan(seq: Seq, way: Way, tries: Tries): void {
    this.#tables.run(rows.BY_WAY[way].plan, tries.made, tries.unended, tries.dueAt, seq);
  }

  /** Marks a message that was not sent: no transport is configured. */
  markUnsent(seq: Seq): void {
    this.#tables.run(rows.MARK_UNSENT, seq);
  }

  /** Messages that were not sent, older than `below`, the newest first. */
  unsent(below: Seq, limit: number): UnsentRow[] {
    return this.#tables.all(rows.UNSENT, below, limit);
  }

  /** Those of some messages that were not sent. A list without a message of ours costs no look-up. */
  unsentAmong(messages: readonly { seq: Seq; status: MessageStatus }[]): ReadonlySet<Seq> {
    const ours = messages.filter(({ status }) => status !== "received").map(({ seq }) => seq);
    if (ours.length === 0) return new Set();
    return new Set(this.#tables.all(rows.UNSENT_AMONG, JSON.stringify(ours)).map(({ seq }) => seq));
  }

  /** The newest message that was not sent; null if there is none. */
  newestUnsent(): Seq | null {
    return this.#tables.first(rows.NEWEST_UNSENT)?.seq ?? null;
  }

  /** A message that was not sent; null for any other. */
  unsentOne(seq: Seq): UnsentRow | null {
    const [row] = this.unsent(seq + 1, 1);
    return row?.seq === seq ? row : null;
  }

  /** Nothing more of a message is tried. */
  settle(seq: Seq): void {
    this.#tables.run(rows.SETTLE, seq);
  }

  /** Whether the log told that a transport took a message; null if it is erased. */
  toldSent(seq: Seq): boolean | null {
    const row = this.#tables.first(rows.TOLD_SENT, seq);
    return row === null ? null : row.told_sent === 1;
  }

  /** The log tells that a transport took a message: it does so once. */
  tellSent(seq: Seq): void {
    this.#tables.run(rows.TELL_SENT, seq);
  }

  /** Keeps the signature of a message unless it has one; answers the one it has. A later try, and whoever reads it, gets the same. */
  sign(seq: Seq, signature: string): string {
    this.#tables.run(rows.SIGN, signature, seq);
    return this.#tables.first(rows.SIGNATURE, seq)?.signature ?? signature;
  }

  /** Shows the status that its recipients give a message. */
  showStatus(seq: Seq, recipients: readonly RecipientRow[]): void {
    this.#messages.run(SHOW_STATUS, messageStatus(recipients.map(({ state }) => state)), seq);
  }

  /** Erases what a message was composed of. Whatever of it still waits is not sent. */
  erase(seq: Seq): void {
    this.#tables.run(rows.ERASE, seq);
    this.#tables.run(rows.ERASE_RECIPIENTS, seq);
  }

  /** Nothing more is sent to an address, until its owner forgives it. */
  suppress(address: string, reason: SuppressionRow["reason"], at: { seq: Seq; nowMs: number }): void {
    this.#tables.run(rows.SUPPRESS, suppressionKey(address), reason, at.nowMs, at.seq);
  }

  /** The first of some addresses to which nothing is sent; null if there is none. */
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

  /** Lets an address be sent to again; false if nothing stood in the way. */
  forgive(address: string): boolean {
    return this.#tables.first(rows.FORGIVE, suppressionKey(address)) !== null;
  }

  /** Keeps what stands in the way of sending, and is the operator's to mend. */
  noteObstacle(reply: string, nowMs: number): void {
    this.#tables.run(rows.NOTE_OBSTACLE, reply, nowMs);
  }

  clearObstacle(): void {
    this.#tables.run(rows.CLEAR_OBSTACLE);
  }

  /** What the relay last had against us; null once it has taken a message since. */
  obstacle(): ObstacleRow | null {
    return this.#tables.first(rows.OBSTACLE);
  }

  /** What an Idempotency-Key was used for after `sinceMs`; null if for nothing. */
  keyed(key: string, sinceMs: number): { digest: string; seq: Seq } | null {
    return this.#tables.first(rows.FIND_KEY, key, sinceMs);
  }

  /** Keeps what an Idempotency-Key was used for, and forgets those used before `sinceMs`. */
  keepKey(key: string, used: { digest: string; seq: Seq }, times: { nowMs: number; sinceMs: number }): void {
    this.#tables.run(rows.FORGET_KEYS, times.sinceMs);
    this.#tables.run(rows.KEEP_KEY, key, used.digest, used.seq, times.nowMs);
  }

  /** Keeps with its Idempotency-Key, if it has one, how a message stood that is being erased. */
  keepAnswer(seq: Seq, parts: DeletedParts): void {
    this.#tables.run(rows.KEEP_ANSWER, JSON.stringify(parts), seq);
  }

  /** What `keepAnswer` kept of a message; null for nothing. */
  keptAnswer(seq: Seq): DeletedParts | null {
    const answer = this.#tables.first(rows.KEPT_ANSWER, seq)?.answer ?? null;
    return answer === null ? null : (JSON.parse(answer) as DeletedParts);
  }
}

/** Hosts of the same name in other letters are one; whether local parts are, only their host knows, and few tell them apart. */
function suppressionKey(address: string): string {
  return address.toLowerCase();
}
