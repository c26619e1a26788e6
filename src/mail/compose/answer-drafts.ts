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

/** A message to send, its files not looked for yet. */
export interface Written {
  draft: Omit<Draft, "attachments">;
  files: readonly OutgoingFile[];
  ancestry: Ancestry;
  /** Id of the email that it answers or passes on, whose thread it joins; null for none. */
  answered: string | null;
}

/** An email of the mailbox that is to be answered or passed on. */
export interface AnsweredEmail {
  email: Email;
  /** Verified domains of the mailbox: their addresses are its own. */
  ownDomains: readonly string[];
}

/**
 * A message as it was asked for, which says that it answers `inReplyTo`; `answered` is what bears that id, null if the mailbox
 * holds none. 400 where a machine would answer a machine.
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
    return refused({ code: "invalid", error: "This email names no address that can be replied to" });
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

/** An email of the mailbox, passed on below what the request says, its files along unless that is declined. */
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

/** What an email says of itself that is answered. */
function mailOf({ headers, body_text, body_html }: Email): AnsweredMail {
  return answeredMail({ headers, text: body_text, html: body_html });
}

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

/**
 * The address under which its correspondent knows the mailbox, a tag of it or one of its domain's: the answer comes from there.
 * None where it is not its own.
 */
function ownAddressOf({ direction, to_address, from_address }: Email, isOwn: IsOwn): string[] {
  const own = direction === "inbound" ? to_address : from_address;
  // Reports about one message go to a tag of the service's making, and nobody else should.
  return isOwn(own) && returnPathToken(own) === null ? [own] : [];
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
