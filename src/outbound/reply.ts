import { faultOf, type Fault } from "../mail/report/refusal.ts";
import type { HandOver } from "./ledger.ts";
import type { SmtpFailure } from "./smtp-failure.ts";
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
 * What an SMTP reply says (RFC 5321 §4.2.1): 2yz taken, 4yz deferred; 5yz refused, unless it is about us, which an operator
 * may mend while the message waits: a bounce would blame the recipient. Null for what is no reply, and for 3yz, which ends
 * nothing. Lines of a reply are parted by "\n" with or without "\r".
 *
 * @param stage what was answered; `session`: whatever comes before a message, which is never about it.
 */
export function verdictOf(reply: string, stage: Stage): Verdict | null {
  const code = codeOf(reply);
  if (code === null || (code >= 300 && code < 400)) return null;
  const enhanced = ENHANCED_CODE.exec(reply)?.[1] ?? null;
  // One of another class than the reply's says nothing that can be trusted.
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
