import type { Email } from "../contract/message.ts";
import { invalid, type Answer } from "../contract/problem.ts";
import { MAX_ATTACHMENTS, type ForwardBody, type OutgoingFile, type ReplyBody } from "../contract/sending.ts";
import { done, refused } from "../lib/outcome.ts";
import { domainOf } from "./address.ts";
import {
  ancestryOfAnswer,
  answeredMail,
  answerRecipients,
  answerSubject,
  forwardSubject,
  type Ancestry,
  type AnsweredMail,
  type AnswerRecipients,
} from "./answered-mail.ts";
import { automaticAnswerFault } from "./automatic.ts";
import { isOwnAddress, saysAutomatic, sendableFile, type Draft } from "./outgoing.ts";
import { forwardedBodies, withQuote } from "./quoting.ts";

/** A message to send, its files not looked for yet. */
export interface Written {
  draft: Omit<Draft, "attachments">;
  files: readonly OutgoingFile[];
  ancestry: Ancestry;
  /** Id of the email that it answers or passes on, whose thread it joins; null for none. */
  answered: string | null;
}

/** An email of the mailbox that is to be answered. */
export interface AnsweredEmail {
  email: Email;
  /** Verified domains of the mailbox: their addresses are its own. */
  ownDomains: readonly string[];
}

/** An answer to an email of the mailbox, from the address that it was for. 400 where nobody can be answered, or a machine would answer a machine. */
export function replyDraft({ email, ownDomains }: AnsweredEmail, body: ReplyBody): Answer<Written> {
  const { reply_all, quote, attachments, cc, ...rest } = body;
  const mail = mailOf(email);
  const isOwn = isOwnAddress(email.mailbox, ownDomains);
  const fault = saysAutomatic({ headers: fieldsOf(body.headers) }) ? machineFault(email, isOwn) : null;
  if (fault !== null) return refused(invalid("headers.Auto-Submitted", fault));
  const recipients = recipientsOf(email, mail, { isOwn, all: reply_all });
  if (recipients.to.length + recipients.cc.length === 0) {
    return refused({ code: "invalid", error: "This email names no address that can be replied to" });
  }
  const draft = {
    ...rest,
    from: body.from.length > 0 ? body.from : ownAddressOf(email, ownDomains),
    to: recipients.to,
    cc: [...recipients.cc, ...cc],
    subject: answerSubject(mail.subject),
    ...(quote ? withQuote(body, mail) : {}),
  };
  return done({ draft, files: attachments, ancestry: ancestryOfAnswer(mail), answered: email.id });
}

/** An email of the mailbox, passed on below what the request says, its files along unless that is declined. */
export function forwardDraft(email: Email, body: ForwardBody): Answer<Written> {
  const { with_attachments, attachments, ...rest } = body;
  const mail = mailOf(email);
  const files = [...attachments, ...(with_attachments ? filesOf(email) : [])];
  if (files.length > MAX_ATTACHMENTS) {
    const rule = `must be at most ${MAX_ATTACHMENTS} files, those of the email included`;
    return refused(invalid("attachments", rule));
  }
  const draft = { ...rest, subject: forwardSubject(mail.subject), ...forwardedBodies(body, mail) };
  // It belongs to the thread, but answers nobody (RFC 5322 §3.6.4).
  const ancestry = { ...ancestryOfAnswer(mail), inReplyTo: null };
  return done({ draft, files, ancestry, answered: email.id });
}

/** What an email says of itself that is answered. */
export function mailOf({ headers, body_text, body_html }: Email): AnsweredMail {
  return answeredMail({ headers, text: body_text, html: body_html });
}

/**
 * Who wrote to an address of a domain of ours is answered from it, and what was sent from there is followed up from there;
 * none is the mailbox's own address.
 */
function ownAddressOf(email: Email, ownDomains: readonly string[]): string[] {
  const address = email.direction === "inbound" ? email.to_address : email.from_address;
  return ownDomains.includes(domainOf(address.toLowerCase())) ? [address] : [];
}

type IsOwn = (address: string) => boolean;

/** Of a message of our own its recipients, whatever it says of where answers go; of any other whoever it names. */
function recipientsOf(
  email: Email,
  mail: AnsweredMail,
  { isOwn, all }: { isOwn: IsOwn; all: boolean },
): AnswerRecipients {
  if (email.direction === "inbound") return answerRecipients(mail, isOwn, all);
  const ourselves = { name: "", address: email.mailbox };
  return answerRecipients({ ...mail, from: ourselves, replyTo: [] }, isOwn, all);
}

function machineFault(email: Email, isOwn: IsOwn): string | null {
  const { headers, subject, from_address, metadata } = email;
  const heading = { headers, subject, fromAddress: from_address, envelopeFrom: metadata.envelope_from };
  const fault = automaticAnswerFault(heading, isOwn);
  return fault === null ? null : `must not stand in a reply to this email: ${fault}`;
}

function fieldsOf(headers: ReplyBody["headers"]) {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}

function filesOf({ attachments, body_html }: Email): OutgoingFile[] {
  return attachments.map(({ id, filename, content_type, content_id }, index) => {
    // Mail programs name files that no page shows, too; sent as a part of the page they would be hidden.
    const isShown = content_id !== null && shows(body_html, content_id);
    const named = { filename, contentType: content_type, contentId: isShown ? content_id : null };
    return { ...sendableFile(named, index), attachment_id: id };
  });
}

/** Whether a page refers to a part (RFC 2392), its id as it is or encoded. */
function shows(html: string, contentId: string): boolean {
  return [contentId, encodeURIComponent(contentId)].some((id) => html.includes(`cid:${id}`));
}
