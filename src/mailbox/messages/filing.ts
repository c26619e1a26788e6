import type { LoggedData } from "../../contract/event.ts";
import type { Direction, MessageStatus } from "../../contract/message.ts";
import { idOf, nextSeq, seqTime, type Seq } from "../../lib/ids.ts";
import { stringMember } from "../../lib/json-text.ts";
import type { Tables } from "../../lib/schemas.ts";
import type { PreparedMail } from "../../mail/prepared-mail.ts";
import { isSmall, type Account } from "../account/account.ts";
import type { Blobs } from "../blobs/blobs.ts";
import type { Codes } from "../codes/codes.ts";
import type { CodeRow } from "../codes/rows.ts";
import type { MailboxContext } from "../context.ts";
import type { Log } from "../log/log.ts";
import type { LoggedEvent } from "../log/rows.ts";
import { ROWS_A_TURN } from "../turns.ts";
import * as rows from "./rows.ts";
import { MESSAGE_BLOBS, MESSAGES } from "./schema.ts";
import type { SearchIndex } from "./search-index.ts";
import type { KnownIds, KnownId } from "./threads.ts";

/** Duplicates are recognized within this time, in ms: a sender repeats for five days at most (RFC 5321 §4.5.4.1). */
const DUPLICATE_WINDOW_MS = 5 * 86_400_000;
/** Label of delivery reports about outgoing messages. */
const REPORT = "report";

/** The result of filing a message: stored now, or a duplicate of a stored one, perhaps one that proves its sender now. */
export type FiledMail =
  | { kind: "stored"; message: CodeRow; event: LoggedEvent }
  | { kind: "report"; seq: Seq }
  | { kind: "duplicate"; seq: Seq; isProvenNow?: boolean };

/** The place of a filed message. */
export interface Filed {
  seq: Seq;
  thread: Seq;
}

/** Capabilities that take part in filing a message. */
export interface FilingParts {
  log: Log;
  blobs: Blobs;
  codes: Codes;
  ids: KnownIds;
  searchIndex: SearchIndex;
}

/** The place of an imported message. */
export interface ImportedPlace {
  /** Its number, which encodes its time and is not in use. */
  seq: Seq;
  direction: Direction;
  /** The thread to join if references lead to none; null for a new thread. */
  thread: Seq | null;
  /** A delivery report, which listings do not show. */
  isHidden: boolean;
}

interface Placement {
  /** The number to store it under; the next one unless given. */
  seq?: Seq;
  known: readonly KnownId[];
  nowMs: number;
  direction: Direction;
  status: MessageStatus;
  thread?: Seq | null;
  isHidden?: boolean;
}

/**
 * Writes messages with everything that follows from them. Each call runs inside one transaction of the caller, which writes
 * message, content, thread, labels, search row and counters, or nothing.
 */
export class Filing {
  readonly #tables: Tables;
  readonly #blobIndex: Tables;
  readonly #others: FilingParts;
  /** False once it is known that the mailbox has too many rows. */
  #mayIndexBlobs = true;

  constructor(context: MailboxContext, others: FilingParts) {
    this.#tables = context.tables(MESSAGES);
    this.#blobIndex = context.tables(MESSAGE_BLOBS);
    this.#others = others;
  }

  /** Files a received message unless it is a duplicate. */
  fileInbound(account: Account, mail: PreparedMail, nowMs: number): Exclude<FiledMail, { kind: "report" }> {
    const known = this.#others.ids.of(mail);
    const earlier = duplicateOf(known, mail, nowMs);
    return earlier === null ? this.#fileNew(account, mail, { known, nowMs }) : this.#repeat(earlier, mail);
  }

  /** As `fileInbound`, unless `refusalOf` names a reason to refuse a message that is no duplicate. */
  fileUnlessRefused<Reason>(
    account: Account,
    mail: PreparedMail,
    { nowMs, refusalOf }: { nowMs: number; refusalOf: () => Reason | null },
  ): Exclude<FiledMail, { kind: "report" }> | { kind: "refused"; reason: Reason } {
    const known = this.#others.ids.of(mail);
    const earlier = duplicateOf(known, mail, nowMs);
    if (earlier !== null) return this.#repeat(earlier, mail);
    const reason = refusalOf();
    return reason === null ? this.#fileNew(account, mail, { known, nowMs }) : { kind: "refused", reason };
  }

