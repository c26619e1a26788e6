import type { Seq } from "../lib/ids.ts";
import type { Database, Query } from "../lib/sql.ts";
import type { OutgoingMessage } from "../mail/outgoing.ts";
import { messageStatus, type RecipientState } from "../outbound/ledger.ts";
import type { OutboxRow, RecipientRow, SuppressionRow } from "./schema.ts";

type Nullable<T> = T | null;

/** A message on its way out, with what it takes to compose it. */
export interface Departing {
  seq: Seq;
  message: OutgoingMessage;
  returnPath: string;
  needsSmtpUtf8: boolean;
  /** Ids of the uploads that hold the attachments, in their order. */
  uploads: readonly string[];
  tries: number;
  /** ms since 1970; null = nothing of it is tried any more. */
  dueAt: number | null;
  toldSent: boolean;
  /** Fields before those of the message: its DKIM signature, or "". */
  signature: string;
}

const INSERT: Query<
  never,
  [Seq, string, string, string, string, string, Nullable<string>, utf8: number, dueAt: number]
> = {
  text: `INSERT INTO outbox (seq, message, text, html, files, return_path, token, smtp_utf8, tries, due_at, told_sent)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 0)`,
};
const INSERT_RECIPIENT: Query<never, [Seq, position: number, address: string, at: number]> = {
  text: "INSERT INTO recipient (seq, position, address, state, at) VALUES (?, ?, ?, 'queued', ?)",
};
const FIND: Query<OutboxRow, [Seq]> = {
  text: `SELECT seq, message, text, html, files, return_path, token, smtp_utf8, tries, due_at, told_sent,
    signature FROM outbox WHERE seq = ?`,
};
const OF_TOKEN: Query<{ seq: Seq }, [token: string]> = { text: "SELECT seq FROM outbox WHERE token = ?" };
const RECIPIENTS: Query<RecipientRow, [Seq]> = {
  text: "SELECT seq, position, address, state, at, diagnostic FROM recipient WHERE seq = ? ORDER BY position",
};
const DUE: Query<{ seq: Seq }, [now: number, limit: number]> = {
  text: "SELECT seq FROM outbox WHERE due_at <= ? ORDER BY due_at LIMIT ? + 0",
};
const NEXT_DUE: Query<{ due_at: number }, [after: number]> = {
  text: "SELECT due_at FROM outbox WHERE due_at > ? ORDER BY due_at LIMIT 1",
};
const MOVE: Query<never, [state: string, at: number, diagnostic: Nullable<string>, Seq, position: number]> = {
  text: "UPDATE recipient SET state = ?, at = ?, diagnostic = ? WHERE seq = ? AND position = ?",
};
const NAME: Query<never, [providerId: string, Seq, position: number]> = {
  text: "UPDATE recipient SET provider_id = ? WHERE seq = ? AND position = ?",
};
const NAMED: Query<RecipientRow, [providerId: string]> = {
  text: "SELECT seq, position, address, state, at, diagnostic FROM recipient WHERE provider_id = ?",
};
const PLAN: Query<never, [tries: number, dueAt: Nullable<number>, toldSent: number, Seq]> = {
  text: "UPDATE outbox SET tries = ?, due_at = ?, told_sent = ? WHERE seq = ?",
};
const SIGN: Query<never, [signature: string, Seq]> = {
  text: "UPDATE outbox SET signature = ? WHERE seq = ?",
};
const RELEASE: Query<never, []> = {
  text: `UPDATE outbox SET due_at = 0 WHERE due_at IS NOT NULL AND EXISTS
    (SELECT 1 FROM recipient r WHERE r.seq = outbox.seq AND r.state IN ('handing', 'ending'))`,
};
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

const FIND_KEY: Query<{ digest: string; seq: Seq }, [key: string, since: number]> = {
  text: "SELECT digest, seq FROM send_key WHERE key = ? AND at > ?",
};
const KEEP_KEY: Query<never, [key: string, digest: string, Seq, at: number]> = {
  text: "INSERT OR REPLACE INTO send_key (key, digest, seq, at) VALUES (?, ?, ?, ?)",
};
const FORGET_KEYS: Query<never, [before: number]> = { text: "DELETE FROM send_key WHERE at <= ?" };

/** Messages on their way out, their recipients, and whom nothing is sent to. What changes rows runs in a transaction of the caller's. */
export class Outbox {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Puts a message down to be tried at once. `token` is what reports come back to. */
  add(
    seq: Seq,
    departing: {
      message: OutgoingMessage;
      recipients: readonly string[];
      needsSmtpUtf8: boolean;
      uploads: readonly string[];
    },
    path: { returnPath: string; token: string | null },
    nowMs: number,
  ): void {
    const { text, html, ...rest } = departing.message;
    const composed = [JSON.stringify(rest), text, html, JSON.stringify(departing.uploads)] as const;
    const flags = [Number(departing.needsSmtpUtf8), nowMs] as const;
    this.#db.run(INSERT, seq, ...composed, path.returnPath, path.token, ...flags);
    for (const [position, address] of departing.recipients.entries()) {
      this.#db.run(INSERT_RECIPIENT, seq, position, address, nowMs);
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
      tries: row.tries,
      dueAt: row.due_at,
      toldSent: row.told_sent === 1,
      signature: row.signature,
    };
  }

  /** The message whose return path has this token; null if none was minted so. */
  ofToken(token: string): Seq | null {
    return this.#db.first(OF_TOKEN, token)?.seq ?? null;
  }

  recipients(seq: Seq): RecipientRow[] {
    return this.#db.all(RECIPIENTS, seq);
  }

  /** Messages to be tried, or whose lease is over, the longest due first. */
  due(nowMs: number, limit: number): Seq[] {
    return this.#db.all(DUE, nowMs, limit).map(({ seq }) => seq);
  }

  /** Makes every message due whose try was under way: whoever made it is dead. */
  release(): void {
    this.#db.run(RELEASE);
  }

  /** The earliest due time after `afterMs`; null if nothing waits. */
  nextDue(afterMs: number): number | null {
    return this.#db.first(NEXT_DUE, afterMs)?.due_at ?? null;
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

  /** Writes when a message is tried next, null for never, and shows the status that its recipients give it. */
  plan(seq: Seq, plan: { tries: number; dueAt: number | null; toldSent: boolean }): void {
    this.#db.run(PLAN, plan.tries, plan.dueAt, Number(plan.toldSent), seq);
  }

  /** Keeps the signature of a message: a later try, and whoever reads it, gets the same. */
  sign(seq: Seq, signature: string): void {
    this.#db.run(SIGN, signature, seq);
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

  /** What an Idempotency-Key was used for after `sinceMs`; null if for nothing. */
  keyed(key: string, sinceMs: number): { digest: string; seq: Seq } | null {
    return this.#db.first(FIND_KEY, key, sinceMs);
  }

  /** Keeps what an Idempotency-Key was used for, and forgets those used before `sinceMs`. */
  keepKey(key: string, used: { digest: string; seq: Seq }, times: { nowMs: number; sinceMs: number }): void {
    this.#db.run(FORGET_KEYS, times.sinceMs);
    this.#db.run(KEEP_KEY, key, used.digest, used.seq, times.nowMs);
  }
}

/** Hosts of the same name in other letters are one; whether local parts are, only their host knows, and few tell them apart. */
function suppressionKey(address: string): string {
  return address.toLowerCase();
}
