import type { Seq } from "../../lib/ids.ts";
import type { Query } from "../../lib/sql.ts";
import type { RecipientState } from "../../outbound/ledger.ts";
import type { Way } from "./outbox.ts";

type Nullable<T> = T | null;

/** An outgoing message: the parts that it is composed of, and the times of its next attempts. */
export type OutboxRow = {
  seq: Seq;
  /** JSON of OutgoingMessage without text and html, which have columns of their own: together they may take 1.5 MB. */
  message: string;
  text: string;
  html: string;
  /** JSON array of the ids of the uploads that hold the attachments. */
  files: string;
  /** MAIL FROM of copies that several recipients share. */
  return_path: string;
  smtp_utf8: 0 | 1;
  /** Attempts outside the deployment that ended. */
  tries: number;
  /** When the next attempt outside is due, or the lease of the current one ends, in ms since 1970; null = no further attempt. */
  due_at: number | null;
  /** Attempts inside the deployment that ended. */
  inside_tries: number;
  inside_due_at: number | null;
  /** Attempts outside that began after the last one that ended. */
  unended: number;
  /** Attempts inside that began after the last one that ended. */
  inside_unended: number;
  /** Whether the log has a `message.sent` event of the message. */
  told_sent: 0 | 1;
  /** DKIM-Signature field with its line end, made at the first attempt; "" before that, and without a configured key. */
  signature: string;
};

export type RecipientRow = {
  seq: Seq;
  position: number;
  address: string;
  /** Whether the recipient was a mailbox of this deployment when the message was accepted. */
  inside: 0 | 1;
  state: RecipientState;
  /** When the recipient reached its state, in ms since 1970. */
  at: number;
  /** The last reply or report about the recipient; null = none yet. */
  diagnostic: string | null;
  /**
   * The token of the recipient's return path. Null before the first attempt, for recipients inside the deployment, and if
   * the address would become too long.
   */
  token: string | null;
};

/** The last known obstacle to sending, in the words of the relay. */
export type ObstacleRow = { reply: string; at: number };

/** A suppressed address: nothing more is sent to it. */
export type SuppressionRow = { address: string; reason: "bounce" | "complaint"; at: number; seq: Seq };

export const INSERT: Query<
  never,
  [
    ...[Seq, string, string, string, string, string, utf8: number],
    ...[insideDueAt: Nullable<number>, dueAt: Nullable<number>],
  ]
> = {
  text: `INSERT INTO outbox (seq, message, text, html, files, return_path, smtp_utf8, inside_due_at, due_at, tries,
    told_sent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)`,
};
export const INSERT_RECIPIENT: Query<
  never,
  [Seq, position: number, address: string, inside: number, at: number]
