import type { Attachment, Email, EmailSummary } from "../../contract/message.ts";
import { cutToTokens, estimatedTokens } from "../../lib/token-estimate.ts";
import { htmlLinks, textLinks, type MailLink } from "../../mail/code/mail-links.ts";
import { defaultFilename } from "../../mail/mime/attachment-name.ts";
import type { File, Link, Mail, Summary, ThreadMail } from "./shapes.ts";

/** The most links that an email is shown with; a newsletter has more, and its rest is of no use. */
const MAX_LINKS = 50;

/** One email of a list. Lists do not hold who was verified: reading the email tells. */
export function summaryOf(email: EmailSummary, senderVerified: boolean | null = null): Summary {
  return {
    id: email.id,
    from: shownAddress(email.from_address),
    sender_verified: senderVerified,
    received_at: email.received_at,
    untrusted_subject: email.subject,
    untrusted_snippet: email.snippet,
    has_attachments: email.has_attachments,
    code: email.code,
    labels: email.labels,
    thread_id: email.thread_id,
  };
}

/** Whether DMARC passed (RFC 7489): the domain of the sender's address stands for the email. */
export function isVerified({ authentication }: Email): boolean {
  return authentication?.dmarc === "pass";
}

/** The parts of an email that are shown on request. */
export interface Included {
  /** Quotes of earlier emails, and the signature. */
  quoted: boolean;
  /** The addresses of its links. */
  urls: boolean;
}

/** An email as a model reads it, its text cut to a budget of tokens. */
export function mailOf(email: Email, budget: number, { quoted, urls }: Included): Mail {
  const fresh = quoted || email.text_new.trim() === "" ? email.body_text : email.text_new;
  const links = linksIn(email);
  return {
    ...threadMailOf(email, numbered(fresh, links), budget),
    hidden: null,
    links: links.map(({ url, label }, index) => linkOf(url, label, { n: index + 1, urls })),
    attachments: email.attachments.map(fileOf),
    thread_id: email.thread_id,
    code: email.code,
  };
}

/** The emails of a thread, oldest first. The newest is shown first of all, and the others as far as the budget goes. */
export function threadMailsOf(emails: readonly Email[], budget: number): ThreadMail[] {
  let left = budget;
  const shown = emails.toReversed().map((email) => {
    const mail = threadMailOf(email, email.text_new || email.body_text, left);
    left = Math.max(0, left - estimatedTokens(mail.untrusted_text));
    return mail;
  });
  return shown.reverse();
}

function threadMailOf(email: Email, words: string, budget: number): ThreadMail {
  const { text, omittedTokens } = cutToTokens(words.trim(), budget);
  return {
    id: email.id,
    from: shownAddress(email.from_address),
    sender_verified: isVerified(email),
    received_at: email.received_at,
    untrusted_subject: email.subject,
    untrusted_text: text,
    omitted_tokens: omittedTokens,
  };
}

function linksIn({ body_html, body_text }: Email): MailLink[] {
  return (body_html === "" ? textLinks(body_text) : htmlLinks(body_html)).slice(0, MAX_LINKS);
}

/** A text in which numbers stand for the addresses of links, which may have hundreds of characters each. */
function numbered(text: string, links: readonly MailLink[]): string {
  const numbers = new Map(links.map(({ url }, index) => [url, index + 1]));
  return text.replaceAll(/\((https?:\/\/[^\s()]+)\)/g, (written, url: string) => {
    const number = numbers.get(url);
    return number === undefined ? written : `[${number}]`;
  });
}

function linkOf(url: string, label: string, { n, urls }: { n: number; urls: boolean }): Link {
  return {
    n,
    host: URL.parse(url)?.host ?? "",
    untrusted_label: label.toWellFormed(),
    ...(urls ? { untrusted_url: url.toWellFormed() } : {}),
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
