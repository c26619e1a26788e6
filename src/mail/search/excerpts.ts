// Imported because each use of the global Buffer is a slow look-up.
import { Buffer } from "node:buffer";
import { closedLiteral, ESCAPED_ELLIPSIS, latinJson, literalEnd, ownJson } from "../../lib/json-text.ts";
import { MAX_QUERY_ITEMS, MAX_READ_CHARS } from "./search-query.ts";
import { boundedText, foldText } from "./search-text.ts";

/** Characters of a text in which hits are looked for; a page of results does this once a row. */
const MAX_SCANNED_CHARS = 50_000;

/** A line or two in a list of messages. */
const SNIPPET_CHARS = 160;

const MAX_HIGHLIGHTS = 3;
const HIGHLIGHT_CHARS = 120;

/** How far a cut may move so that it falls between words. */
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

/** A rough stem, used only to show where a match of the porter stemmer is. */
function roughStem(word: string): string {
  const stem = word.replace(/(?:ies|ing|ed|es|[sey])$/, "");
  return stem.length >= 3 ? stem : word;
}

const knownForms = new Map<string, readonly Needle[]>();
/** Terms whose forms are cached: a page of results uses the same few for each row. */
const MAX_KNOWN_TERMS = 64;

/** A term as it may occur in a text: as a whole word, else at a word's beginning, else by its stem. */
function formsOf(term: string): readonly Needle[] {
  const known = knownForms.get(term);
  if (known !== undefined) return known;
  const text = foldText(boundedText(term, MAX_READ_CHARS).normalize("NFC")).folded.trim();
  const forms = [
    { text, whole: true },
    { text, whole: false },
    { text: roughStem(text), whole: false },
  ];
  if (knownForms.size >= MAX_KNOWN_TERMS) knownForms.clear();
  knownForms.set(term, text === "" ? [] : forms);
  return text === "" ? [] : forms;
}

/** The form in which each term occurs, of those that do. */
function needlesIn(terms: readonly string[], find: (needle: Needle) => number): Needle[] {
  const needles = terms
    .slice(0, MAX_QUERY_ITEMS)
    .map((term) => formsOf(term).find((form) => find(form) !== -1));
  return needles.filter((needle) => needle !== undefined);
}

type Finder = (from: number) => number | null;

/** The first place of any needle; null if `find` finds none (-1). */
function firstOf(needles: readonly Needle[], find: (needle: Needle) => number): number | null {
  let first: number | null = null;
  for (const needle of needles) {
    const at = find(needle);
    if (at !== -1 && (first === null || at < first)) first = at;
  }
  return first;
}

/** The fast way for ASCII, whose lower case keeps every character in its place. */
function plainFinder(text: string, terms: readonly string[]): Finder {
  const lower = text.toLowerCase();
  const needles = needlesIn(terms, (needle) => findPlain(lower, needle, 0));
  return (from) => firstOf(needles, (needle) => findPlain(lower, needle, from));
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
    const first = firstOf(needles, (needle) => findNeedle(folded, needle, start));
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

/** An ASCII text on one line, trimmed at the ends that are ends of the whole text. */
function asciiLine(text: string, isStart: boolean, isEnd: boolean): string {
  const line = text.replace(ASCII_BLANKS, " ");
  if (isStart) return isEnd ? line.trim() : line.trimStart();
  return isEnd ? line.trimEnd() : line;
}

/** The part of `text` that is searched, on one line. */
function onOneLine(text: string): string {
  // ASCII is normal as it is.
  if (isAscii(text)) return asciiLine(text.slice(0, MAX_SCANNED_CHARS), true, true);
  const read = boundedText(text.trimStart(), MAX_SCANNED_CHARS).normalize("NFC");
  return read.replace(/[\s\p{Cc}]+/gu, " ").trim();
}

function splitsSurrogates(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1)) && at > 0;
}

/** A piece of a text on one line, and whether something was cut off at its ends. */
export interface Excerpt {
  text: string;
  cutBefore: boolean;
  cutAfter: boolean;
}

/** An excerpt, and where it ends in what it was cut from. */
interface Placed extends Excerpt {
  end: number;
}

