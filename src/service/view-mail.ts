import { randomBytes } from "node:crypto";
import { MAX_BODY_BYTES } from "../contract/limits.ts";
import type { Email } from "../contract/message.ts";
import { notFound, type Answer } from "../contract/problem.ts";
import type { EmailLink, EmailView, ThreadView } from "../contract/view.ts";
import { ownJson } from "../lib/json-text.ts";
import { done, refused } from "../lib/outcome.ts";
import { viewOfSeen, type ViewOptions } from "../mail/view/mail-view.ts";
import { seenMail, type SeenMail } from "../mail/view/seen-mail.ts";
import { threadViews } from "../mail/view/thread-view.ts";
import type { EmailAnswer } from "../mailbox/reading/reading.ts";
import { textsOf, type MailboxAccess } from "./message-source.ts";

/** The budget and the additions that a caller asks for. */
export interface ViewWish {
  budget: number;
  include: readonly ("hidden" | "quoted")[];
}

/** Members of an email's JSON that a view is made of, beside its texts. */
export type ViewedEmail = Omit<Email, "body_text" | "body_html" | "headers">;

/** The view of an email. It is computed at each call and not stored. */
export async function viewEmail(
  to: MailboxAccess,
  id: string,
  wish: ViewWish,
): Promise<Answer<{ email: ViewedEmail; view: EmailView; links: EmailLink[] }>> {
  const found = await to.mailbox.readEmail(to.access, id);
  if (!found.ok) return found;
  const { email, seen } = await seenEmail(to, found.value);
  const nonce = newNonce();
  const view = viewOfSeen(seen, { ...optionsOf(wish, nonce), code: email.code });
  const shown = { id: email.id, ...view, links: view.links.map(withoutUrl), nonce };
  return done({ email, view: shown, links: view.links });
}

/** A link of an email by its number. */
export async function linkOfEmail(to: MailboxAccess, id: string, n: string): Promise<Answer<EmailLink>> {
  const found = await to.mailbox.readEmail(to.access, id);
  if (!found.ok) return found;
  const { seen } = await seenEmail(to, found.value);
  const link = seen.links.find((one) => String(one.n) === n);
  return link === undefined ? refused(notFound("Link")) : done(link);
}

/** The newest emails of a thread that are looked at, and how long their bodies are together, in characters. */
const MAX_EMAILS = 30;
const MAX_THREAD_CHARS = 3_000_000;

/** The view of a thread. */
export async function viewThread(
  to: MailboxAccess,
  id: string,
  budget: number,
): Promise<Answer<{ emails: ViewedEmail[]; view: ThreadView }>> {
  const found = await to.mailbox.thread(to.access, { id, limit: MAX_EMAILS, cursor: null });
  if (!found.ok) return found;
  const { threadId, emails, nextCursor } = found.value;
  const read: { email: ViewedEmail; seen: SeenMail }[] = [];
  let left = MAX_THREAD_CHARS;
  for (const answer of emails.toReversed()) {
    if (left <= 0) break;
    const one = await seenEmail(to, answer);
    read.unshift(one);
    left -= one.chars;
  }
  const nonce = newNonce();
  const mails = read.map(({ seen, email }) => ({ seen, code: email.code }));
  const views = threadViews(mails, optionsOf({ budget, include: [] }, nonce));
  const shown = views.map((view, at) => {
    const {
      id: emailId = "",
      from_address = "",
      sender_verified = false,
      received_at = "",
    } = read[at]?.email ?? {};
    const about = { id: emailId, from_address, sender_verified, received_at };
    return { ...about, ...view, links: view.links.map(withoutUrl) };
  });
  const total = (of: "tokens" | "omitted_tokens") => views.reduce((sum, view) => sum + view[of], 0);
  const view = {
    thread_id: threadId,
    emails: shown,
    tokens: total("tokens"),
    omitted_tokens: total("omitted_tokens"),
    has_older: nextCursor !== null || read.length < emails.length,
    nonce,
  };
  return done({ emails: read.map(({ email }) => email), view });
}

async function seenEmail(
  to: MailboxAccess,
  answer: EmailAnswer,
): Promise<{ email: ViewedEmail; seen: SeenMail; chars: number }> {
  const email = ownJson<ViewedEmail>(answer.text);
  const texts = await textsOf(to, answer, { textChars: MAX_BODY_BYTES, htmlChars: MAX_BODY_BYTES });
  const seen = seenMail({ subject: email.subject, ...texts });
  return {
    email,
    seen: { ...seen, isCut: seen.isCut || email.text_truncated },
    chars: texts.html.length || texts.text.length,
  };
}

function optionsOf({ budget, include }: ViewWish, nonce: string): Omit<ViewOptions, "code"> {
  return { budget, quoted: include.includes("quoted"), hidden: include.includes("hidden"), nonce };
}

function withoutUrl({ n, host, text, flags }: EmailLink): Omit<EmailLink, "url"> {
  return { n, host, text, flags };
}

/** Digits of a nonce: three of them are one token. */
const NONCE_DIGITS = 12;

/** Random digits, which no mail can contain on purpose, because they are chosen after it was written. */
function newNonce(): string {
  return String(randomBytes(8).readBigUInt64BE() % 10n ** BigInt(NONCE_DIGITS)).padStart(NONCE_DIGITS, "0");
}