> = {
  text: "INSERT INTO recipient (seq, position, address, inside, state, at) VALUES (?, ?, ?, ?, 'queued', ?)",
};
export const FIND: Query<OutboxRow, [Seq]> = {
  text: `SELECT seq, message, text, html, files, return_path, smtp_utf8, tries, due_at, inside_tries, inside_due_at,
    unended, inside_unended, told_sent, signature FROM outbox WHERE seq = ?`,
};
export const TOLD_SENT: Query<{ told_sent: 0 | 1 }, [Seq]> = {
  text: "SELECT told_sent FROM outbox WHERE seq = ?",
};
const RECIPIENT = "seq, position, address, inside, state, at, diagnostic, token";
export const RECIPIENTS: Query<RecipientRow, [Seq]> = {
  text: `SELECT ${RECIPIENT} FROM recipient WHERE seq = ? ORDER BY position`,
};
export const MINT: Query<never, [token: string, Seq, position: number]> = {
  text: "UPDATE recipient SET token = ? WHERE seq = ? AND position = ?",
};
export const HAND_OVER: Query<never, [at: Nullable<number>, Seq, position: number]> = {
  text: "UPDATE recipient SET handed_at = ? WHERE seq = ? AND position = ?",
};
export const OF_TOKEN: Query<RecipientRow, [token: string, since: number]> = {
  text: `SELECT ${RECIPIENT} FROM recipient WHERE token = ? AND handed_at > ?`,
};
/** Recipients that an earlier release handed over under one token for the whole message. */
export const OF_SHARED_TOKEN: Query<RecipientRow, [token: string, since: number]> = {
  text: `SELECT ${RECIPIENT} FROM recipient WHERE seq = (SELECT seq FROM outbox WHERE token = ?1)
    AND token IS NULL AND inside = 0 AND handed_at > ?2`,
};
/** The statements about the attempts of one way. */
export interface WayStatements {
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

export const BY_WAY: Readonly<Record<Way, WayStatements>> = {
  inside: statementsOf("inside_due_at", "inside_tries", "inside_unended", 1),
  outside: statementsOf("due_at", "tries", "unended", 0),
};
/** The oldest is that of the counted ones. Each side has its limit, because UNION reads both to their ends. */
export const WAITING: Query<{ count: number; oldest: Nullable<Seq> }, [limit: number]> = {
  text: `SELECT count(*) AS count, min(seq) AS oldest FROM
    (SELECT seq FROM (SELECT seq FROM outbox WHERE due_at IS NOT NULL LIMIT ?1 + 0)
    UNION SELECT seq FROM (SELECT seq FROM outbox WHERE inside_due_at IS NOT NULL LIMIT ?1 + 0) LIMIT ?1 + 0)`,
};
export const MOVE: Query<
  never,
  [state: string, at: number, diagnostic: Nullable<string>, Seq, position: number]
> = {
  text: "UPDATE recipient SET state = ?, at = ?, diagnostic = ? WHERE seq = ? AND position = ?",
};
export const NAME: Query<never, [providerId: string, Seq, position: number]> = {
  text: "UPDATE recipient SET provider_id = ? WHERE seq = ? AND position = ?",
};
export const NAMED: Query<RecipientRow, [providerId: string]> = {
  text: `SELECT ${RECIPIENT} FROM recipient WHERE provider_id = ?`,
};
export const TELL_SENT: Query<never, [Seq]> = { text: "UPDATE outbox SET told_sent = 1 WHERE seq = ?" };
export const MARK_UNSENT: Query<never, [Seq]> = { text: "UPDATE outbox SET kept = 1 WHERE seq = ?" };
/** A row of the list of messages that were not sent. */
export type UnsentRow = { seq: Seq; listing: string };
export const UNSENT: Query<UnsentRow, [below: Seq, limit: number]> = {
  text: `SELECT o.seq, m.listing FROM outbox o JOIN message m ON m.seq = o.seq
    WHERE o.kept = 1 AND o.seq < ? ORDER BY o.seq DESC LIMIT ? + 0`,
};
export const NEWEST_UNSENT: Query<{ seq: Nullable<Seq> }, []> = {
  text: "SELECT max(seq) AS seq FROM outbox WHERE kept = 1",
};
export const UNSENT_AMONG: Query<{ seq: Seq }, [seqs: string]> = {
  text: "SELECT seq FROM outbox WHERE kept = 1 AND seq IN (SELECT value FROM json_each(?))",
};
export const SETTLE: Query<never, [Seq]> = {
  text: "UPDATE outbox SET due_at = NULL, inside_due_at = NULL WHERE seq = ?",
};
export const SIGN: Query<never, [signature: string, Seq]> = {
  text: "UPDATE outbox SET signature = ? WHERE seq = ? AND signature = ''",
};
export const SIGNATURE: Query<{ signature: string }, [Seq]> = {
  text: "SELECT signature FROM outbox WHERE seq = ?",
};
export const ERASE: Query<never, [Seq]> = { text: "DELETE FROM outbox WHERE seq = ?" };
export const ERASE_RECIPIENTS: Query<never, [Seq]> = { text: "DELETE FROM recipient WHERE seq = ?" };

export const SUPPRESS: Query<never, [address: string, reason: string, at: number, Seq]> = {
  text: "INSERT OR IGNORE INTO suppression (address, reason, at, seq) VALUES (?, ?, ?, ?)",
};
export const SUPPRESSED: Query<SuppressionRow, [addresses: string]> = {
  text: `SELECT address, reason, at, seq FROM suppression WHERE address IN (SELECT value FROM json_each(?))`,
};
export const LIST_SUPPRESSIONS: Query<SuppressionRow, [after: string, limit: number]> = {
  text: "SELECT address, reason, at, seq FROM suppression WHERE address > ? ORDER BY address LIMIT ? + 0",
};
export const COUNT_SUPPRESSIONS: Query<{ count: number }, []> = {
  text: "SELECT count(*) AS count FROM suppression",
};
export const FORGIVE: Query<{ address: string }, [address: string]> = {
  text: "DELETE FROM suppression WHERE address = ? RETURNING address",
};

export const NOTE_OBSTACLE: Query<never, [reply: string, at: number]> = {
  text: "INSERT OR REPLACE INTO sending_obstacle (one, reply, at) VALUES (1, ?, ?)",
};
export const CLEAR_OBSTACLE: Query<never, []> = { text: "DELETE FROM sending_obstacle" };
export const OBSTACLE: Query<ObstacleRow, []> = { text: "SELECT reply, at FROM sending_obstacle" };

export const FIND_KEY: Query<{ digest: string; seq: Seq }, [key: string, since: number]> = {
  text: "SELECT digest, seq FROM send_key WHERE key = ? AND at > ?",
};
export const STORE_KEY: Query<never, [key: string, digest: string, Seq, at: number]> = {
  text: "INSERT OR REPLACE INTO send_key (key, digest, seq, at) VALUES (?, ?, ?, ?)",
};
export const FORGET_KEYS: Query<never, [before: number]> = { text: "DELETE FROM send_key WHERE at <= ?" };
/** No index serves this statement: a mailbox has at most as many keys as it sent messages in two days. */
export const STORE_ANSWER: Query<never, [answer: string, Seq]> = {
  text: "UPDATE send_key SET answer = ? WHERE seq = ?",
};
export const STORED_ANSWER: Query<{ answer: string | null }, [Seq]> = {
  text: "SELECT answer FROM send_key WHERE seq = ? AND answer IS NOT NULL",
};
