import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { boundedText } from "../search/search-text.ts";

/** Chat-length mails carry their code in the first screen; Gmail clips a mail at 102 KB. */
const MAX_TEXT_CHARS = 100_000;

/** RFC 5322 has no limit; no subject that a person reads is longer. */
const MAX_SUBJECT_CHARS = 500;

/** Longer lines are prose, not the opening line of a quotation. */
const MAX_QUOTE_INTRO_CHARS = 300;

/** Lines in which a "From:" must be followed by "Sent:" or "Date:" to open a quoted mail. */
const HEADER_BLOCK_LINES = 4;

/** Zero-width and direction marks: invisible, so they neither split a code nor join two numbers. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ufe00-\ufe0f]/g;

/** The zeros of the decimal digits of Unicode (Nd) in the basic plane; the code points of the other nine follow each. */
const ZEROS = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰０";
/** The first of five rows of digits for mathematics. */
const MATH_DIGITS = 0x1d7ce;

const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;

function asciiDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  if (point >= MATH_DIGITS) return point < MATH_DIGITS + 50 ? String((point - MATH_DIGITS) % 10) : digit;
  for (const zero of ZEROS) {
    const value = point - zero.charCodeAt(0);
    if (value >= 0 && value <= 9) return String(value);
  }
  return digit;
}

// eslint-disable-next-line no-control-regex -- all of ASCII is meant
const PLAIN = /^[\x00-\x7f]*$/;

