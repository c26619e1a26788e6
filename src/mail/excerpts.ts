import { isEscaped, literalEnd } from "../lib/json-text.ts";
import { MAX_QUERY_ITEMS, MAX_READ_CHARS } from "./search-query.ts";
import { boundedText, foldText } from "./search-text.ts";

/** Characters of a text in which hits are looked for; a page of results does this once a row. */
const MAX_SCANNED_CHARS = 50_000;

/** A line or two in a list of messages. */
const SNIPPET_CHARS = 160;

const MAX_HIGHLIGHTS = 3;
const HIGHLIGHT_CHARS = 120;

/** How far a cut moves to fall between words rather than within one. */
const MAX_CUT_SHIFT_CHARS = 20;

/** From here on (CJK, and surrogates) characters are words by themselves, so a hit needs no boundary beside it. */
const FIRST_UNSPACED_CODE = 0x2e80;

interface Needle {
  text: string;
  /** Must end where a word ends. */
  whole: boolean;
}

function isBoundary(folded: string, at: number): boolean {
  return [at - 1, at].some((index) => {
    const code = folded.charCodeAt(index);
    return Number.isNaN(code) || code === 0x20 || code >= FIRST_UNSPACED_CODE;
  });
}

function findNeedle(folded: string, { text, whole }: Needle, from: number): number {
  let at = folded.indexOf(text, from);
  while (at !== -1 && !(isBoundary(folded, at) && (!whole || isBoundary(folded, at + text.length)))) {
    at = folded.indexOf(text, at + 1);
  }
  return at;
}

/** A rough stem: enough to show where a porter match lies, never used to match. */
function roughStem(word: string): string {
  const stem = word.replace(/(?:ies|ing|ed|es|[sey])$/, "");
  return stem.length >= 3 ? stem : word;
}

const foldedTerms = new Map<string, string>();
/** Terms kept folded: a page asks for the same few for each of its rows. */
const MAX_FOLDED_TERMS = 64;

function foldedTerm(term: string): string {
  let folded = foldedTerms.get(term);
  if (folded === undefined) {
    folded = foldText(boundedText(term, MAX_READ_CHARS).normalize("NFC")).folded.trim();
    if (foldedTerms.size >= MAX_FOLDED_TERMS) foldedTerms.clear();
    foldedTerms.set(term, folded);
  }
  return folded;
}

/** Each term as it occurs in a text: as a whole word, else at a word's beginning, else by its stem. */
function needlesIn(terms: readonly string[], find: (needle: Needle) => number): Needle[] {
  const needles = terms.slice(0, MAX_QUERY_ITEMS).map((term) => {
    const text = foldedTerm(term);
    const forms = [
      { text, whole: true },
      { text, whole: false },
      { text: roughStem(text), whole: false },
    ];
    return text === "" ? undefined : forms.find((form) => find(form) !== -1);
  });
  return needles.filter((needle) => needle !== undefined);
}

type Finder = (from: number) => number | null;

/** A finder of the first hit of any term at or after an index of `text`; it answers null if there is none. */
function hitFinder(text: string, terms: readonly string[]): Finder {
  if (terms.length === 0) return () => null;
  const isPlain = terms.every((term) => /^[A-Za-z0-9]+$/.test(term)) && isAscii(text);
  return isPlain ? plainFinder(text, terms) : foldingFinder(text, terms);
}

function firstOf(hits: readonly number[]): number | null {
  return hits.length === 0 ? null : Math.min(...hits);
}

/** The quick way, for most mail: ASCII in lower case has every character in its place, and the runtime folds it at once. */
function plainFinder(text: string, terms: readonly string[]): Finder {
  const lower = text.toLowerCase();
  const needles = needlesIn(terms, (needle) => findPlain(lower, needle, 0));
  return (from) => firstOf(needles.map((needle) => findPlain(lower, needle, from)).filter((at) => at !== -1));
}

function findPlain(lower: string, { text, whole }: Needle, from: number): number {
  let at = lower.indexOf(text, from);
  while (at !== -1 && (isAlphanumeric(lower, at - 1) || (whole && isAlphanumeric(lower, at + text.length)))) {
    at = lower.indexOf(text, at + 1);
  }
  return at;
}