/** About `maxChars` of `line` around the hit at `at`, not before `from`; room is left for two ellipses. */
function excerptAround(line: string, at: number, maxChars: number, from = 0): Placed {
  const roomChars = roomIn(maxChars);
  let start = Math.max(from, Math.min(at - Math.floor(roomChars / 3), line.length - roomChars), 0);
  const wordStart = start === 0 ? 0 : line.indexOf(" ", start - 1) + 1;
  if (wordStart > start && wordStart <= Math.min(at, start + MAX_CUT_SHIFT_CHARS)) start = wordStart;
  if (splitsSurrogates(line, start)) start += 1;
  let end = Math.min(line.length, start + roomChars);
  const wordEnd = end === line.length ? end : line.lastIndexOf(" ", end);
  if (wordEnd > Math.max(at, end - MAX_CUT_SHIFT_CHARS)) end = wordEnd;
  if (splitsSurrogates(line, end)) end -= 1;
  return { text: line.slice(start, end).trim(), cutBefore: start > 0, cutAfter: end < line.length, end };
}

function roomIn(maxChars: number): number {
  return Math.max(2, maxChars - 2);
}

/** A text in which hits are found and shown. Places are offsets in the original text, not in its folded form. */
interface Source {
  /** The first hit of any term at or after a place; null if there is none. */
  nextHit: (from: number) => number | null;
  /** The whole text if it is no longer than `maxChars`, else what stands around `at`. */
  snippet: (at: number, maxChars: number) => Excerpt;
  /** The text around `at`, but not before `from`. */
  fragment: (at: number, from: number) => Placed;
}

function sourceOf(text: string, terms: readonly string[]): Source {
  const isPlain = terms.every((term) => /^[A-Za-z0-9]+$/.test(term)) && isAscii(text);
  return isPlain ? plainSource(text.slice(0, MAX_SCANNED_CHARS), terms) : foldingSource(text, terms);
}

function foldingSource(text: string, terms: readonly string[]): Source {
  const line = onOneLine(text);
  return {
    nextHit: terms.length === 0 ? () => null : foldingFinder(line, terms),
    snippet: (at, maxChars) => snippetOf(line, at, maxChars),
    fragment: (at, from) => excerptAround(line, at, HIGHLIGHT_CHARS, from),
  };
}

function snippetOf(line: string, at: number, maxChars: number): Excerpt {
  return line.length <= maxChars
    ? { text: line, cutBefore: false, cutAfter: false }
    : excerptAround(line, at, maxChars);
}

/** The quick way, for most mail: of a long text only what is shown is put on one line. */
function plainSource(text: string, terms: readonly string[]): Source {
  let window: Window | null = null;
  // The snippet and the first fragment show the same place.
  const around = (at: number, maxChars: number): Window => {
    if (window === null || window.at !== at || window.maxChars < maxChars) {
      window = windowAround(text, at, maxChars);
    }
    return window;
  };
  return {
    nextHit: plainFinder(text, terms),
    snippet(at, maxChars) {
      const { line, hit } = around(at, maxChars);
      return snippetOf(line, hit, maxChars);
    },
    fragment(at, from) {
      const { line, hit, start } = around(at, HIGHLIGHT_CHARS);
      const before = from <= start ? 0 : asciiLine(text.slice(start, from), start === 0, false).length;
      const excerpt = excerptAround(line, hit, HIGHLIGHT_CHARS, before);
      return { ...excerpt, end: placeOf(text, start, excerpt.end) };
    },
  };
}

/** Characters on each side of a hit that are looked at first: on most lines words stand apart by one blank. */
const WINDOW_CHARS = 240;

/** A part of the line that an ASCII text becomes, for an excerpt of `maxChars` around `at`. */
interface Window {
  line: string;
  /** Where `at` has come to lie. */
  hit: number;
  /** Where the part begins in the text. */
  start: number;
  at: number;
  maxChars: number;
}

/**
 * So much of an ASCII text around `at`, on one line, that an excerpt of `maxChars` is cut from it as from the whole: on each
 * side more than it may take, or all there is.
 */
