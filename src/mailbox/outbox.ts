import type { MessageStatus } from "../contract/message.ts";
import type { Seq } from "../lib/ids.ts";
import type { Database, Query } from "../lib/sql.ts";
import type { OutgoingMessage } from "../mail/compose/outgoing.ts";
import { messageStatus, type RecipientState } from "../outbound/ledger.ts";
import type { ObstacleRow, OutboxRow, RecipientRow, SuppressionRow } from "./schema.ts";
import type { DeletedParts } from "./sent-answer.ts";

type Nullable<T> = T | null;

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

const INSERT: Query<
  never,
  [
    ...[Seq, string, string, string, string, string, utf8: number],
    ...[insideDueAt: Nullable<number>, dueAt: Nullable<number>],
  ]
> = {
  text: `INSERT INTO outbox (seq, message, text, html, files, return_path, smtp_utf8, inside_due_at, due_at, tries,
    told_sent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
};
const INSERT_RECIPIENT: Query<never, [Seq, position: number, address: string, inside: number, at: number]> = {
  text: "INSERT INTO recipient (seq, position, address, inside, state, at) VALUES (?, ?, ?, ?, 'queued', ?)",
};
const FIND: Query<OutboxRow, [Seq]> = {
  text: `SELECT seq, message, text, html, files, return_path, smtp_utf8, tries, due_at, inside_tries, inside_due_at,
    unended, inside_unended, told_sent, signature FROM outbox WHERE seq = ?`,
};
const TOLD_SENT: Query<{ told_sent: 0 | 1 }, [Seq]> = { text: "SELECT told_sent FROM outbox WHERE seq = ?" };
const RECIPIENT = "seq, position, address, inside, state, at, diagnostic, token";
const RECIPIENTS: Query<RecipientRow, [Seq]> = {
  text: `SELECT ${RECIPIENT} FROM recipient WHERE seq = ? ORDER BY position`,
};
const MINT: Query<never, [token: string, Seq, position: number]> = {
  text: "UPDATE recipient SET token = ? WHERE seq = ? AND position = ?",
};
const HAND_OVER: Query<never, [at: Nullable<number>, Seq, position: number]> = {
  text: "UPDATE recipient SET handed_at = ? WHERE seq = ? AND position = ?",
};
const OF_TOKEN: Query<RecipientRow, [token: string, since: number]> = {
  text: `SELECT ${RECIPIENT} FROM recipient WHERE token = ? AND handed_at > ?`,
};
/** Handed over before each recipient had a token of its own, under the one of their message. */
const OF_SHARED_TOKEN: Query<RecipientRow, [token: string, since: number]> = {
  text: `SELECT ${RECIPIENT} FROM recipient WHERE seq = (SELECT seq FROM outbox WHERE token = ?1)
    AND token IS NULL AND inside = 0 AND handed_at > ?2`,
};
/** What the tries of one way are kept by. */
interface WayStatements {
  due: Query<{ seq: Seq }, [now: number, limit: number]>;
  nextDue: Query<{ due_at: number }, [after: number]>;
  plan: Query<never, [tries: number, unended: number, dueAt: Nullable<number>, Seq]>;
  release: Query<never, []>;
}

function statementsOf(dueAt: string, tries: string, unended: string, inside: 0 | 1): WayStatements {
  return {
    due: { text: `SELECT seq FROM outbox WHERE ${dueAt} <= ? ORDER BY ${dueAt} LIMIT ? + 0` },
    nextDue: {
      text: `SELECT ${dueAt} AS due_at FROM outbox WHERE ${dueAt} > ? ORDER BY ${dueAt} LIMIT 1`,
    },
    plan: { text: `UPDATE outbox SET ${tries} = ?, ${unended} = ?, ${dueAt} = ? WHERE seq = ?` },
    release: {
      text: `UPDATE outbox SET ${dueAt} = 0 WHERE ${dueAt} IS NOT NULL AND EXISTS (SELECT 1 FROM recipient r
        WHERE r.seq = outbox.seq AND r.inside = ${inside} AND r.state IN ('handing', 'ending'))`,
    },
  };
}

const BY_WAY: Readonly<Record<Way, WayStatements>> = {
  inside: statementsOf("inside_due_at", "inside_tries", "inside_unended", 1),
  outside: statementsOf("due_at", "tries", "unended", 0),
};
const MOVE: Query<never, [state: string, at: number, diagnostic: Nullable<string>, Seq, position: number]> = {
  text: "UPDATE recipient SET state = ?, at = ?, diagnostic = ? WHERE seq = ? AND position = ?",
};
const NAME: Query<never, [providerId: string, Seq, position: number]> = {
  text: "UPDATE recipient SET provider_id = ? WHERE seq = ? AND position = ?",
};
const NAMED: Query<RecipientRow, [providerId: string]> = {
  text: `SELECT ${RECIPIENT} FROM recipient WHERE provider_id = ?`,
};
const TELL_SENT: Query<never, [Seq]> = { text: "UPDATE outbox SET told_sent = 1 WHERE seq = ?" };
const KEEP: Query<never, [Seq]> = { text: "UPDATE outbox SET kept = 1 WHERE seq = ?" };
/** What a list of kept messages shows. */
type KeptRow = { seq: Seq; listing: string };
const KEPT: Query<KeptRow, [below: Seq, limit: number]> = {
  text: `SELECT o.seq, m.listing FROM outbox o JOIN message m ON m.seq = o.seq
    WHERE o.kept = 1 AND o.seq < ? ORDER BY o.seq DESC LIMIT ? + 0`,
};
const KEPT_AMONG: Query<{ seq: Seq }, [seqs: string]> = {
  text: "SELECT seq FROM outbox WHERE kept = 1 AND seq IN (SELECT value FROM json_each(?))",
};
const SETTLE: Query<never, [Seq]> = {
  text: "UPDATE outbox SET due_at = NULL, inside_due_at = NULL WHERE seq = ?",
};
const SIGN: Query<never, [signature: string, Seq]> = {
  text: "UPDATE outbox SET signature = ? WHERE seq = ? AND signature = ''",
};
const SIGNATURE: Query<{ signature: string }, [Seq]> = { text: "SELECT signature FROM outbox WHERE seq = ?" };
const SHOW_STATUS: Query<never, [status: string, Seq]> = {
  text: "UPDATE message SET status = ? WHERE seq = ?",
};
const ERASE: Query<never, [Seq]> = { text: "DELETE FROM outbox WHERE seq = ?" };
const ERASE_RECIPIENTS: Query<never, [Seq]> = { text: "DELETE FROM recipient WHERE seq = ?" };

const SUPPRESS: Query<never, [address: string, reason: string, at: number, Seq]> = {
  text: "INSERT OR IGNORE INTO suppression (address, reason, at, seq) VALUES (?, ?, ?, ?)",
};
const SUPPRESSED: Query<SuppressionRow, [addresses: string]> = {
  text: `SELECT address, reason, at, seq FROM suppression WHERE address IN (SELECT value FROM json_each(?))`,
};
const LIST_SUPPRESSIONS: Query<SuppressionRow, [after: string, limit: number]> = {
  text: "SELECT address, reason, at, seq FROM suppression WHERE address > ? ORDER BY address LIMIT ? + 0",
};
const COUNT_SUPPRESSIONS: Query<{ count: number }, []> = {
  text: "SELECT count(*) AS count FROM suppression",
};
const FORGIVE: Query<{ address: string }, [address: string]> = {
  text: "DELETE FROM suppression WHERE address = ? RETURNING address",
};

const NOTE_OBSTACLE: Query<never, [reply: string, at: number]> = {
  text: "INSERT OR REPLACE INTO sending_obstacle (one, reply, at) VALUES (1, ?, ?)",
};
const CLEAR_OBSTACLE: Query<never, []> = { text: "DELETE FROM sending_obstacle" };
const OBSTACLE: Query<ObstacleRow, []> = { text: "SELECT reply, at FROM sending_obstacle" };

const FIND_KEY: Query<{ digest: string; seq: Seq }, [key: string, since: number]> = {
  text: "SELECT digest, seq FROM send_key WHERE key = ? AND at > ?",
};
const KEEP_KEY: Query<never, [key: string, digest: string, Seq, at: number]> = {
  text: "INSERT OR REPLACE INTO send_key (key, digest, seq, at) VALUES (?, ?, ?, ?)",
};
const FORGET_KEYS: Query<never, [before: number]> = { text: "DELETE FROM send_key WHERE at <= ?" };
/** A mailbox has as many keys as it sent messages in two days, so they are looked through. */
const KEEP_ANSWER: Query<never, [answer: string, Seq]> = {
  text: "UPDATE send_key SET answer = ? WHERE seq = ?",
};
const KEPT_ANSWER: Query<{ answer: string | null }, [Seq]> = {
  text: "SELECT answer FROM send_key WHERE seq = ? AND answer IS NOT NULL",
};

/** Messages on their way out, their recipients, and whom nothing is sent to. What changes rows runs in a transaction of the caller's. */
export class Outbox {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
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
    this.#db.run(INSERT, seq, ...composed, returnPath, utf8, ...due);
    for (const [position, { address, way }] of departing.recipients.entries()) {
      this.#db.run(INSERT_RECIPIENT, seq, position, address, Number(way === "inside"), nowMs);
    }
  }

  find(seq: Seq): Departing | null {
    const row = this.#db.first(FIND, seq);
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
    this.#db.run(MINT, token, recipient.seq, recipient.position);
    recipient.token = token;
  }

  /** From here on a report about a recipient may be true. */
  handOver({ seq, position }: RecipientRow, nowMs: number): void {
    this.#db.run(HAND_OVER, nowMs, seq, position);
  }

  /** Its host has not taken it: no report about it can be true. */
  takeBack({ seq, position }: RecipientRow): void {
    this.#db.run(HAND_OVER, null, seq, position);
  }

  /** The recipient to whom this token was given, if it was handed over after `sinceMs`. */
  ofToken(token: string, sinceMs: number): RecipientRow | null {
    return this.#db.first(OF_TOKEN, token, sinceMs);
  }

  /** Recipients handed over after `sinceMs` under a token that was their message's. */
  ofSharedToken(token: string, sinceMs: number): RecipientRow[] {
    return this.#db.all(OF_SHARED_TOKEN, token, sinceMs);
  }

  recipients(seq: Seq): RecipientRow[] {
    return this.#db.all(RECIPIENTS, seq);
  }

  /** Messages to be tried one way, or whose lease is over, the longest due first. */
  due(way: Way, nowMs: number, limit: number): Seq[] {
    return this.#db.all(BY_WAY[way].due, nowMs, limit).map(({ seq }) => seq);
  }

  /** Makes every message due whose try was under way: whoever made it is dead. */
  release(): void {
    for (const way of WAYS) this.#db.run(BY_WAY[way].release);
  }

  /** The earliest due time of one way after `afterMs`; null if nothing waits. */
  nextDue(way: Way, afterMs: number): number | null {
    return this.#db.first(BY_WAY[way].nextDue, afterMs)?.due_at ?? null;
  }

  /** Moves one recipient on. */
  move(recipient: RecipientRow, state: RecipientState, diagnostic: string | null, nowMs: number): void {
    this.#db.run(MOVE, state, nowMs, diagnostic, recipient.seq, recipient.position);
    Object.assign(recipient, { state, at: nowMs, diagnostic });
  }

  /** Keeps what the platform calls the message to a recipient. */
  nameAs({ seq, position }: RecipientRow, providerId: string): void {
    this.#db.run(NAME, providerId, seq, position);
  }

  /** The recipient whose message the platform calls so; null if there is none yet. */
  named(providerId: string): RecipientRow | null {
    return this.#db.first(NAMED, providerId);
  }

  /** Writes how often a message was tried one way, and when it is next. */
  plan(seq: Seq, way: Way, tries: Tries): void {
    this.#db.run(BY_WAY[way].plan, tries.made, tries.unended, tries.dueAt, seq);
  }

  /** A message would have left and was kept here instead. */
  keep(seq: Seq): void {
    this.#db.run(KEEP, seq);
  }

  /** Messages that were kept, sent before `below`, the newest first. */
  kept(below: Seq, limit: number): KeptRow[] {
    return this.#db.all(KEPT, below, limit);
  }

  /** Those of some messages that were kept. A list without a message of ours costs no look-up. */
  keptAmong(rows: readonly { seq: Seq; status: MessageStatus }[]): ReadonlySet<Seq> {
    const ours = rows.filter(({ status }) => status !== "received").map(({ seq }) => seq);
    if (ours.length === 0) return new Set();
    return new Set(this.#db.all(KEPT_AMONG, JSON.stringify(ours)).map(({ seq }) => seq));
  }

  /** A message that was kept; null for any other. */
  keptOne(seq: Seq): KeptRow | null {
    const [row] = this.kept(seq + 1, 1);
    return row?.seq === seq ? row : null;
  }

  /** Nothing more of a message is tried. */
  settle(seq: Seq): void {
    this.#db.run(SETTLE, seq);
  }

  /** Whether the log told that a transport took a message; null if it is erased. */
  toldSent(seq: Seq): boolean | null {
    const row = this.#db.first(TOLD_SENT, seq);
    return row === null ? null : row.told_sent === 1;
  }

  /** The log tells that a transport took a message: it does so once. */
  tellSent(seq: Seq): void {
    this.#db.run(TELL_SENT, seq);
  }

  /** Keeps the signature of a message unless it has one; answers the one it has. A later try, and whoever reads it, gets the same. */
  sign(seq: Seq, signature: string): string {
    this.#db.run(SIGN, signature, seq);
    return this.#db.first(SIGNATURE, seq)?.signature ?? signature;
  }

  /** Shows the status that its recipients give a message. */
  showStatus(seq: Seq, recipients: readonly RecipientRow[]): void {
    this.#db.run(SHOW_STATUS, messageStatus(recipients.map(({ state }) => state)), seq);
  }

  /** Erases what a message was composed of. Whatever of it still waits is not sent. */
  erase(seq: Seq): void {
    this.#db.run(ERASE, seq);
    this.#db.run(ERASE_RECIPIENTS, seq);
  }

  /** Nothing more is sent to an address, until its owner forgives it. */
  suppress(address: string, reason: SuppressionRow["reason"], at: { seq: Seq; nowMs: number }): void {
    this.#db.run(SUPPRESS, suppressionKey(address), reason, at.nowMs, at.seq);
  }

  /** The first of some addresses to which nothing is sent; null if there is none. */
  firstSuppressed(addresses: readonly string[]): (SuppressionRow & { written: string }) | null {
    const rows = this.#db.all(SUPPRESSED, JSON.stringify(addresses.map(suppressionKey)));
    if (rows.length === 0) return null;
    for (const written of addresses) {
      const row = rows.find(({ address }) => address === suppressionKey(written));
      if (row !== undefined) return { ...row, written };
    }
    return null;
  }

  suppressions(after: string, limit: number): SuppressionRow[] {
    return this.#db.all(LIST_SUPPRESSIONS, after, limit);
  }

  countSuppressions(): number {
    return this.#db.first(COUNT_SUPPRESSIONS)?.count ?? 0;
  }

  /** Lets an address be sent to again; false if nothing stood in the way. */
  forgive(address: string): boolean {
    return this.#db.first(FORGIVE, suppressionKey(address)) !== null;
  }

  /** Keeps what stands in the way of sending, and is the operator's to mend. */
  noteObstacle(reply: string, nowMs: number): void {
    this.#db.run(NOTE_OBSTACLE, reply, nowMs);
  }

  clearObstacle(): void {
    this.#db.run(CLEAR_OBSTACLE);
  }

  /** What the relay last had against us; null once it has taken a message since. */
  obstacle(): ObstacleRow | null {
    return this.#db.first(OBSTACLE);
  }

  /** What an Idempotency-Key was used for after `sinceMs`; null if for nothing. */
  keyed(key: string, sinceMs: number): { digest: string; seq: Seq } | null {
    return this.#db.first(FIND_KEY, key, sinceMs);
  }

  /** Keeps what an Idempotency-Key was used for, and forgets those used before `sinceMs`. */
  keepKey(key: string, used: { digest: string; seq: Seq }, times: { nowMs: number; sinceMs: number }): void {
    this.#db.run(FORGET_KEYS, times.sinceMs);
    this.#db.run(KEEP_KEY, key, used.digest, used.seq, times.nowMs);
  }

  /** Keeps with its Idempotency-Key, if it has one, how a message stood that is being erased. */
  keepAnswer(seq: Seq, parts: DeletedParts): void {
    this.#db.run(KEEP_ANSWER, JSON.stringify(parts), seq);
  }

  /** What `keepAnswer` kept of a message; null for nothing. */
  keptAnswer(seq: Seq): DeletedParts | null {
    const answer = this.#db.first(KEPT_ANSWER, seq)?.answer ?? null;
    return answer === null ? null : (JSON.parse(answer) as DeletedParts);
  }
}

/** Hosts of the same name in other letters are one; whether local parts are, only their host knows, and few tell them apart. */
function suppressionKey(address: string): string {
  return address.toLowerCase();
}
