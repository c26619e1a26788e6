import type { HandOver } from "./ledger.ts";
import type { RecipientResult } from "./transport.ts";

/** What a reply, or the lack of one, says of a recipient. */
export type Verdict = Omit<RecipientResult, "recipient">;

/** Longest diagnostic that is kept, in characters. */
export const MAX_DIAGNOSTIC_CHARS = 500;
/** What may become one: a reply is read no further. */
const MAX_READ_CHARS = 4 * MAX_DIAGNOSTIC_CHARS;

const REPLY_CODE = /^([2-5][0-9]{2})(?=[ -]|$)/;
/** RFC 3463 §2, at the place RFC 2034 §4 gives it. */
const ENHANCED_CODE = /^[0-9]{3}[ -]([245]\.[0-9]{1,3}\.[0-9]{1,3})(?![0-9.])/;

/** One line of at most {@link MAX_DIAGNOSTIC_CHARS} characters, without control characters. */
export function diagnosticOf(text: string): string {
  const line = text
    .slice(0, MAX_READ_CHARS)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, " ")
    .trim();
  return Array.from(line).slice(0, MAX_DIAGNOSTIC_CHARS).join("");
}

/** The same without a reply. */
export function withoutReply(kind: HandOver["kind"], what: string): Verdict {
  return {
    result: { kind },
    code: null,
    enhancedCode: null,
    diagnostic: diagnosticOf(what),
    aboutRecipient: false,
    providerId: null,
  };
}

/**
 * What an SMTP reply says (RFC 5321 §4.2.1): 2yz taken, 4yz deferred, 5yz refused. Null for what is no reply, and for 3yz,
 * which ends nothing. Lines of a reply are parted by "\n" with or without "\r".
 */
export function verdictOf(reply: string): Verdict | null {
  const code = codeOf(reply);
  if (code === null || (code >= 300 && code < 400)) return null;
  const enhanced = ENHANCED_CODE.exec(reply)?.[1] ?? null;
  return {
    result: { kind: code < 300 ? "taken" : code < 500 ? "deferred" : "refused" },
    code,
    // One of another class than the reply's says nothing that can be trusted.
    enhancedCode: enhanced !== null && enhanced.startsWith(String(code).charAt(0)) ? enhanced : null,
    diagnostic: diagnosticOf(unfolded(reply)),
    aboutRecipient: false,
    providerId: null,
  };
}

/** What the reply to RCPT TO says of its recipient. */
export function recipientVerdict(reply: string): Verdict | null {
  const verdict = verdictOf(reply);
  if (verdict === null) return null;
  if (meansTooMany(verdict)) return { ...verdict, result: { kind: "deferred" } };
  return { ...verdict, aboutRecipient: true };
}

/**
 * RFC 4954 §6: what is asked for is a login, so it is our settings that are refused and not the message. An operator may mend
 * them while the message waits; a bounce would blame the recipient.
 */
export function isAboutLogin(code: number | null): boolean {
  return code === 530 || code === 534 || code === 535 || code === 538;
}

/** RFC 5321 §4.5.3.1.10: 552 on a recipient means too many of them, try the rest later, unless an enhanced code says else. */
function meansTooMany({ code, enhancedCode }: Verdict): boolean {
  return code === 552 && (enhancedCode === null || enhancedCode === "5.5.3");
}

/** The code a reply begins with; null if it is none. */
export function codeOf(reply: string): number | null {
  const code = REPLY_CODE.exec(reply)?.[1];
  return code === undefined ? null : Number(code);
}

/** `queued as 4F2A…` (Postfix, Exchange), `OK id=1rAb…` (Exim), `3AK… Message accepted for delivery` (sendmail). */
const TAKEN_AS =
  /^250[ -].*?(?:\bqueued as <?|\bid=)([\w-]{6,64})(?![\w-])|^250[ -](?:2\.\d+\.\d+ )?([\w-]{6,64}) message accepted/i;

/** What the host calls the message that it took, by its reply; null if it does not say. */
export function takenAs(reply: string): string | null {
  const match = TAKEN_AS.exec(reply);
  return match?.[1] ?? match?.[2] ?? null;
}

/** The lines of a reply without the codes that all but the first repeat. */
function unfolded(reply: string): string {
  return reply
    .slice(0, MAX_READ_CHARS)
    .split("\n")
    .map((line, index) => (index === 0 ? line : line.replace(/^[0-9]{3}[ -](?:[245]\.[0-9]+\.[0-9]+ )?/, "")))
    .join(" ");
}
