import type { Email } from "../../contract/message.ts";
import { invalid, type Answer } from "../../contract/problem.ts";
import {
  MAX_ATTACHMENTS,
  type ForwardBody,
  type OutgoingFile,
  type ReplyBody,
  type SendBody,
} from "../../contract/sending.ts";
import { done, refused } from "../../lib/outcome.ts";
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
import { automaticAnswerProblem, automaticRecipients, goesBack, isByMachine } from "./automatic-answer.ts";
import { isOwnAddress, sendableFile, type Draft } from "./outgoing.ts";
import { forwardedBodies, withQuote } from "./quoting.ts";
import { returnPathToken } from "../address/return-path.ts";

/** A message to send whose files have not been loaded yet. */
export interface Written {
  draft: Omit<Draft, "attachments">;
  files: readonly OutgoingFile[];
  ancestry: Ancestry;
  /** Id of the email that it answers or forwards, whose thread it joins; null for none. */
  answered: string | null;
}

/** An email of the mailbox that is to be answered or forwarded. */
export interface AnsweredEmail {
  email: Email;
  /** Verified domains of the mailbox: their addresses are its own. */
  ownDomains: readonly string[];
}

/**
 * The message that a request describes. `inReplyTo` is the Message-ID it answers; `answered` is the email with that id, null if
 * the mailbox has none. 400 where a machine would answer a machine.
 */
export function sendDraft(
  body: SendBody,
  inReplyTo: string | null,
  answered: AnsweredEmail | null,
): Answer<Written> {
  const { attachments: files, in_reply_to: _, ...draft } = body;
  if (answered === null) {
    const references = inReplyTo === null ? [] : [inReplyTo];
    return done({ draft, files, ancestry: { inReplyTo, references }, answered: null });
  }
  const { email } = answered;
  const problem = automaticAnswerProblem(email, isOwnTo(answered), body, "an answer to");
  if (problem !== null) return refused(problem);
  return done({ draft, files, ancestry: ancestryOfAnswer(mailOf(email)), answered: email.id });
}

/** An answer to an email of the mailbox. 400 where nobody can be answered, or a machine would answer a machine. */
export function replyDraft(answered: AnsweredEmail, body: ReplyBody): Answer<Written> {
  const { reply_all, quote, attachments, cc, from, ...rest } = body;
  const { email } = answered;
  const isOwn = isOwnTo(answered);
  const mail = mailOf(email);
  const problem = automaticAnswerProblem(email, isOwn, body, "a reply to");
  if (problem !== null) return refused(problem);
  const isAutomatic = email.direction === "inbound" && isByMachine(body);
  if (isAutomatic && reply_all) {
    return refused(
      invalid("reply_all", "must not be set in an automatic reply, which its sender alone gets"),
    );
  }
  const recipients = isAutomatic
    ? automaticRecipients(email, mail)
    : recipientsOf(email, mail, { isOwn, all: reply_all });
  if (recipients.to.length + recipients.cc.length === 0) {
    return refused({
      code: "invalid",
      error: "This email names no address that can be replied to",
      fix: "Write to an address that you know, with POST /v1/send.",
    });
  }
  const draft = {
    ...rest,
    from: from.length > 0 ? from : ownAddressOf(email, isOwn),
    to: recipients.to,
    cc: [...recipients.cc, ...cc],
    subject: answerSubject(mail.subject),
    ...(quote ? withQuote(body, mail) : {}),
  };
  return done({ draft, files: attachments, ancestry: ancestryOfAnswer(mail), answered: email.id });
}

/** A forward: the email of the mailbox below the text of the request, with its files unless the request declines them. */
export function forwardDraft(passedOn: AnsweredEmail, body: ForwardBody): Answer<Written> {
  const { with_attachments, attachments, ...rest } = body;
  const { email } = passedOn;
  const mail = mailOf(email);
  const problem = goesBack(email, mail, body)
    ? automaticAnswerProblem(email, isOwnTo(passedOn), body, "a forward back of")
    : null;
  if (problem !== null) return refused(problem);
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

type IsOwn = (address: string) => boolean;

function isOwnTo({ email, ownDomains }: AnsweredEmail): IsOwn {
  return isOwnAddress(email.mailbox, ownDomains);
}

/** The parts of an email that an answer needs. */
function mailOf({ headers, body_text, body_html }: Email): AnsweredMail {
  return answeredMail({ headers, text: body_text, html: body_html });
}

/**
 * The recipients of a reply: for a sent message its own recipients, regardless of its Reply-To; for a received one those it
 * names.
 */
function recipientsOf(
  email: Email,
  mail: AnsweredMail,
  { isOwn, all }: { isOwn: IsOwn; all: boolean },
): AnswerRecipients {
  if (email.direction === "inbound") return answerRecipients(mail, isOwn, all);
  const ourselves = { name: "", address: email.mailbox };
  return answerRecipients({ ...mail, from: ourselves, replyTo: [] }, isOwn, all);
}

/**
 * The address under which the correspondent knows the mailbox: its own, a tag of it or one at its domain. The answer comes
 * from there. Empty where the stored address is not the mailbox's.
 */
function ownAddressOf({ direction, to_address, from_address }: Email, isOwn: IsOwn): string[] {
  const own = direction === "inbound" ? to_address : from_address;
  // Return paths are for reports only, so no answer comes from one.
  return isOwn(own) && returnPathToken(own) === null ? [own] : [];
}

function filesOf({ attachments, body_html }: Email): OutgoingFile[] {
  return attachments.map(({ id, filename, content_type, content_id }, index) => {
    // Mail programs give ids to files that the HTML does not show; such a file must stay a visible attachment.
    const isShown = content_id !== null && shows(body_html, content_id);
    const named = { filename, contentType: content_type, contentId: isShown ? content_id : null };
    return { ...sendableFile(named, index), attachment_id: id };
  });
}

/** Whether a page refers to a part (RFC 2392), its id as it is or encoded. */
function shows(html: string, contentId: string): boolean {
  return [contentId, encodeURIComponent(contentId)].some((id) => html.includes(`cid:${id}`));
}