/** Whether an ASCII letter, small, or a digit stands at `at`. */
function isAlphanumeric(lower: string, at: number): boolean {
  const code = lower.charCodeAt(at);
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** The slow way: phrases, accents and other scripts are compared as the index folds them. */
function foldingFinder(text: string, terms: readonly string[]): Finder {
  const { folded, origins } = foldText(text);
  const needles = needlesIn(terms, (needle) => findNeedle(folded, needle, 0));
  return (from) => {
    const start = origins.findIndex((origin) => origin >= from);
    if (start === -1) return null;
    const first = firstOf(
      needles.map((needle) => findNeedle(folded, needle, start)).filter((at) => at !== -1),
    );
    return first === null ? null : (origins[first] ?? null);
  };
}

/** Most mail is. */
function isAscii(text: string): boolean {
  // The runtime counts faster than an expression reads.
  return Buffer.byteLength(text) === text.length;
}

// eslint-disable-next-line no-control-regex -- control characters are blanks here
const ASCII_BLANKS = /[\x00-\x1f\x7f][\x00-\x20\x7f]*| [\x00-\x20\x7f]+/g;

/** `text` on one line, as far as it is looked through. */
function onOneLine(text: string): string {
  // ASCII is normal as it is.
  if (isAscii(text)) return text.slice(0, MAX_SCANNED_CHARS).replace(ASCII_BLANKS, " ").trim();
  const read = boundedText(text.trimStart(), MAX_SCANNED_CHARS).normalize("NFC");
  return read.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

function splitsSurrogates(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1)) && at > 0;
}

interface Excerpt {
  text: string;
  /** Where it ends in the text it was cut from. */
  end: number;
}

/** About `maxChars` of `text` around the hit at `at`, not before `from`; an ellipsis stands for what is cut off. */
function excerptAround(text: string, at: number, maxChars: number, from = 0): Excerpt {
  const roomChars = Math.max(2, maxChars - 2);
  let start = Math.max(from, Math.min(at - Math.floor(roomChars / 3), text.length - roomChars), 0);
  const wordStart = start === 0 ? 0 : text.indexOf(" ", start - 1) + 1;
  if (wordStart > start && wordStart <= Math.min(at, start + MAX_CUT_SHIFT_CHARS)) start = wordStart;
  if (splitsSurrogates(text, start)) start += 1;
  let end = Math.min(text.length, start + roomChars);
  const wordEnd = end === text.length ? end : text.lastIndexOf(" ", end);
  if (wordEnd > Math.max(at, end - MAX_CUT_SHIFT_CHARS)) end = wordEnd;
  if (splitsSurrogates(text, end)) end -= 1;
  const excerpt = text.slice(start, end).trim();
  return { text: `${start > 0 ? "…" : ""}${excerpt}${end < text.length ? "…" : ""}`, end };
}

/** What a search shows of a hit. */
export interface Excerpts {
  snippet: string;
  highlights: string[];
}

/** A line around the first hit in the body, and up to three fragments that show hits. White space is folded in both. */
export function excerptsFor(fields: { subject: string; body: string }, terms: readonly string[]): Excerpts {
  const body = onOneLine(fields.body);
  const nextHit = hitFinder(body, terms);
  return {
    snippet: snippetOf(body, nextHit, SNIPPET_CHARS),
    highlights: highlightsOf(fields.subject, body, terms, nextHit),
  };
}

function snippetOf(line: string, nextHit: Finder, maxChars: number): string {
  return line.length <= maxChars ? line : excerptAround(line, nextHit(0) ?? 0, maxChars).text;
}

function highlightsOf(
  subjectText: string,
  body: string,
  terms: readonly string[],
  nextHit: Finder,
): string[] {
  const subject = onOneLine(subjectText);
  const inSubject = hitFinder(subject, terms)(0);
  const fragments = inSubject === null ? [] : [excerptAround(subject, inSubject, HIGHLIGHT_CHARS).text];
  let hit = nextHit(0);
  for (let from = 0; hit !== null && fragments.length < MAX_HIGHLIGHTS; hit = nextHit(from)) {
    const excerpt = excerptAround(body, hit, HIGHLIGHT_CHARS, from);
    fragments.push(excerpt.text);
    from = Math.max(excerpt.end, hit + 1);
  }
  return fragments;
}

/**
 * A line of plain text from `text` around the first hit of a term, or its beginning if none occurs. Case and accents do
 * not count. White space is folded, a cut shows as `…`, and at most `maxChars` UTF-16 units come back.
 */
export function snippetFor(text: string, terms: readonly string[], maxChars = SNIPPET_CHARS): string {
  const line = onOneLine(text);
  return snippetOf(line, hitFinder(line, terms), maxChars);
}

/** Up to three fragments of plain text, without markup, that show hits: the subject's first, then the body's in order. */
export function highlightsFor(fields: { subject: string; body: string }, terms: readonly string[]): string[] {
  return excerptsFor(fields, terms).highlights;
}

const BODY_OPENING = '{"body_text":"';

/** What a stored body (`bodyJson`) begins with: its text, as far as `start` reaches; null if it begins otherwise. */
export function bodyTextStart(start: string): string | null {
  if (!start.startsWith(BODY_OPENING)) return null;
  const end = literalEnd(start, BODY_OPENING.length);
  // Cut short, the text may end within an escape of up to six characters.
  const text = end === -1 ? start.replace(/\\(?:u[0-9a-f]{0,3})?$/, "") : start.slice(0, end);
  const literal = `"${text.slice(BODY_OPENING.length)}`;
  return JSON.parse(
    end === -1 && isEscaped(literal, literal.length) ? `${literal.slice(0, -1)}"` : `${literal}"`,
  ) as string;
}
