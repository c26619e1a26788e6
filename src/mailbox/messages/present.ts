import { ownJson } from "../../lib/json-text.ts";
import type { Attachment, Delivery, EmailSummary, ThreadSummary } from "../../contract/message.ts";
import { notFound, type Answer } from "../../contract/problem.ts";
import { idOf, readId, seqTime, type Seq } from "../../lib/ids.ts";
import { done, refused } from "../../lib/outcome.ts";
import { wholeAuthentication, type StoredAuthentication } from "../../mail/authentication/judge.ts";
import type { Listing, StoredAttachment } from "../../mail/prepared-mail.ts";
import type { Account } from "../account/account.ts";
import type { ContentRow, MessageRow } from "./rows.ts";

/**
 * JSON text of a `Shape`. Answers cross the RPC as text and leave the router unchanged: one serialization instead of the
 * three that structured cloning would need.
 */
export type JsonText<Shape> = string & { readonly shape?: Shape };

/** Serializes a value; the type of the text remembers its shape. */
export function jsonText<Shape>(value: Shape): JsonText<Shape> {
  return JSON.stringify(value);
}

/** The properties of a mailbox that its records show. */
export interface View {
  /** Address of the mailbox. It is canonical, so it needs no escaping in JSON. */
  mailbox: string;
  /** The mailbox's part of every id (`idTail`). */
  tail: bigint;
  /** The newest seq that was assigned. */
  lastSeq: Seq;
  /** Mails of the mailbox. */
  mails: number;
}

/** The properties of an account that its records show. */
export function viewOf({ row, idTail: tail }: Account): View {
  return { mailbox: row.address, tail, lastSeq: row.last_seq, mails: row.inbound + row.outbound };
}

/** The seq of an email id of this mailbox. 404 for any other text. */
export function emailSeq(view: View, id: string): Answer<Seq> {
  const named = readId(id, view.tail);
  return named === null || named.part !== null ? refused(notFound("Email")) : done(named.seq);
}

/** The Message-ID of an email, read from its row. */
export function messageIdOf({ detail }: Pick<ContentRow, "detail">): string {
  return ownJson<{ message_id: string }>(detail).message_id;
}

/** Time when a message was received, in ISO 8601. */
export function receivedAt(seq: Seq): string {
  return new Date(seqTime(seq)).toISOString();
}

/** The constant part of a listing, parsed. */
export function listingOf(row: { listing: string }): Listing {
  return ownJson<Listing>(row.listing);
}

/** One email of a listing as JSON text (EmailSummary). The constant part is stored as text; `summaryOpening` comes before it. */
export function summaryText(row: MessageRow, view: View, isUnsent: boolean): JsonText<EmailSummary> {
  return summaryOpening(row, view, isUnsent) + wholeListing(row.listing).slice(1);
}

/**
 * A listing as it is shown, of those that `SUMMARY` reads: they all begin with `sender_verified`. Listings of releases that had
 * no limit for texts lack `text_truncated`; their texts are complete.
 */
export function wholeListing(listing: string): string {
  const second = listing.indexOf(",") + 1;
  if (listing.startsWith('"text_truncated":', second)) return listing;
  return `${listing.slice(0, second)}"text_truncated":false,${listing.slice(second)}`;
}

const JUDGED_OPENING = '{"authentication":';

/** The stored members of an email. Those of releases that did not judge senders begin with `message_id`. */
function wholeDetail({ detail }: ContentRow): string {
  if (detail.startsWith(JUDGED_OPENING)) return detail;
  const { authentication, ...others } = ownJson<StoredDetail>(detail);
  return JSON.stringify({ authentication: wholeAuthentication(authentication), ...others });
}

type StoredDetail = { authentication: StoredAuthentication };

/**
 * The members before the stored part of a listing. No value needs escaping: they are ids, times, a status, and labels that
 * are stored as JSON. `isUnsent`: some recipient gets nothing because no transport is configured.
 */
export function summaryOpening(row: MessageRow, view: View, isUnsent: boolean): string {
  const id = idOf(row.seq, view.tail);
  const thread = row.thread === row.seq ? id : idOf(row.thread, view.tail);
  const keptHere = isUnsent ? ',"kept_here":true' : "";
  return `{"id":"${id}","thread_id":"${thread}","mailbox":"${view.mailbox}","status":"${row.status}"${keptHere},"received_at":"${receivedAt(row.seq)}","labels":${row.labels},`;
}

export function threadOf(
  row: MessageRow & { message_count: number; participants: string },
  view: View,
): ThreadSummary {
  const { subject, from_address, from_name, code, has_attachments } = listingOf(row);
  return {
    thread_id: idOf(row.thread, view.tail),
    latest_email_id: idOf(row.seq, view.tail),
    subject,
    from_address,
    from_name,
    received_at: receivedAt(row.seq),
    code,
    has_attachments,
    message_count: row.message_count,
    participants: ownJson<string[]>(row.participants),
  };
}

/**
 * One email as JSON text, without the body if that is stored in a blob. `detail` and `body` are stored JSON objects whose
 * members are copied as text, so a body of 200 KB is not parsed and serialized again.
 */
export function emailText(
  row: MessageRow & ContentRow,
  view: View,
  more: { downloadable: boolean; delivery: readonly Delivery[] },
): string {
  const attachments = row.attachments === "[]" ? [] : attachmentsOf(row, view, more.downloadable);
  const names = JSON.stringify(attachments.map((attachment) => attachment.filename).join(", "));
  const texts = attachments.flatMap(({ text_content }) => (text_content === "" ? [] : [text_content]));
  const searched = JSON.stringify(texts.join("\n"));
  const files = `"attachments":${JSON.stringify(attachments)},"attachment_names":${names},"attachment_search_text":${searched}`;
  const fate = `"delivery":${JSON.stringify(more.delivery)},"link":${JSON.stringify(row.link)}`;
  const size = `"size_bytes":${row.size_bytes},"created_at":"${receivedAt(row.seq)}"`;
  const body = row.body === null ? "" : `,${members(row.body)}`;
  const isUnsent = more.delivery.some(({ kept_here }) => kept_here === true);
  return `${summaryOpening(row, view, isUnsent)}${members(wholeListing(row.listing))},${members(wholeDetail(row))}${body},${files},${fate},${size}}`;
}

/** The members of a JSON object that is not empty, as text. */
const members = (object: string): string => object.slice(1, -1);

function attachmentsOf(row: MessageRow & ContentRow, view: View, downloadable: boolean): Attachment[] {
  return storedAttachments(row).map((stored, part) => ({
    id: idOf(row.seq, view.tail, part),
    email_id: idOf(row.seq, view.tail),
    filename: stored.filename,
    content_type: stored.contentType,
    size_bytes: stored.sizeBytes,
    content_disposition: stored.disposition,
    content_id: stored.contentId,
    mime_part_index: part,
    text_content: stored.text ?? "",
    text_extraction_status: extractionOf(stored),
    downloadable,
    created_at: receivedAt(row.seq),
  }));
}

function extractionOf({ text, isTooLarge }: StoredAttachment): Attachment["text_extraction_status"] {
  if (isTooLarge === true) return "too_large";
  return text === undefined ? "unsupported" : "done";
}

export function storedAttachments(row: ContentRow): StoredAttachment[] {
  return ownJson<StoredAttachment[]>(row.attachments);
}