function windowAround(text: string, at: number, maxChars: number): Window {
  const enoughChars = maxChars + 2;
  for (let reach = WINDOW_CHARS; ; reach *= 4) {
    const start = Math.max(0, at - reach);
    const end = Math.min(text.length, at + reach);
    // A run of blanks that is cut here is one blank on either side, as it is in the whole.
    const left = asciiLine(text.slice(start, at), start === 0, false);
    const right = asciiLine(text.slice(at, end), at === 0, end === text.length);
    const isEnough =
      (start === 0 || left.length >= enoughChars) && (end === text.length || right.length >= enoughChars);
    if (isEnough) return { line: left + right, hit: left.length, start, at, maxChars };
  }
}

/** The place in an ASCII text where its line, taken from `start`, has come to `length` characters. */
function placeOf(text: string, start: number, length: number): number {
  let place = start;
  // Blanks at the beginning of a text do not count.
  if (start === 0) while (isBlank(text, place)) place += 1;
  for (let passed = 0; passed < length; passed += 1) {
    const wasBlank = isBlank(text, place);
    place += 1;
    while (wasBlank && isBlank(text, place)) place += 1;
  }
  return place;
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code <= 0x20 || code === 0x7f;
}

/** The excerpts that a search shows of one message. */
export interface Excerpts {
  snippet: Excerpt;
  /** Up to three fragments, without markup, that show hits: the subject's first, then the body's in order. */
  highlights: Excerpt[];
}

/** A line around the first hit in the body, or its beginning, and fragments that show hits. White space is folded in all. */
export function excerptsFor(fields: { subject: string; body: string }, terms: readonly string[]): Excerpts {
  const body = sourceOf(fields.body, terms);
  const subject = sourceOf(fields.subject, terms);
  const first = body.nextHit(0);
  const snippet = body.snippet(first ?? 0, SNIPPET_CHARS);
  const inSubject = subject.nextHit(0);
  const highlights: Excerpt[] = inSubject === null ? [] : [subject.fragment(inSubject, 0)];
  for (
    let hit = first, from = 0;
    hit !== null && highlights.length < MAX_HIGHLIGHTS;
    hit = body.nextHit(from)
  ) {
    const fragment = body.fragment(hit, from);
    highlights.push(fragment);
    from = Math.max(fragment.end, hit + 1);
  }
  return { snippet, highlights };
}

/**
 * A line of plain text from `text` around the first hit of a term, or its beginning if none occurs. Case and accents do
 * not count. White space is folded, a cut shows as `…`, and at most `maxChars` UTF-16 units come back.
 */
export function snippetFor(text: string, terms: readonly string[], maxChars = SNIPPET_CHARS): string {
  const source = sourceOf(text, terms);
  return shown(source.snippet(source.nextHit(0) ?? 0, maxChars));
}

/** The highlights of `excerptsFor` as texts. */
export function highlightsFor(fields: { subject: string; body: string }, terms: readonly string[]): string[] {
  return excerptsFor(fields, terms).highlights.map(shown);
}

/** An excerpt as text: an ellipsis stands for what is cut off. */
export function shown({ text, cutBefore, cutAfter }: Excerpt): string {
  return `${cutBefore ? "…" : ""}${text}${cutAfter ? "…" : ""}`;
}

/**
 * An excerpt as a JSON string. Its ellipses are written as escapes from the start: a string that once held one would stay at
 * two bytes a character in memory.
 */
export function excerptJson({ text, cutBefore, cutAfter }: Excerpt): string {
  const literal = latinJson(text);
  return cutBefore || cutAfter
    ? `"${cutBefore ? ESCAPED_ELLIPSIS : ""}${literal.slice(1, -1)}${cutAfter ? ESCAPED_ELLIPSIS : ""}"`
    : literal;
}

const BODY_OPENING = '{"body_text":"';

/** The text at the beginning of a stored body (`bodyJson`), as far as `start` reaches; null if the body begins otherwise. */
export function bodyTextStart(start: string): string | null {
  if (!start.startsWith(BODY_OPENING)) return null;
  const end = literalEnd(start, BODY_OPENING.length);
  const literal =
    end === -1
      ? closedLiteral(start.slice(BODY_OPENING.length - 1))
      : start.slice(BODY_OPENING.length - 1, end + 1);
  return ownJson<string>(literal);
}
