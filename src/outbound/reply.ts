import { faultOf, type Fault } from "../mail/report/refusal.ts";
import type { HandOver } from "./ledger.ts";
import type { SmtpFailure } from "./smtp-failure.ts";
import type { RecipientResult } from "./transport.ts";

/** The result of a reply, or of a missing reply, for a recipient. */
export type Verdict = Omit<RecipientResult, "recipient">;

/** Longest stored diagnostic, in characters. */
export const MAX_DIAGNOSTIC_CHARS = 500;
/** Characters of a reply that are read. */
const MAX_READ_CHARS = 4 * MAX_DIAGNOSTIC_CHARS;

const REPLY_CODE = /^([2-5][0-9]{2})(?=[ -]|$)/;
/** RFC 3463 §2, at the position that RFC 2034 §4 defines. */
const ENHANCED_CODE = /^[0-9]{3}[ -]([245]\.[0-9]{1,3}\.[0-9]{1,3})(?![0-9.])/;

/** Text on one line without control characters, at most {@link MAX_DIAGNOSTIC_CHARS} characters. */
export function diagnosticOf(text: string): string {
  const line = text
    .slice(0, MAX_READ_CHARS)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s]+/gu, " ")
    .trim();
  return Array.from(line).slice(0, MAX_DIAGNOSTIC_CHARS).join("");
}

/** The result if there is no reply. */
export function withoutReply(kind: HandOver["kind"], what: string, fault: Fault | null = null): Verdict {
  return {
    result: { kind },
    code: null,
    enhancedCode: null,
    diagnostic: diagnosticOf(what),
    fault,
    concernsAll: kind === "deferred" || kind === "unanswered",
    providerId: null,
  };
}

/**
 * The result of an SMTP reply (RFC 5321 §4.2.1). 2yz: taken. 4yz: deferred. 5yz: refused, unless it is about this server:
 * then deferred, because an operator may fix it while the message waits, and a bounce would blame the recipient. Null for
 * text that is not a reply, and for 3yz, which is never final. Lines of a reply are separated by "\n" or "\r\n".
 *
 * @param stage the command that was answered; `session` for all commands before a message.
 */
export function verdictOf(reply: string, stage: Stage): Verdict | null {
  const code = codeOf(reply);
  if (code === null || (code >= 300 && code < 400)) return null;
  const enhanced = ENHANCED_CODE.exec(reply)?.[1] ?? null;
  // An enhanced code of another class than the reply's is not trustworthy.
  const enhancedCode = enhanced?.startsWith(String(code).charAt(0)) === true ? enhanced : null;
  const said = { code, enhancedCode, diagnostic: diagnosticOf(unfolded(reply)), providerId: null };
  if (code < 300) return { ...said, result: { kind: "taken" }, fault: null, concernsAll: false };
  return { ...said, ...judged(said, stage) };
}

type Stage = SmtpFailure["about"];

function judged(
  { code, enhancedCode, diagnostic }: { code: number; enhancedCode: string | null; diagnostic: string },
  stage: Stage,
): Pick<Verdict, "result" | "fault" | "concernsAll"> {
  const fault = stage === "session" ? "us" : faultOf({ stage, code, status: enhancedCode, text: diagnostic });
  const isRefused = fault === "address" || fault === "recipient";
  // RFC 5321 §3.8: after 421 the session ends.
  const concernsAll = stage === "session" || stage === "sender" || code === 421;
  return { result: { kind: isRefused ? "refused" : "deferred" }, fault, concernsAll };
}

/** The reply code; null if the text does not begin with one. */
export function codeOf(reply: string): number | null {
  const code = REPLY_CODE.exec(reply)?.[1];
  return code === undefined ? null : Number(code);
}

/** `queued as 4F2A…` (Postfix, Exchange), `OK id=1rAb…` (Exim), `3AK… Message accepted for delivery` (sendmail). */
const TAKEN_AS =
  /^250[ -].*?(?:\bqueued as <?|\bid=)([\w-]{6,64})(?![\w-])|^250[ -](?:2\.\d+\.\d+ )?([\w-]{6,64}) message accepted/i;

/** The name that a host gave the message in its reply; null if the reply contains none. */
export function takenAs(reply: string): string | null {
  const match = TAKEN_AS.exec(reply);
  return match?.[1] ?? match?.[2] ?? null;
}

/** The lines of a reply joined, without the reply codes that all but the first repeat. */
function unfolded(reply: string): string {
  return reply
    .slice(0, MAX_READ_CHARS)
    .split("\n")
    .map((line, index) => (index === 0 ? line : line.replace(/^[0-9]{3}[ -](?:[245]\.[0-9]+\.[0-9]+ )?/, "")))
    .join(" ");
}
