import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { isForward, opensQuotation } from "./own-text.ts";
import { textToSnippet } from "./html-text.ts";
import { withoutSignature } from "./signature.ts";

/** Characters of a body that a snippet is made of: two hundred of them are shown, behind a quotation perhaps. */
const SNIPPET_SOURCE_CHARS = 4_000;

/** Characters that are searched for visible words, for a text that begins with invisible ones. */
const MAX_SNIPPET_SEARCH_CHARS = 100_000;

/** Lines of a text in which quotations are looked for; a mail of more is a log or a table. */
const MAX_LINES = 50_000;

/** A line of a quotation, as `>` marks it. */
const QUOTED = /^[\s\u200b]{0,3}[>＞]/;

/** A line between an answer and the header of the mail below it. */
const RULE = /^\s{0,3}[-_=*─—]{5,100}\s{0,3}$/;

/** Matches the line above a forwarded mail; the subject does not always tell a forward. */
const forwarded = lazy(
  () => new RegExp(`^\\s{0,3}[->\\s]{0,20}(?:${anyOf(wordsOf(({ quoting }) => quoting?.forwarded))})`, "iu"),
);

/** Every text that quotes another has one of these: in its lines, their attribution, or the header of the other. */
const QUOTING_MARKS = [">", "＞", ":", "：", "--", "__", "-_", "_-"] as const;

/** Longer lines are prose. */
const MAX_MARK_CHARS = 300;

/** The beginning of an attribution whose rest stands on the next line. */
const foldedStart = lazy(() => {
  const starts = anyOf(wordsOf(({ quoting }) => quoting?.foldedStart));
  return new RegExp(
    `^(?:${starts})(?=\\s|[\\d:]).{0,290}\\d|^[\\p{L}.]{2,12},? .{0,20}\\d{1,2}.{0,250}\\d|^\\d{4}[-/.年년]|^\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4}`,
    "iu",
  );
});

/**
 * The text that the sender of a mail wrote: without quotations, above, below and between which it may stand, and without
 * the signature. A forward keeps its body: the forwarded mail is what its sender wants to send. The result is made of lines of
 * the text, in their order; "" if all of it is quoted. A text of more lines than MAX_LINES is kept whole. Never throws; linear
 * in the input.
 */
export function newText(text: string, subject: string): string {
  return dividedText(text, subject).fresh;
}

/** A text in parts. */
export interface DividedText {
  /** As {@link newText}. */
  fresh: string;
  /** The lines that are quoted, with those that introduce them; "" if there are none. */
  quoted: string;
  /** The lines of the signature; "" if there are none. */
  signature: string;
}

/** Divides a text into what its sender wrote, what it quotes, and its signature. */
export function dividedText(text: string, subject: string): DividedText {
  const lines = text.split(/\r\n|\r|\n/, MAX_LINES + 1);
  if (lines.length > MAX_LINES) return { fresh: withoutBlankEnds(text), quoted: "", signature: "" };
  const unsigned = isForward(subject) || !mayQuote(text) ? lines : unquoted(lines);
  const own = isForward(subject) ? lines : withoutSignature(unsigned);
  const fresh = own === lines && !text.includes("\r") ? withoutBlankEnds(text) : trimmed(own).join("\n");
  const signature = trimmed(unsigned.slice(own.length)).join("\n");
  return { fresh, quoted: unsigned === lines ? "" : missingLines(lines, unsigned), signature };
}

/** The lines that are not among `kept`, which are some of them in their order. */
function missingLines(lines: readonly string[], kept: readonly string[]): string {
  let at = 0;
  const missing = lines.filter((line) => {
    if (line !== kept[at]) return true;
    at += 1;
    return false;
  });
  return trimmed(missing).join("\n");
}

/** The snippet of a mail for a listing: of its new text, or of the whole text if none is new. */
export function snippetOf(text: string, subject: string): string {
  const fresh = textToSnippet(newText(text.slice(0, SNIPPET_SOURCE_CHARS), subject));
  return fresh === "" ? textToSnippet(text.slice(0, MAX_SNIPPET_SEARCH_CHARS)) : fresh;
}

function mayQuote(text: string): boolean {
  return QUOTING_MARKS.some((mark) => text.includes(mark));
}

/** The lines that are not quoted. Behind an attribution come `>` lines and then the answer, or nothing but the old mail. */
function unquoted(lines: readonly string[]): string[] {
  const own: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    if (QUOTED.test(line)) continue;
    if (line.length <= MAX_MARK_CHARS && forwarded().test(line)) return [...own, ...lines.slice(at)];
    if (!opensQuotation(lines, at)) own.push(line);
    else {
      dropLead(own);
      if (!isQuotedNext(lines, at)) break;
    }
  }
  return own;
}

function isQuotedNext(lines: readonly string[], at: number): boolean {
  // Two blank lines at most stand between an attribution and what it quotes.
  const next = lines.slice(at + 1, at + 4).find((line) => line.trim() !== "");
  return next !== undefined && QUOTED.test(next);
}

/** Removes the lines that belong to an attribution: a rule above it, or its first line where it is folded. */
function dropLead(own: string[]): void {
  const last = own.at(-1);
  if (last === undefined || last.length > MAX_MARK_CHARS) return;
  if (last.trim() === "") {
    const above = own.at(-2);
    if (above !== undefined && RULE.test(above)) own.splice(-2);
    return;
  }
  const isParagraphStart = (own.at(-2) ?? "").trim() === "";
  if (RULE.test(last) || (isParagraphStart && foldedStart().test(last.trim()))) own.pop();
}

/** As `trimmed`, for a text whose lines end in line feeds: returns a slice of it, without splitting it into lines. */
function withoutBlankEnds(text: string): string {
  const first = text.search(/\S/);
  if (first === -1) return "";
  const start = text.lastIndexOf("\n", first) + 1;
  const end = text.indexOf("\n", text.trimEnd().length);
  return text.slice(start, end === -1 ? text.length : end);
}

/** Without blank lines at the ends. */
function trimmed(lines: readonly string[]): readonly string[] {
  const isText = (line: string): boolean => line.trim() !== "";
  const first = lines.findIndex(isText);
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}
