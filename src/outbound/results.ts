import type { Attempt } from "./attempt.ts";
import { isAscii, isPath } from "./envelope.ts";
import { isAboutLogin, recipientVerdict, verdictOf, withoutReply } from "./reply.ts";
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
  return mail.recipients.map((recipient) => {
    if (!isSayable(recipient, mail)) return { recipient, ...NOT_SAYABLE };
    const own = recipientVerdict(refused.get(recipient) ?? "");
    // A reply of another kind was no refusal, only none that anybody can read.
    return { recipient, ...(own !== null && own.result.kind !== "taken" ? own : verdict) };
  });
}

/** The same for all. */
export function everybody(mail: OutboundMail, verdict: Verdict): RecipientResult[] {
  return mail.recipients.map((recipient) => ({ recipient, ...verdict }));
}

/** What a failure says of all recipients that were not refused before it. */
export function failureVerdict(error: unknown, attempt: Attempt): Verdict {
  const verdict = error instanceof SmtpFailure ? verdictOf(error.reply) : null;
  if (error instanceof SmtpFailure && verdict !== null && verdict.result.kind !== "taken") {
    // What the relay has against us is mended by the operator, in the hours that a message is retried.
    const isOurs = !attempt.mayBeTaken && (error.about === "session" || isAboutLogin(verdict.code));
    return isOurs ? { ...verdict, result: { kind: "deferred" } } : verdict;
  }
  const what = error instanceof Error ? error.message : String(error);
  return withoutReply(attempt.mayBeTaken ? "unanswered" : "deferred", what);
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
