import { commentEnd } from "./authentication/reports/results-field.ts";
import { lazy } from "./lazy.ts";
import { anyOf, wordsOf } from "./languages/matching.ts";

/** The parts of a mail that tell whether a machine or a person sent it. */
export interface HeadedMail {
  /** Lower-case name to value, repeats joined by "\n". */
  headers: Record<string, string>;
  fromAddress: string;
  /** MAIL FROM; "" or "<>" for the null return path. */
  envelopeFrom: string;
  subject: string;
}

/** Characters that are read of the local part of an address. */
const MAX_LOCAL_CHARS = 1_000;

/** Local parts of addresses that nobody reads; compared without `.`, `-` and `_`. */
const unreadLocalPart = lazy(() => {
  const parts = anyOf(wordsOf(({ localParts }) => localParts?.unread));
  return new RegExp(`^(?:mailerdaemon|postmaster|bounces?|${parts})(?:$|[+0-9])`, "u");
});

/** Local parts that mail servers write reports from; compared in the same way. */
const DAEMON_LOCAL_PART = /^(?:mailerdaemon|postmaster|maildelivery(?:system|subsystem)?)(?:$|[+0-9])/;

/** Addresses of lists (RFC 2142 §6, RFC 5230 §4.6); a list's return path names the recipient after a `+`. */
const LIST_LOCAL_PART = /^(?:listserv|majordomo|owner-.*|.*-(?:request|bounces?|owner))(?:\+|@)/i;

/** RFC 5321 §6.3 leaves the number open; honest mail has a dozen. */
const MAX_HOPS = 50;

/** Answers of a machine on someone's behalf that some servers send without Auto-Submitted. */
const automaticSubject = lazy(
  () => new RegExp(`^(?:${anyOf(wordsOf(({ subject }) => subject?.automatic))})(?![a-z])`, "u"),
);

/** Set by programs that answer for someone; RFC 3834 came later. */
const ANSWER_HEADERS = ["x-autoreply", "x-autorespond", "x-autoresponder"];

/** The values of all fields of a name, whole, in lower case and trimmed. */
export function valuesOf({ headers }: Pick<HeadedMail, "headers">, name: string): string[] {
  const written = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return written === undefined ? [] : written.split("\n").map((value) => value.trim().toLowerCase());
}

/** Whether a field of a name has a value. */
export function isFilled(mail: Pick<HeadedMail, "headers">, name: string): boolean {
  return valuesOf(mail, name).some((value) => value !== "");
}

/** The keyword of each Auto-Submitted field (RFC 3834 §5), without parameters and comments; "" for one without. */
function autoSubmitted(mail: Pick<HeadedMail, "headers">): string[] {
  return valuesOf(mail, "auto-submitted").map(firstWord);
}

/** The first word of a value; comments and blanks may stand before it (RFC 5322 §3.2.2). */
function firstWord(value: string): string {
  let at = 0;
  while (at !== -1 && at < value.length && /[\s(]/.test(value[at] ?? "")) {
    at = value[at] === "(" ? commentEnd(value, at) : at + 1;
  }
  return at === -1 ? "" : (/^[a-z_-]*/.exec(value.slice(at))?.[0] ?? "");
}

/** RFC 3834 §5: anything but "no" says that no person sent this mail; a field without a word says nothing. */
export function isAutoSubmitted(mail: Pick<HeadedMail, "headers">): boolean {
  return autoSubmitted(mail).some((keyword) => keyword !== "no" && keyword !== "");
}

/** Whether a mail says that a program answers another mail by it (RFC 3834 §5); notices of a service are `auto-generated`. */
export function isAutoReplied(mail: Pick<HeadedMail, "headers">): boolean {
  return autoSubmitted(mail).includes("auto-replied") || hasAnswerHeader(mail);
}

function hasAnswerHeader(mail: Pick<HeadedMail, "headers">): boolean {
  return ANSWER_HEADERS.some((name) => isFilled(mail, name));
}

function hasPrecedence(mail: HeadedMail, values: readonly string[]): boolean {
  return valuesOf(mail, "precedence").some((value) => values.includes(firstWord(value)));
}

/** Whether a mail went to many recipients, by its list headers or its Precedence. */
export function isBulk(mail: HeadedMail): boolean {
  return (
    isFilled(mail, "list-id") ||
    isFilled(mail, "list-unsubscribe") ||
    isFilled(mail, "list-post") ||
    hasPrecedence(mail, ["bulk", "list", "junk"])
  );
}

/** Whether MAIL FROM is the null return path, as that of reports and automatic answers is (RFC 5321 §4.5.5). */
export function hasNullReturnPath({ envelopeFrom }: Pick<HeadedMail, "envelopeFrom">): boolean {
  return ["", "<>"].includes(envelopeFrom.trim());
}

function localPart(address: string): string {
  const local = address.slice(0, MAX_LOCAL_CHARS).toLowerCase().split("@")[0] ?? "";
  return local.replace(/[._-]/g, "");
}

/** Whether the sender's address is one that mail servers send reports from. */
export function isFromMailSystem({ fromAddress }: Pick<HeadedMail, "fromAddress">): boolean {
  return DAEMON_LOCAL_PART.test(localPart(fromAddress));
}

/** Whether a program answered on someone's behalf ("out of office"). Delivery reports are not automatic answers. */
export function isAutomaticAnswer(mail: HeadedMail): boolean {
  return (
    hasAnswerHeader(mail) ||
    hasPrecedence(mail, ["auto_reply"]) ||
    automaticSubject().test(mail.subject.trimStart().slice(0, 60).toLowerCase()) ||
    // Servers mark their reports with the same word.
    (autoSubmitted(mail).includes("auto-replied") && !isFromMailSystem(mail))
  );
}

/** Whether nobody reads answers to this mail or a machine wrote it, judged by its headers, its sender and its subject. */
export function isUnattended(mail: HeadedMail): boolean {
  return (
    hasNullReturnPath(mail) ||
    unreadLocalPart().test(localPart(mail.fromAddress)) ||
    isFilled(mail, "x-auto-response-suppress") ||
    isFilled(mail, "feedback-id") ||
    isAutomaticAnswer(mail)
  );
}

/**
 * Why machinery must never answer this mail (RFC 3834 §2): two machines that answer each other never stop. Null if it may;
 * its answer then bears `Auto-Submitted: auto-replied`.
 *
 * @param isOwn whether an address is the mailbox or a tag of it
 */
export function automaticAnswerFault(mail: HeadedMail, isOwn: (address: string) => boolean): string | null {
  const faults: readonly [boolean, string][] = [
    [hasNullReturnPath(mail), "it has no return path, as reports and automatic answers have none"],
    [isOwn(mail.envelopeFrom) || isOwn(mail.fromAddress), "it comes from this mailbox"],
    // An Auto-Submitted field without a keyword counts as well: not answering never makes a loop.
    [
      autoSubmitted(mail).some((word) => word !== "no") || isAutomaticAnswer(mail),
      "it was sent automatically",
    ],
    [isBulk(mail) || Object.keys(mail.headers).some((name) => name.startsWith("list-")), "it went to many"],
    [isUnattended(mail) || isReadByNobody(mail.envelopeFrom), "nobody reads answers to it"],
    [valuesOf(mail, "received").length >= MAX_HOPS, "it has gone in circles"],
  ];
  return faults.find(([isFault]) => isFault)?.[1] ?? null;
}

function isReadByNobody(address: string): boolean {
  return unreadLocalPart().test(localPart(address)) || LIST_LOCAL_PART.test(address);
}
