import type { Attempt } from "./attempt.ts";
import { isAscii, isPath } from "./envelope.ts";
import { diagnosticOf, verdictOf, withoutReply } from "./reply.ts";
import type { Verdict } from "./reply.ts";
import { SmtpFailure } from "./smtp-failure.ts";
import type { OutboundMail, RecipientResult } from "./transport.ts";

/** The result for an address that SMTP commands cannot carry. */
export const NOT_SENDABLE: Verdict = withoutReply("impossible", "This is no address that SMTP can carry");

/** The recipients whose addresses SMTP commands can carry. */
export function sendableRecipients(mail: OutboundMail): string[] {
  return mail.recipients.filter((recipient) => isSendable(recipient, mail));
}

/** Why no attempt can succeed, as a sentence for the sender; null if one may. */
export function faultOf(mail: OutboundMail, maxBytes: number): string | null {
  if (mail.sizeBytes > maxBytes) return `The message is larger than ${maxBytes} bytes`;
  if (mail.returnPath !== "" && !isSendable(mail.returnPath, mail)) return "The return path is no address";
  return null;
}

/** The sentence for a message that exceeds the relay's limit; null if it does not. */
export function tooLargeFor(maxBytes: number | null, { sizeBytes }: OutboundMail): string | null {
  if (maxBytes === null || sizeBytes <= maxBytes) return null;
  return `The message has ${sizeBytes} bytes, and the relay takes ${maxBytes}`;
}

/** Results in the order of the recipients: for those in `refused` by the reply to each, for all others `verdict`. */
export function resultsOf(
  mail: OutboundMail,
  refused: ReadonlyMap<string, string>,
  verdict: Verdict,
): RecipientResult[] {
  // An answer about several recipients does not say whose address is wrong.
  const isShared = verdict.fault === "address" && mail.recipients.length > 1;
  const others: Verdict = isShared ? { ...verdict, fault: "recipient" } : verdict;
  return mail.recipients.map((recipient) => {
    if (!isSendable(recipient, mail)) return { recipient, ...NOT_SENDABLE };
    const own = verdictOf(refused.get(recipient) ?? "", "recipient");
    // A reply that is not a refusal here cannot be interpreted.
    return { recipient, ...(own !== null && own.result.kind !== "taken" ? hinted(own) : others) };
  });
}

/** The same result for all recipients. */
export function sameForAll(mail: OutboundMail, verdict: Verdict): RecipientResult[] {
  return mail.recipients.map((recipient) => ({ recipient, ...verdict }));
}

/** The result of a failure for all recipients that were not refused before it. */
export function failureVerdict(error: unknown, attempt: Attempt): Verdict {
  if (error instanceof SmtpFailure) {
    const verdict = verdictOf(error.reply, attempt.mayBeTaken ? "message" : error.about);
    if (verdict !== null && verdict.result.kind !== "taken") return hinted(verdict, error.hint);
  }
  const what = error instanceof Error ? error.message : String(error);
  if (attempt.mayBeTaken) return withoutReply("unanswered", what);
  // An unreachable or silent relay is the operator's fault; an error of this service is nobody's.
  const isRelays = error instanceof SmtpFailure || attempt.isLate;
  const hint = error instanceof SmtpFailure ? error.hint : null;
  return hinted(withoutReply("deferred", what, isRelays ? "us" : null), hint);
}

/** Characters of a reply that are kept before a hint. */
const MAX_HINTED_CHARS = 250;

/** Adds a hint about the setting at fault to the diagnostic, if one is known. */
function hinted(verdict: Verdict, known: string | null = null): Verdict {
  const hint = known ?? settingAtFault(verdict);
  if (hint === null) return verdict;
  const said = Array.from(verdict.diagnostic).slice(0, MAX_HINTED_CHARS).join("");
  return { ...verdict, diagnostic: diagnosticOf(`${said} (${hint})`) };
}

/** The setting at fault, by the reply (RFC 3207 §4, RFC 4954 §6); null if none is known. */
function settingAtFault({ code, diagnostic }: Verdict): string | null {
  if (code === 530 && /starttls|encrypt|\btls\b/i.test(diagnostic))
    return "the relay wants encryption: take ?ignoreTLS=true out of SMTP_URL";
  if (code === 530) return "the relay wants a login: SMTP_URL takes one as smtp://user:password@host:port";
  return code === 534 || code === 535 || code === 538 ? "see the user and the password in SMTP_URL" : null;
}

/**
 * Whether a reused session ended before the relay received anything of this message, so that another session may carry it.
 * A relay may end a session at any time, with 421 or without a reply (RFC 5321 §3.8).
 */
export function endedBetweenMessages(
  error: unknown,
  attempt: Attempt,
  refused: ReadonlyMap<string, string>,
): boolean {
  if (attempt.signal.aborted || attempt.mayBeTaken || refused.size > 0) return false;
  return error instanceof SmtpFailure && (error.reply === "" || error.reply.startsWith("421"));
}

/** Whether SMTP commands can carry this address; one that is not ASCII needs SMTPUTF8 for the whole message. */
function isSendable(address: string, mail: OutboundMail): boolean {
  return isPath(address) && (mail.needsSmtpUtf8 || isAscii(address));
}
