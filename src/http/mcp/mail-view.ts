import type { Attachment, EmailSummary } from "../../contract/message.ts";
import type { EmailLink, EmailView } from "../../contract/view.ts";
import { defaultFilename } from "../../mail/mime/attachment-name.ts";
import type { ViewedEmail } from "../../service/view-mail.ts";
import type { File, Link, Mail, Summary, ThreadMail } from "./shapes.ts";

/** One email of a list. */
export function summaryOf(email: EmailSummary): Summary {
  return {
    id: email.id,
    from: shownAddress(email.from_address),
    sender_verified: email.sender_verified,
    received_at: email.received_at,
    untrusted_subject: email.subject,
    untrusted_snippet: email.snippet,
    has_attachments: email.has_attachments,
    code: email.code,
    labels: email.labels,
    thread_id: email.thread_id,
  };
}

/** An email as a model reads it; `links` have addresses where they were asked for. */
export function mailOf(
  { email, view, links }: { email: ViewedEmail; view: EmailView; links: readonly EmailLink[] },
  withUrls: boolean,
): Mail {
  return {
    ...threadMailOf(email, view),
    hidden: view.hidden,
    ...(view.hidden_texts === undefined
      ? {}
      : { hidden_texts: view.hidden_texts.map(({ kind, text }) => ({ kind, untrusted_text: text })) }),
    links: links.map((link) => linkOf(link, withUrls)),
    attachments: email.attachments.map(fileOf),
    thread_id: email.thread_id,
    code: email.code,
  };
}

/** One email of a thread. */
export function threadMailOf(
  email: ViewedEmail,
  { subject, text, omitted_tokens }: Pick<EmailView, "subject" | "text" | "omitted_tokens">,
): ThreadMail {
  return {
    id: email.id,
    from: shownAddress(email.from_address),
    sender_verified: email.sender_verified,
    received_at: email.received_at,
    untrusted_subject: subject,
    untrusted_text: text,
    omitted_tokens,
  };
}

function linkOf({ n, host, text, flags, url }: EmailLink, withUrl: boolean): Link {
  return {
    n,
    host,
    untrusted_label: text,
    flags,
    ...(withUrl ? { untrusted_url: url.toWellFormed() } : {}),
  };
}

function fileOf({ id, filename, content_type, size_bytes, mime_part_index }: Attachment): File {
  return {
    id,
    filename: shownFilename(filename, mime_part_index, content_type),
    untrusted_filename: filename,
    content_type: shownMediaType(content_type),
    size_bytes,
  };
}

/** The most characters of an address (RFC 5321 §4.5.3.1.3). */
const MAX_ADDRESS_CHARS = 254;

/** The address if the text is a plain address, else "". */
export function shownAddress(text: string): string {
  const isAddress =
    text.length <= MAX_ADDRESS_CHARS &&
    /^[^\s\p{C}\p{Z}<>()"',;:@[\]\\]+@[^\s\p{C}\p{Z}<>()"',;:@[\]\\]+$/u.test(text);
  return isAddress ? text : "";
}

/** Names of files that are a word and no sentence. */
const PLAIN_FILENAME = /^\w[\w.-]{0,39}$/;

/** A name to save a file under: its own if that is a plain word, else one made of its place and type. */
export function shownFilename(filename: string, part: number, contentType: string): string {
  return PLAIN_FILENAME.test(filename) ? filename : defaultFilename(part, shownMediaType(contentType));
}

const PLAIN_MEDIA_TYPE = /^[a-z]{1,20}\/[a-z0-9.+-]{1,80}$/;

/** A media type without its parameters. */
export function shownMediaType(contentType: string): string {
  const [type = ""] = contentType.toLowerCase().split(";", 1);
  return PLAIN_MEDIA_TYPE.test(type.trim()) ? type.trim() : "application/octet-stream";
}
