import type { LoggedData } from "../contract/event.ts";
import type { Direction, MessageStatus } from "../contract/message.ts";
import { idOf, nextSeq, seqTime, type Seq } from "../lib/ids.ts";
import { stringMember } from "../lib/json-text.ts";
import type { Database } from "../lib/sql.ts";
import type { PreparedMail, SearchText } from "../mail/prepared-mail.ts";
import { threadFor } from "../mail/threading.ts";
import type { Account } from "./account.ts";
import { append, type LoggedEvent } from "./log.ts";
import type { CodeRow } from "./schema.ts";
import * as statements from "./statements.ts";

/** A sender repeats for five days at most (RFC 5321 §4.5.4.1): so long a repeat is recognised. */
const DUPLICATE_WINDOW_MS = 5 * 86_400_000;

/** What became of a message: stored now, or stored before. */
export type Ingested =
  | { kind: "stored"; message: CodeRow; event: LoggedEvent }
  | { kind: "report"; seq: Seq }
  | { kind: "duplicate"; seq: Seq };

/**
 * Writes a message and everything that follows from it. Runs inside one transaction: message, content, thread, labels,
 * search row and counters, or nothing.
 */
export function ingest(
  db: Database,
  account: Account,
  mail: PreparedMail,
  nowMs: number,
): Exclude<Ingested, { kind: "report" }> {
  const known = knownIds(db, mail);
  const earlier = duplicateOf(known, mail, nowMs);
  if (earlier !== null) return { kind: "duplicate", seq: earlier };
  const { listing, senderFolded, code, link, codeEvidence } = mail;
  const filed = file(db, account, mail, { known, nowMs, direction: "inbound", status: "received" });
  const event = append(db, account, receivedEvent(account, mail, filed));
  countMessage(db, account, mail, { seq: filed.seq, direction: "inbound" });
  return {
    kind: "stored",
    message: {
      seq: filed.seq,
      code,
      link,
      code_evidence: codeEvidence,
      sender_folded: senderFolded,
      listing,
    },
    event,
  };
}

/** The label of reports that were understood. */
const REPORT = "report";

/**
 * Writes a report about a message of ours that was understood, as `ingest` writes mail: out of sight, in no thread, counted
 * as nothing but bytes, and no news in itself, because what it says is.
 */
export function fileReport(
  db: Database,
  account: Account,
  mail: PreparedMail,
  nowMs: number,
): Exclude<Ingested, { kind: "stored" }> {
  const nothing = { code: null, link: null, codeEvidence: null };
  const alone = { ...mail, ...nothing, ancestorKeys: [], labels: [REPORT] };
  const known = knownIds(db, alone);
  const earlier = duplicateOf(known, alone, nowMs);
  if (earlier !== null) return { kind: "duplicate", seq: earlier };
  const { seq } = file(db, account, alone, { known, nowMs, direction: "inbound", status: "received" });
  db.run(statements.HIDE, seq);
  countMessage(db, account, mail, { seq, direction: null });
  return { kind: "report", seq };
}

/** Where a message was put. */
export interface Filed {
  seq: Seq;
  thread: Seq;
}

/**
 * Writes a message of our own that is on its way out; inside one transaction, as `ingest`. The caller writes the log.
 * `thread` is where it belongs if no id leads anywhere; null for a thread of its own.
 */
export function fileOutgoing(
  db: Database,
  account: Account,
  mail: PreparedMail,
  filing: { nowMs: number; thread: Seq | null },
): Filed {
  const outgoing = { direction: "outbound", status: "queued" } as const;
  const filed = file(db, account, mail, { known: knownIds(db, mail), ...outgoing, ...filing });
  countMessage(db, account, mail, { seq: filed.seq, direction: "outbound" });
  return filed;
}

function file(
  db: Database,
  account: Account,
  mail: PreparedMail,
  filing: {
    known: readonly KnownId[];
    nowMs: number;
    direction: Direction;
    status: MessageStatus;
    thread?: Seq | null;
  },
): Filed {
  const seq = nextSeq(account.row.last_seq, filing.nowMs);
  const thread = joinThread(db, filing.known, mail, { seq, fresh: filing.thread ?? seq });
  for (const key of [mail.rawKey, mail.partsKey, mail.bodyKey]) if (key !== null) claimBlob(db, key);
  for (const key of mail.unusedKeys) db.run(statements.END_ERASURE, key);
  const { listing, toAddress, senderFolded, subjectFolded, code, link, labels } = mail;
  const { length } = mail.attachments;
  const texts = [listing, toAddress, senderFolded, subjectFolded, code, link] as const;
  const at = [seq, thread, filing.direction, filing.status] as const;
  const rest = [length, JSON.stringify(labels), mail.sizeBytes, mail.codeEvidence, mail.codeReader] as const;
  db.run(statements.INSERT_MESSAGE, ...at, ...texts, ...rest);
  const content = [mail.detail, JSON.stringify(mail.attachments), mail.body] as const;
  const body = [mail.bodyKey, mail.bodyLayout] as const;
  db.run(statements.INSERT_CONTENT, seq, ...content, ...body, mail.rawKey, mail.partsKey, mail.raw);
  indexForSearch(db, seq, mail.search);
  for (const label of labels) db.run(statements.ADD_LABEL, label, seq);
  return { seq, thread };
}

