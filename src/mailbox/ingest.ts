import { nextSeq, seqTime, type Seq } from "../lib/ids.ts";
import type { Database } from "../lib/sql.ts";
import type { PreparedMail } from "../mail/prepared-mail.ts";
import { threadFor } from "../mail/threading.ts";
import type { Account } from "./account.ts";
import type { MessageRow } from "./schema.ts";
import * as statements from "./statements.ts";

/** A sender repeats for five days at most (RFC 5321 §4.5.4.1): so long a repeat is recognised. */
const DUPLICATE_WINDOW_MS = 5 * 86_400_000;

/** What became of a message: stored now, or stored before. */
export type Ingested = { kind: "stored"; message: MessageRow } | { kind: "duplicate"; seq: Seq };

/**
 * Writes a message and everything that follows from it. Runs inside one transaction: message, content, thread, labels,
 * search row and counters, or nothing.
 */
export function ingest(db: Database, account: Account, mail: PreparedMail, nowMs: number): Ingested {
  const earlier = duplicateOf(db, mail, nowMs);
  if (earlier !== null) return { kind: "duplicate", seq: earlier };
  const seq = nextSeq(account.row.last_seq, nowMs);
  const message: MessageRow = {
    seq,
    thread: joinThread(db, mail, seq),
    direction: "inbound",
    status: "received",
    from_address: mail.fromAddress,
    from_name: mail.fromName,
    to_address: mail.toAddress,
    subject: mail.subject,
    snippet: mail.snippet,
    code: mail.code,
    link: mail.link,
    attachment_count: mail.attachments.length,
    labels: JSON.stringify(mail.labels),
    size_bytes: mail.sizeBytes,
  };
  for (const key of [mail.rawKey, mail.partsKey]) if (key !== null) claimBlob(db, key);
  for (const key of mail.unusedKeys) db.run(statements.CANCEL_ERASURE, key);
  insertMessage(db, message, mail);
  db.run(
    statements.INSERT_CONTENT,
    seq,
    mail.detail,
    JSON.stringify(mail.attachments),
    mail.body,
    mail.rawKey,
    mail.partsKey,
    mail.raw,
  );
  const { subject, names, addresses, body, code, attachments } = mail.search;
  db.run(statements.INSERT_SEARCH, seq, subject, names, addresses, body, code, attachments);
  for (const label of mail.labels) db.run(statements.ADD_LABEL, label, seq);
  countReceipt(db, account, mail, seq);
  return { kind: "stored", message };
}

/** Takes a reserved blob for a message. Throws if it came too late and may be erased already: the sender comes again. */
export function claimBlob(db: Database, key: string): void {
  if (db.first(statements.FIND_ERASURE, key) === null)
    throw new Error("The blob of a message is no longer reserved");
  db.run(statements.CANCEL_ERASURE, key);
}

function insertMessage(db: Database, message: MessageRow, mail: PreparedMail): void {
  db.run(
    statements.INSERT_MESSAGE,
    message.seq,
    message.thread,
    message.direction,
    message.status,
    message.from_address,
    message.from_name,
    message.to_address,
    message.subject,
    message.snippet,
    mail.senderFolded,
    mail.subjectFolded,
    message.code,
    message.link,
    message.attachment_count,
    message.labels,
    message.size_bytes,
  );
}

/** Equal Message-ID and equal content: a reused Message-ID pre-empts nobody, and a mail without one is never a duplicate. */
function duplicateOf(db: Database, mail: PreparedMail, nowMs: number): Seq | null {
  if (mail.messageKey === null) return null;
  const seq = db.first(statements.FIND_DUPLICATE, mail.messageKey, mail.digest)?.seq ?? null;
  return seq !== null && nowMs - seqTime(seq) < DUPLICATE_WINDOW_MS ? seq : null;
}

/** The thread that the ids lead to. Threads that this message turns out to link become one. */
function joinThread(db: Database, mail: PreparedMail, seq: Seq): Seq {
  const { messageKey } = mail;
  const ids = messageKey === null ? mail.ancestorKeys : [...mail.ancestorKeys, messageKey];
  const known = ids.length === 0 ? [] : db.all(statements.THREADS_OF, JSON.stringify(ids));
  // Of several messages with one Message-ID the first bears it: a copy does not enter the first one's thread by its name.
  const isCopy = known.some((row) => row.message_id === messageKey && row.seq !== null);
  const threadOf = new Map(known.map((row) => [row.message_id, String(row.thread)]));
  const joined = threadFor(mail.ancestorKeys, isCopy ? null : messageKey, threadOf, String(seq));
  const thread = mergeThreads(db, [joined.threadId, ...joined.merge].map(Number));
  for (const id of joined.learn) if (id !== messageKey) db.run(statements.LEARN_ID, id, "", thread, null);
  if (messageKey !== null) learnOwnId(db, messageKey, { digest: mail.digest, thread, seq });
  return thread;
}

/**
 * Notes which message bears an id. Another with the same id is kept under a name of its own, so that a thousand copies do
 * not make each look-up a thousand rows.
 */
export function learnOwnId(
  db: Database,
  messageKey: string,
  message: { digest: string; thread: Seq; seq: Seq },
): void {
  const { digest, thread, seq } = message;
  const bearer = db.first(statements.FIND_BEARER, messageKey);
  const name = bearer === null || bearer.digest === digest ? messageKey : `${messageKey}#${digest}`;
  db.run(statements.LEARN_ID, name, digest, thread, seq);
}

/**
 * Makes one thread of several, and answers which. The largest survives, so that a mail which links threads moves few rows
 * whoever wrote it. The others live on as other names of it: ids learned for them, and clients that remember them, still
 * arrive.
 */
function mergeThreads(db: Database, threads: readonly Seq[]): Seq {
  const [only, ...others] = threads;
  if (only !== undefined && others.length === 0) return only;
  const sizes = threads.map((thread) => ({
    thread,
    count: db.first(statements.COUNT_THREAD, thread)?.count ?? 0,
  }));
  const [survivor, ...ended] = sizes.toSorted((one, two) => two.count - one.count || one.thread - two.thread);
  if (survivor === undefined) throw new Error("A message without a thread");
  for (const { thread } of ended) {
    db.run(statements.MOVE_THREAD, survivor.thread, thread);
    db.run(statements.MOVE_ALIASES, survivor.thread, thread);
    db.run(statements.ADD_ALIAS, thread, survivor.thread);
  }
  return survivor.thread;
}

function countReceipt(db: Database, account: Account, mail: PreparedMail, seq: Seq): void {
  const { row } = account;
  const month = new Date(seqTime(seq)).toISOString().slice(0, 7);
  const counted = {
    last_seq: seq,
    inbound: row.inbound + 1,
    month,
    month_count: row.month === month ? row.month_count + 1 : 1,
    unparsed: row.unparsed + (mail.parsed ? 0 : 1),
    storage_bytes: row.storage_bytes + mail.sizeBytes,
  };
  db.run(
    statements.COUNT_RECEIPT,
    counted.last_seq,
    counted.inbound,
    counted.month,
    counted.month_count,
    counted.unparsed,
    counted.storage_bytes,
  );
  Object.assign(row, counted);
}