  #fileNew(
    account: Account,
    mail: PreparedMail,
    { known, nowMs }: Pick<Placement, "known" | "nowMs">,
  ): Extract<FiledMail, { kind: "stored" }> {
    const filed = this.#file(account, mail, { known, nowMs, direction: "inbound", status: "received" });
    const event = this.#others.log.append(account, receivedEvent(account, mail, filed));
    this.#count(account, mail, { seq: filed.seq, direction: "inbound" });
    const { listing, senderFolded: sender_folded, code, link, codeEvidence: code_evidence } = mail;
    const message = { seq: filed.seq, code, link, code_evidence, sender_folded, listing };
    return { kind: "stored", message, event };
  }

  /** A repeat says who sent the message if DNS did not answer for the first one. Its content is the same, signatures included. */
  #repeat(seq: Seq, { authentication }: PreparedMail): Extract<FiledMail, { kind: "duplicate" }> {
    const isChecked = authentication !== null && authentication.verdict !== "temperror";
    const isNew = isChecked && this.#tables.first(rows.RECHECK, JSON.stringify(authentication), seq) !== null;
    if (!isNew || authentication.verdict !== "pass") return { kind: "duplicate", seq };
    this.#tables.run(rows.SET_PROVEN, seq);
    return { kind: "duplicate", seq, isProvenNow: true };
  }

  /**
   * Files a report about an outgoing message: hidden from listings, in no thread, counted only in bytes. It has no event of
   * its own; applying the report writes one.
   */
  fileReport(account: Account, mail: PreparedMail, nowMs: number): Exclude<FiledMail, { kind: "stored" }> {
    const nothing = { code: null, link: null, codeEvidence: null };
    const alone = { ...mail, ...nothing, ancestorKeys: [], labels: [REPORT] };
    const known = this.#others.ids.of(alone);
    const earlier = duplicateOf(known, alone, nowMs);
    if (earlier !== null) return { kind: "duplicate", seq: earlier };
    const received = { direction: "inbound", status: "received", isHidden: true } as const;
    const { seq } = this.#file(account, alone, { known, nowMs, ...received });
    this.#tables.run(rows.HIDE, seq);
    this.#count(account, mail, { seq, direction: null });
    return { kind: "report", seq };
  }

  /**
   * Files an outgoing message. The caller writes the log.
   *
   * @param filing.thread the thread to join if references lead to none; null for a new thread.
   */
  fileOutgoing(account: Account, mail: PreparedMail, filing: { nowMs: number; thread: Seq | null }): Filed {
    const outgoing = { direction: "outbound", status: "queued" } as const;
    const filed = this.#file(account, mail, { known: this.#others.ids.of(mail), ...outgoing, ...filing });
    this.#count(account, mail, { seq: filed.seq, direction: "outbound" });
    return filed;
  }

  /**
   * Files a message from an archive under the time at which it was received elsewhere. It raises no event, and its code counts as
   * handed out. The caller has checked that it is not a duplicate.
   */
  fileImported(account: Account, mail: PreparedMail, place: ImportedPlace & { nowMs: number }): Filed {
    const { seq, direction, isHidden } = place;
    const own = isHidden ? { ...mail, ancestorKeys: [], labels: [REPORT] } : mail;
    const known = this.#others.ids.of(own);
    const filed = this.#file(account, own, { ...place, known, status: "received" });
    if (mail.code !== null || mail.link !== null) this.#others.codes.take(seq, place.nowMs);
    if (isHidden) this.#tables.run(rows.HIDE, seq);
    const { parsed: isParsed, sizeBytes } = mail;
    account.countImported({ seq, direction: isHidden ? null : direction, isParsed, sizeBytes });
    return filed;
  }

  #file(account: Account, mail: PreparedMail, filing: Placement): Filed {
    const { blobs, codes, ids, searchIndex } = this.#others;
    this.#tables.make();
    const seq = filing.seq ?? nextSeq(account.row.last_seq, filing.nowMs);
    const thread = ids.join(filing.known, mail, { seq, fresh: filing.thread ?? seq });
    for (const key of [mail.rawKey, mail.bodyKey]) if (key !== null) blobs.claim(key);
    for (const key of mail.unusedKeys) blobs.cancel(key);
    const { listing, toAddress, senderFolded, subjectFolded, code, link, labels } = mail;
    // Reports are not counted, so any number of them may come to a small mailbox.
    const isGrown = filing.isHidden === true || !isSmall(account.row);
    if (isGrown) {
      codes.makeIndexes();
      this.#indexBlobs(account);
    }
    const { length } = mail.attachments;
    const texts = [listing, toAddress, senderFolded, subjectFolded, code, link] as const;
    const at = [seq, thread, filing.direction, filing.status] as const;
    const rest = [
      length,
      JSON.stringify(labels),
      mail.sizeBytes,
      mail.codeEvidence,
      mail.codeReader,
    ] as const;
    this.#tables.run(rows.INSERT_MESSAGE, ...at, ...texts, ...rest);
    const content = [mail.detail, JSON.stringify(mail.attachments), mail.body] as const;
    const stored = [mail.bodyKey, mail.bodyLayout, mail.rawKey, mail.raw] as const;
    const words = isGrown ? null : searchIndex.waiting(mail.search);
    this.#tables.run(rows.INSERT_CONTENT, seq, ...content, ...stored, words);
    if (words === null) searchIndex.add(seq, mail.search);
    for (const label of labels) this.#tables.run(rows.ADD_LABEL, label, seq);
    return { seq, thread };
  }

  /** Makes the index of blobs, unless the mailbox has more rows than one turn may look at: an earlier release stored those. */
  #indexBlobs({ row }: Account): void {
    if (this.#blobIndex.isMade || !this.#mayIndexBlobs || row.inbound + row.outbound > ROWS_A_TURN) return;
    // The counters lack reports.
    this.#mayIndexBlobs = this.#tables.first(rows.LAST_OF_NEXT, 0, ROWS_A_TURN) === null;
    if (this.#mayIndexBlobs) this.#blobIndex.make();
  }

  #count(account: Account, mail: PreparedMail, filed: { seq: Seq; direction: Direction | null }): void {
    account.countMessage({ ...filed, isParsed: mail.parsed, sizeBytes: mail.sizeBytes });
  }
}

/** The log entry of a received message. */
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
    sender_verified: mail.authentication?.verdict === "pass",
  };
  return { kind: data.event, at: seqTime(stored.seq), data };
}

/**
 * The message with equal Message-ID and equal content, if there is one. So a reused Message-ID blocks no other mail, and
 * mail without a Message-ID is never a duplicate.
 */
function duplicateOf(known: readonly KnownId[], mail: PreparedMail, nowMs: number): Seq | null {
  const { messageKey, digest } = mail;
  if (messageKey === null) return null;
  const names = [messageKey, rows.copyName(messageKey, digest)];
  const same = known.find((row) => names.includes(row.message_id) && row.digest === digest);
  const seq = same?.seq ?? null;
  return seq !== null && nowMs - seqTime(seq) < DUPLICATE_WINDOW_MS ? seq : null;
}