/** Digits of any script as ASCII, one kind of hyphen and space, nothing invisible. */
function plain(text: string): string {
  if (PLAIN.test(text)) return text;
  return (
    boundedText(text, MAX_TEXT_CHARS)
      .normalize("NFC")
      .replace(INVISIBLE, "")
      .replace(FOREIGN_DIGIT, asciiDigit)
      // Combining marks on digits: keycap emoji, underlines.
      .replace(/(?<=[0-9])\p{M}+/gu, "")
      .replace(/[\uff21-\uff3a\uff41-\uff5a]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
      .replace(/[\u2010-\u2013\u2212\uff0d]/g, "-")
      .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ")
  );
}

// Each class is a plain run, and a match starts only where no character of that run precedes it: linear.
const URL_LIKE = /(?:https?|ftp):\/\/[^\s<>"\u3000-\uffef]+|(?<![a-z0-9.-])www\.[^\s<>"\u3000-\uffef]+/gi;
const MAIL_ADDRESS = /(?<![\w.%+=-])[\w.%+=-]+@[\w.-]+/g;
const BARE_URL = /(?<![a-z0-9.-])[a-z0-9][a-z0-9.-]*\.[a-z]{2,}[/?][!-~]*/gi;

/** Stands for a link or a mail address: neither a letter nor a digit. */
const MASK = " \ufffc ";

/** Every link and every mail address matches this. */
const MAY_HOLD_ADDRESS = /[/?@]|www\./i;

function masked(text: string): string {
  if (!MAY_HOLD_ADDRESS.test(text)) return text;
  return text.replace(URL_LIKE, MASK).replace(MAIL_ADDRESS, MASK).replace(BARE_URL, MASK);
}

const wrote = lazy(() => new RegExp(`(?:${anyOf(wordsOf(({ quoting }) => quoting?.wrote))})\\s?[:：]$`, "u"));

const originalMessage = lazy(() => new Set(wordsOf(({ quoting }) => quoting?.originalMessage)));

const fieldNamed = (names: readonly string[]): RegExp =>
  new RegExp(`^[*_]{0,2}(?:${anyOf(names)})\\s?[:：]`, "u");
const headerFrom = lazy(() => fieldNamed(wordsOf(({ quoting }) => quoting?.from)));
const headerSent = lazy(() => fieldNamed(wordsOf(({ quoting }) => quoting?.sent)));

/** Word order of German and Dutch: "Am 1. Januar schrieb Ann:". */
const wroteBetween = lazy(
  () =>
    new RegExp(`^(?:${anyOf(wordsOf(({ quoting }) => quoting?.wroteBetween)).replaceAll("…", ".*")}):$`, "u"),
);

/** Some programs write no verb, or put it before the name: `2025年3月1日 10:00 Ann <ann@example.com>:`. */
const ENDS_IN_ADDRESS = /<[^<>\s]{1,150}@[^<>\s]{1,150}>\s?[:：]$/;

/** Every line that begins a quoted mail matches this; most lines of a mail do not. */
const MAY_OPEN = /[:：]|^[-_]{2}/;

/** Whether a line begins a quoted mail: its attribution, or the first line of its header. Linear in the line. */
export function opensQuotation(lines: readonly string[], at: number): boolean {
  const line = (lines[at] ?? "").trim();
  if (line.length > MAX_QUOTE_INTRO_CHARS || !MAY_OPEN.test(line)) return false;
  const lower = line.toLowerCase();
  // The intro is often folded: its date may stand on the line before "wrote:".
  if (
    /[:：]$/.test(lower) &&
    (wrote().test(lower) || wroteBetween().test(lower) || ENDS_IN_ADDRESS.test(lower))
  )
    return /[0-9@]/.test(line) || /[0-9@]/.test(lines[at - 1] ?? "");
  if (/^[-_]{2}/.test(line))
    return originalMessage().has(lower.replace(/[-_ ]+$/, "").replace(/^[-_ ]+/, ""));
  if (!headerFrom().test(lower)) return false;
  const next = lines.slice(at + 1, at + 1 + HEADER_BLOCK_LINES);
  return next.some((follower) => headerSent().test(follower.trim().toLowerCase()));
}

const forwardPrefix = lazy(
  () => new RegExp(`^\\s*(?:${anyOf(wordsOf(({ subject }) => subject?.forward))})\\s*[:：]`, "iu"),
);
const replyPrefix = lazy(
  () =>
    new RegExp(
      `^\\s*(?:${anyOf(wordsOf(({ subject }) => subject?.reply))})\\s*(?:\\[\\d+\\]\\s*)?[:：]`,
      "iu",
    ),
);

/** Whether a mail is a forward, by its subject. */
export function isForward(subject: string): boolean {
  return forwardPrefix().test(subject.slice(0, MAX_SUBJECT_CHARS));
}

/** Joins characters that stand alone on consecutive lines, as boxes do, into one line. */
function joinBoxes(lines: readonly string[]): string[] {
  const joined: string[] = [];
  let boxes: string[] = [];
  for (const line of [...lines, "\ufffc"]) {
    const trimmed = line.trim();
    if (/^[0-9A-Z]$/.test(trimmed)) {
      boxes.push(trimmed);
      continue;
    }
    if (trimmed === "" && boxes.length > 0) continue;
    if (boxes.length > 0) joined.push(boxes.join(" "));
    boxes = [];
    joined.push(line);
  }
  joined.pop();
  return joined;
}

/**
 * The subject in plain characters, "" for a reply: its subject repeats the older mail's.
 */
export function ownSubject(subject: string): string {
  const line = subject.slice(0, MAX_SUBJECT_CHARS).replace(/[\r\n]+/g, " ");
  return replyPrefix().test(line) ? "" : masked(plain(line));
}

/**
 * The lines of a text that its sender wrote, unchanged: those above a quoted older mail, without `>` lines. Of a
 * forward, everything is kept.
 */
export function withoutQuotation(text: string, subject: string): string[] {
  const lines = text.slice(0, MAX_TEXT_CHARS).split(/\r\n|\r|\n/);
  const forwarded = isForward(subject);
  const own: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const isQuoted = /^[\s\u200b]?[>＞]/.test(line);
    if (isQuoted && !forwarded) continue;
    if (!forwarded && opensQuotation(lines, at)) break;
    own.push(isQuoted ? line.replace(/^[\s\u200b>＞]+/, "") : line);
  }
  return own;
}

/**
 * Lines in plain characters: links and mail addresses are masked, digits that stand one to a line are joined. A tabulator becomes
 * two blanks, so that cells of a table stay apart.
 */
export function plainLines(lines: readonly string[]): string[] {
  return joinBoxes(masked(plain(lines.join("\n")).replaceAll("\t", "  ")).split("\n"));
}
