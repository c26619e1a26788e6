import type { Action } from "./delivery-report.ts";

/** Digits of an address or a version number are no code: neither a digit nor a dot and a digit may adjoin. */
const ENHANCED = String.raw`(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)`;
/** RFC 5321 §4.2, the negative replies: the second digit is 0 to 5, and 7 in use beyond the standard. */
const REPLY = String.raw`(?<![\d.])(?:4[02-57]|5[0-57])\d(?![\d.])`;

const ENHANCED_ALONE = new RegExp(ENHANCED);
const ENHANCED_FIELD = new RegExp(String.raw`^\s*(${ENHANCED})`);
const REPLY_BEFORE_TEXT = new RegExp(String.raw`${REPLY}(?=[\s,:;#-]|$)`);
/** A reply as servers quote it: both codes, `550 5.1.1` or `550-5.1.1` or `550 #5.1.1`. */
const REPLY_WITH_STATUS = new RegExp(String.raw`${REPLY}[ -]\(?#?${ENHANCED}`);

/** The code at the start of a Status field, a comment after it left out (RFC 3464 §2.3.4); null if there is none. */
export function statusOfField(value: string): string | null {
  return ENHANCED_FIELD.exec(value)?.[1] ?? null;
}

/** The codes of one reply. */
export interface Codes {
  /** SMTP reply code (RFC 5321 §4.2). */
  replyCode: number | null;
  /** Enhanced status code (RFC 3463). */
  status: string | null;
}

/** The first negative reply code and the first enhanced code in what a server wrote, of one reply where both stand together. */
export function codesIn(text: string): Codes {
  const both = REPLY_WITH_STATUS.exec(text)?.[0] ?? text;
  const reply = REPLY_BEFORE_TEXT.exec(both)?.[0];
  return {
    replyCode: reply === undefined ? null : Number(reply),
    status: ENHANCED_ALONE.exec(both)?.[0] ?? null,
  };
}

/** Whether the text quotes a server's refusal, and does not merely hold a number. */
export function quotesReply(text: string): boolean {
  return REPLY_WITH_STATUS.test(text) || /\(#[45]\.\d{1,3}\.\d{1,3}\)/.test(text);
}

/** The more exact of the Status field's code and the diagnostic's: `5.0.0` says only that it is permanent. */
export function moreExactStatus(status: string | null, inDiagnostic: string | null): string | null {
  if (status === null) return inDiagnostic;
  const isGeneric =
    status.endsWith(".0.0") && inDiagnostic !== null && inDiagnostic.startsWith(status.slice(0, 2));
  return isGeneric ? inDiagnostic : status;
}

/** The action that the codes of a block without an Action field mean; null if it has no codes. */
export function actionOfCodes(status: string | null, replyCode: number | null): Action | null {
  const statusClass = Number((status ?? String(replyCode ?? "")).slice(0, 1));
  if (statusClass === 2) return "delivered";
  if (statusClass === 4) return "delayed";
  return statusClass === 5 ? "failed" : null;
}
