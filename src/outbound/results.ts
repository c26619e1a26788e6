import type { Attempt } from "./attempt.ts";
import { isAscii, isPath } from "./envelope.ts";
import { diagnosticOf, verdictOf, withoutReply } from "./reply.ts";
import type { Verdict } from "./reply.ts";
import { SmtpFailure } from "./smtp-failure.ts";
import type { OutboundMail, RecipientResult } from "./transport.ts";

/** What comes of a recipient that cannot be said in a command. */
export const NOT_SAYABLE: Verdict = withoutReply("impossible", "This is no address that SMTP can carry");

/** The recipients that can be said in a command, whatever the others are. */
export function sayableRecipients(mail: OutboundMail): string[] {
  return mail.recipients.filter((recipient) => isSayable(recipient, mail));
}

/** What no try changes: null, or a sentence for the sender. */
export function faultOf(mail: OutboundMail, maxBytes: number): string | null {
  if (mail.sizeBytes > maxBytes) return `The message is larger than ${maxBytes} bytes`;
  if (mail.returnPath !== "" && !isSayable(mail.returnPath, mail)) return "The return path is no address";
  return null;
}

/** What a relay that names a limit does not take. */
export function tooLargeFor(maxBytes: number | null, { sizeBytes }: OutboundMail): string | null {
  if (maxBytes === null || sizeBytes <= maxBytes) return null;
  return `The message has ${sizeBytes} bytes, and the relay takes ${maxBytes}`;
}

/** Results in the order of the recipients: of those in `refused`, by the reply to each; of the others, by `verdict`. */
export function resultsOf(
  mail: OutboundMail,
  refused: ReadonlyMap<string, string>,
  verdict: Verdict,
): RecipientResult[] {
  // An answer to a message for several does not say whose address is dead.
  const isShared = verdict.fault === "address" && mail.recipients.length > 1;
  const others: Verdict = isShared ? { ...verdict, fault: "recipient" } : verdict;
  return mail.recipients.map((recipient) => {
    if (!isSayable(recipient, mail)) return { recipient, ...NOT_SAYABLE };
    const own = verdictOf(refused.get(recipient) ?? "", "recipient");
    // A reply of another kind was no refusal, only none that anybody can read.
    return { recipient, ...(own !== null && own.result.kind !== "taken" ? hinted(own) : others) };
  });
}

/** The same for all. */
export function everybody(mail: OutboundMail, verdict: Verdict): RecipientResult[] {
  return mail.recipients.map((recipient) => ({ recipient, ...verdict }));
}

/** What a failure says of all recipients that were not refused before it. */
export function failureVerdict(error: unknown, attempt: Attempt): Verdict {
  if (error instanceof SmtpFailure) {
    const verdict = verdictOf(error.reply, attempt.mayBeTaken ? "message" : error.about);
    if (verdict !== null && verdict.result.kind !== "taken") return hinted(verdict, error.hint);
  }
  const what = error instanceof Error ? error.message : String(error);
  if (attempt.mayBeTaken) return withoutReply("unanswered", what);
  // A relay that is not there, or does not answer, is the operator's; what became of the message here is not.
  const isRelays = error instanceof SmtpFailure || attempt.isLate;
  const hint = error instanceof SmtpFailure ? error.hint : null;
  return hinted(withoutReply("deferred", what, isRelays ? "us" : null), hint);
}

/** Characters of a reply that stay where a hint follows. */
const MAX_HINTED_CHARS = 250;

/** A verdict that names the setting which an operator can mend, where one is known to be at fault. */
function hinted(verdict: Verdict, known: string | null = null): Verdict {
  const hint = known ?? settingAtFault(verdict);
  if (hint === null) return verdict;
  const said = Array.from(verdict.diagnostic).slice(0, MAX_HINTED_CHARS).join("");
  return { ...verdict, diagnostic: diagnosticOf(`${said} (${hint})`) };
}

/** RFC 3207 §4, RFC 4954 §6: what a relay asks for, by its replies. */
function settingAtFault({ code, diagnostic }: Verdict): string | null {
  if (code === 530 && /starttls|encrypt|\btls\b/i.test(diagnostic))
    return "the relay wants encryption: take ?ignoreTLS=true out of SMTP_URL";
  if (code === 530) return "the relay wants a login: SMTP_URL takes one as smtp://user:password@host:port";
  return code === 534 || code === 535 || code === 538 ? "see the user and the password in SMTP_URL" : null;
}

/**
 * Whether a session that had carried a message before was over when the relay heard of this one, which another session may
 * then carry: a relay may end one at any time, with 421 or without a word (RFC 5321 §3.8).
 */
export function endedBetweenMessages(
  error: unknown,
  attempt: Attempt,
  refused: ReadonlyMap<string, string>,
): boolean {
  if (attempt.signal.aborted || attempt.mayBeTaken || refused.size > 0) return false;
  return error instanceof SmtpFailure && (error.reply === "" || error.reply.startsWith("421"));
}

/** An address of another script needs the extension, and the whole message then says so. */
function isSayable(address: string, mail: OutboundMail): boolean {
  return isPath(address) && (mail.needsSmtpUtf8 || isAscii(address));
}