/** What the log says of a message that arrived. */
function receivedEvent(account: Account, mail: PreparedMail, stored: Filed) {
  const { length } = mail.attachments;
  const data: LoggedData = {
    event: "message.received",
    email_id: idOf(stored.seq, account.idTail),
    mailbox: account.row.address,
    from: stringMember(mail.listing, "from_address").value(),
    subject: stringMember(mail.listing, "subject").value(),
    received_at: new Date(seqTime(stored.seq)).toISOString(),
    thread_id: idOf(stored.thread, account.idTail),
    labels: mail.labels,
    has_attachments: length > 0,
    message_id: mail.messageId ?? "",
    attachment_count: length,
  };
  return { kind: data.event, at: seqTime(stored.seq), data };
}

/** Writes the full-text row of a message. */
export function indexForSearch(db: Database, seq: Seq, text: SearchText): void {
  const { subject, names, addresses, body, code, attachments } = text;
  db.run(statements.INSERT_SEARCH, seq, subject, names, addresses, body, code, attachments);
}

/** Takes a reserved blob for a message. Throws if it came too late and may be erased already: the sender comes again. */
export function claimBlob(db: Database, key: string): void {
  if (db.first(statements.CLAIM_BLOB, key) === null)
    throw new Error("The blob of a message is no longer reserved");
}

/** What the mailbox knows of an id. */
interface KnownId {
  message_id: string;
  digest: string;
  seq: Seq | null;
  thread: Seq;
}

/** What is known of the ids a message bears and refers to: one look-up for its repeats and its thread. */
function knownIds(db: Database, mail: PreparedMail): KnownId[] {
  const { messageKey, ancestorKeys, digest } = mail;
  if (messageKey === null) {
    return ancestorKeys.length === 0 ? [] : db.all(statements.KNOWN_IDS, JSON.stringify(ancestorKeys));
  }
  const names = [messageKey, copyName(messageKey, digest)] as const;
  return ancestorKeys.length === 0
    ? db.all(statements.KNOWN_NAMES, ...names)
    : db.all(statements.KNOWN_IDS, JSON.stringify([...ancestorKeys, ...names]));
}

/** The name under which another message with an id that one bears already is known. */
function copyName(messageKey: string, digest: string): string {
  return `${messageKey}#${digest}`;
}

/** Equal Message-ID and equal content: a reused Message-ID pre-empts nobody, and a mail without one is never a duplicate. */
function duplicateOf(known: readonly KnownId[], mail: PreparedMail, nowMs: number): Seq | null {
  const { messageKey, digest } = mail;
  if (messageKey === null) return null;
  const names = [messageKey, copyName(messageKey, digest)];
  const same = known.find((row) => names.includes(row.message_id) && row.digest === digest);
  const seq = same?.seq ?? null;
  return seq !== null && nowMs - seqTime(seq) < DUPLICATE_WINDOW_MS ? seq : null;
}

/** The thread that the ids lead to, `fresh` if they lead nowhere. Threads that this message turns out to link become one. */
function joinThread(
  db: Database,
  known: readonly KnownId[],
  mail: PreparedMail,
  { seq, fresh }: { seq: Seq; fresh: Seq },
): Seq {
  const { messageKey, ancestorKeys, digest } = mail;
  // Of several messages with one Message-ID the first bears it: a copy does not enter the first one's thread by its name.
  const bearer = known.find((row) => row.message_id === messageKey && row.seq !== null) ?? null;
  const threadOf = new Map(known.map((row) => [row.message_id, String(row.thread)]));
  const joined = threadFor(ancestorKeys, bearer === null ? messageKey : null, threadOf, String(fresh));
  const thread = mergeThreads(db, [joined.threadId, ...joined.merge].map(Number));
  for (const id of joined.learn) if (id !== messageKey) db.run(statements.LEARN_ID, id, "", thread, null);
  if (messageKey === null) return thread;
  if (known.length === 0) db.run(statements.LEARN_NEW_ID, messageKey, digest, thread, seq);
  else learnOwnId(db, messageKey, { digest, thread, seq }, bearer);
  return thread;
}

/**
 * Notes which message bears an id; `bearer` is who does already. Another with the same id is kept under a name of its own,
 * so that a thousand copies do not make each look-up a thousand rows.
 */
export function learnOwnId(
  db: Database,
  messageKey: string,
  message: { digest: string; thread: Seq; seq: Seq },
  bearer: { digest: string } | null,
): void {
  const { digest, thread, seq } = message;
  const isBearer = bearer === null || bearer.digest === digest;
  db.run(statements.LEARN_ID, isBearer ? messageKey : copyName(messageKey, digest), digest, thread, seq);
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

function countMessage(
  db: Database,
  account: Account,
  mail: PreparedMail,
  { seq, direction }: { seq: Seq; direction: Direction | null },
): void {
  const { row } = account;
  const month = new Date(seqTime(seq)).toISOString().slice(0, 7);
  const counted = {
    last_seq: seq,
    inbound: row.inbound + (direction === "inbound" ? 1 : 0),
    outbound: row.outbound + (direction === "outbound" ? 1 : 0),
    month,
    month_count: (row.month === month ? row.month_count : 0) + (direction === null ? 0 : 1),
    unparsed: row.unparsed + (mail.parsed || direction === null ? 0 : 1),
    storage_bytes: row.storage_bytes + mail.sizeBytes,
  };
  db.run(
    statements.COUNT_MESSAGE,
    counted.last_seq,
    counted.inbound,
    counted.outbound,
    counted.month,
    counted.month_count,
    counted.unparsed,
    counted.storage_bytes,
    row.last_event,
  );
  Object.assign(row, counted);
}
