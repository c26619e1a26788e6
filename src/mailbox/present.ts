import type { Attachment, EmailSummary, ThreadSummary } from "../contract/message.ts";
import { idOf, seqTime, type Seq } from "../lib/ids.ts";
import type { StoredAttachment } from "../mail/prepared-mail.ts";
import type { ContentRow, MessageRow } from "./schema.ts";

/**
 * JSON text of a `Shape`. Reads cross the RPC as text and leave the router as they are: one serialisation where
 * structured cloning would make three.
 */
export type JsonText<Shape> = string & { readonly shape?: Shape };

/** Serialises `value`, keeping its type in mind. */
export function jsonText<Shape>(value: Shape): JsonText<Shape> {
  return JSON.stringify(value);
}

/** What rows need to become wire records. */
export interface View {
  /** Address of the mailbox. */
  mailbox: string;
  /** Its part of every id (`idTail`). */
  tail: bigint;
}

/** ISO 8601 of the time a message was received. */
export function receivedAt(seq: Seq): string {
  return new Date(seqTime(seq)).toISOString();
}

export function summaryOf(row: MessageRow, view: View): EmailSummary {
  return {
    id: idOf(row.seq, view.tail),
    mailbox: view.mailbox,
    from_address: row.from_address,
    from_name: row.from_name,
    to_address: row.to_address,
    subject: row.subject,
    snippet: row.snippet,
    code: row.code,
    direction: row.direction,
    status: row.status,
    received_at: receivedAt(row.seq),
    has_attachments: row.attachment_count > 0,
    attachment_count: row.attachment_count,
    labels: JSON.parse(row.labels) as string[],
    thread_id: idOf(row.thread, view.tail),
  };
}

export function threadOf(
  row: MessageRow & { message_count: number; participants: string },
  view: View,
): ThreadSummary {
  return {
    thread_id: idOf(row.thread, view.tail),
    latest_email_id: idOf(row.seq, view.tail),
    subject: row.subject,
    from_address: row.from_address,
    from_name: row.from_name,
    received_at: receivedAt(row.seq),
    code: row.code,
    has_attachments: row.attachment_count > 0,
    message_count: row.message_count,
    participants: JSON.parse(row.participants) as string[],
  };
}

/**
 * One email as JSON text without the body where that lies in the raw message. `detail` and `body` are JSON objects that
 * ingest wrote, so their members are spliced in as text: a body of 200 KB is not parsed to be written again.
 */
export function emailText(row: MessageRow & ContentRow, view: View, downloadable: boolean): string {
  const attachments = attachmentsOf(row, view, downloadable);
  const rest = {
    attachments,
    delivery: [],
    size_bytes: row.size_bytes,
    created_at: receivedAt(row.seq),
    attachment_names: attachments.map((attachment) => attachment.filename).join(", "),
    attachment_search_text: "",
  };
  const members = [JSON.stringify(summaryOf(row, view)), row.detail, row.body ?? "{}", JSON.stringify(rest)];
  const inner = members.map((object) => object.slice(1, -1)).filter((object) => object !== "");
  return `{${inner.join(",")}}`;
}

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
    text_content: "",
    text_extraction_status: "unsupported",
    downloadable,
    created_at: receivedAt(row.seq),
  }));
}

export function storedAttachments(row: ContentRow): StoredAttachment[] {
  return JSON.parse(row.attachments) as StoredAttachment[];
}
