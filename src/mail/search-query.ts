import { boundedText, foldText, holdsToken, searchablePhrase } from "./search-text.ts";

/** Characters of a query that are read: a few sentences. The rest is ignored, not refused, as a pasted text still finds. */
export const MAX_QUERY_CHARS = 1_000;

/** Words, phrases and operators of a query that count; each costs one look-up in the full-text index. */
export const MAX_QUERY_ITEMS = 32;

/** What a search asks for. All parts hold together (AND); an empty list or null asks nothing. */
export interface SearchQuery {
  /** A valid FTS5 expression for all columns, or null if no word of the query can be searched for. */
  match: string | null;
  /**
   * A valid FTS5 expression whose matches are to be left out. Set only when nothing but exclusions stand in the query
   * (`from:bob -draft`), as FTS5 has no NOT without a left side; otherwise `match` carries them.
   */
  without: string | null;
  /** The searched words and phrases in lower case, without operators and exclusions, for `snippetFor` and `highlightsFor`. */
  terms: string[];
  /** Substrings of the sender's name or address, as written; likewise `to` for recipients and `subject`. */
  from: string[];
  to: string[];
  subject: string[];
  labels: string[];
  hasAttachment: boolean | null;
  /** ms epoch; received strictly before. */
  before: number | null;
  /** ms epoch; received at or after. */
  after: number | null;
}

/** An item: sign, operator, and a phrase or a word. Phones and full-width keyboards write “ ” and `：`. */
const ITEM =
  /(?<sign>-)?(?:(?<operator>from|to|subject|label|has|before|after)[:：](?=\S))?(?:["“”„＂](?<phrase>[^"“”„＂]*)["“”„＂]?(?<star>\*)?|(?<word>[^\s"“”„＂]+))/giu;

/** A day or an ISO 8601 timestamp; without a zone it is UTC. */
const INSTANT = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

interface QueryItem {
  excluded: boolean;
  /** Lower case, "" for a word or a phrase. */
  operator: string;
  text: string;
  quoted: boolean;
  prefix: boolean;
}

interface Term {
  /** One quoted FTS5 phrase, with ` *` after it for a prefix. */
  expression: string;
  text: string;
  excluded: boolean;
  /** The bare word AND, OR or NOT, which may join other terms. */
  joiner: string | null;
}

function itemsOf(input: string): QueryItem[] {
  const items: QueryItem[] = [];
  for (const { groups = {} } of input.matchAll(ITEM)) {
    const { sign, operator, phrase, star, word } = groups;
    items.push({
      excluded: sign !== undefined,
      operator: operator?.toLowerCase() ?? "",
      text: phrase ?? word ?? "",
      quoted: phrase !== undefined,
      prefix: star !== undefined || (word?.endsWith("*") ?? false),
    });
    if (items.length === MAX_QUERY_ITEMS) break;
  }
  return items;
}

function readInstant(text: string): number | null {
  const [, day, zone] = INSTANT.exec(text) ?? [];
  if (day === undefined) return null;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Date.parse takes 30 February for 2 March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return null;
  if (text === day) return midnight;
  const instant = Date.parse(zone === undefined ? `${text}Z` : text);
  return Number.isNaN(instant) ? null : instant;
}

/** Narrows the time asked for by `before:` or `after:`; false if the date cannot be read. */
function applyInstant(query: SearchQuery, bound: "before" | "after", text: string): boolean {
  const instant = readInstant(text);
  if (instant === null) return false;
  const given = query[bound] ?? instant;
  query[bound] = bound === "before" ? Math.min(given, instant) : Math.max(given, instant);
  return true;
}

/** Adds what an operator asks for; false if it cannot be read, and the item is plain words. */
function applyOperator(query: SearchQuery, { operator, text, excluded }: QueryItem): boolean {
  if (operator === "has" && /^attachments?$/i.test(text)) {
    query.hasAttachment = !excluded;
    return true;
  }
  // The other conditions have no opposite here: `-from:bob` leaves out messages that hold these very words.
  if (excluded) return false;
  if (operator === "before" || operator === "after") return applyInstant(query, operator, text);
  const { from, to, subject, labels: label } = query;
  const values = new Map(Object.entries({ from, to, subject, label })).get(operator);
  if (values !== undefined && text.trim() !== "") values.push(text.trim());
  return values !== undefined;
}

/** The term of an item, null if the tokenizer would see nothing in it. */
function termOf({ operator, text, quoted, prefix, excluded }: QueryItem): Term | null {
  const words = operator === "" ? text : `${operator}:${text}`;
  const phrase = searchablePhrase(words);
  if (!holdsToken(phrase.text)) return null;
  return {
    expression: `"${phrase.text.replaceAll('"', '""')}"${prefix || phrase.prefix ? " *" : ""}`,
    text: words
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[\s\p{Cc}]+/gu, " ")
      .replace(/^[^\p{L}\p{N}\p{Co}]+|[^\p{L}\p{M}\p{N}\p{Co}]+$/gu, ""),
    excluded,
    joiner: !quoted && !excluded && /^(?:AND|OR|NOT)$/.test(words) ? words : null,
  };
}

/** What each term joins: AND, OR or NOT where it has something to join, null where it is a word like others. */
function joinersOf(terms: readonly Term[]): (string | null)[] {
  const joiners: (string | null)[] = [];
  for (const [at, { joiner }] of terms.entries()) {
    const before = joiners[at - 1] ?? null;
    const fits = joiner === "NOT" ? before === null || before === "AND" : before === null && at > 0;
    joiners.push(fits && at < terms.length - 1 ? joiner : null);
  }
  return joiners;
}

function groupTerms(terms: readonly Term[]): { alternatives: Term[][]; excluded: Term[] } {
  const joiners = joinersOf(terms);
  const alternatives: Term[][] = [];
  const excluded: Term[] = [];
  let open: Term[] | null = null;
  for (const [at, term] of terms.entries()) {
    if (joiners[at] !== null) continue;
    const before = joiners[at - 1];
    if (before === "NOT" || term.excluded) {
      excluded.push(term);
      open = null;
    } else if (before === "OR" && open !== null) {
      open.push(term);
    } else {
      open = [term];
      alternatives.push(open);
    }
  }
  return { alternatives, excluded };
}

function anyOf(terms: readonly Term[]): string {
  return `(${terms.map((term) => term.expression).join(" OR ")})`;
}

/**
 * Reads a search as people and agents type it; no input is an error. Words and "phrases" must all occur, exactly or by
 * stem (porter: `invoices` finds `invoice`); only `inv*` asks for a prefix. `a OR b` binds closer than AND, `-word` and
 * `NOT word` exclude. Operators: `from:` `to:` `subject:` `label:` `has:attachment` `before:` `after:` (`YYYY-MM-DD` in
 * UTC, or ISO 8601), each also with a "quoted value"; an unknown operator or an unreadable date is plain words.
 */
export function parseSearchQuery(input: string): SearchQuery {
  const query: SearchQuery = {
    match: null,
    without: null,
    terms: [],
    from: [],
    to: [],
    subject: [],
    labels: [],
    hasAttachment: null,
    before: null,
    after: null,
  };
  const words = itemsOf(boundedText(input, MAX_QUERY_CHARS)).filter((item) => !applyOperator(query, item));
  const { alternatives, excluded } = groupTerms(words.map(termOf).filter((term) => term !== null));
  const exclusion = excluded.length > 0 ? anyOf(excluded) : null;
  query.terms = [...new Set(alternatives.flat().map((term) => term.text))];
  if (alternatives.length === 0) return { ...query, without: exclusion };
  const wanted = alternatives.map(anyOf).join(" AND ");
  return { ...query, match: exclusion === null ? wanted : `(${wanted}) NOT ${exclusion}` };
}

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

/** Each term as it occurs in the text: as a whole word, else at a word's beginning, else by its stem. */
function needlesIn(folded: string, terms: readonly string[]): Needle[] {
  const needles = terms.slice(0, MAX_QUERY_ITEMS).map((term) => {
    const text = foldText(boundedText(term, MAX_QUERY_CHARS).normalize("NFC")).folded.trim();
    const forms = [
      { text, whole: true },
      { text, whole: false },
      { text: roughStem(text), whole: false },
    ];
    return text === "" ? undefined : forms.find((form) => findNeedle(folded, form, 0) !== -1);
  });
  return needles.filter((needle) => needle !== undefined);
}

/** A finder of the first hit of any term at or after an index of `text`; null if there is none. */
function hitFinder(text: string, terms: readonly string[]): (from: number) => number | null {
  if (terms.length === 0) return () => null;
  const { folded, origins } = foldText(text);
  const needles = needlesIn(folded, terms);
  return (from) => {
    const start = origins.findIndex((origin) => origin >= from);
    if (start === -1) return null;
    const hits = needles.map((needle) => findNeedle(folded, needle, start)).filter((at) => at !== -1);
    return hits.length === 0 ? null : (origins[Math.min(...hits)] ?? null);
  };
}

/** `text` on one line, as far as it is looked through. */
function onOneLine(text: string): string {
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

/**
 * A line of plain text from `text` around the first hit of a term, or its beginning if none occurs. Case and accents do
 * not count. White space is folded, a cut shows as `…`, and at most `maxChars` UTF-16 units come back.
 */
export function snippetFor(text: string, terms: readonly string[], maxChars = SNIPPET_CHARS): string {
  const line = onOneLine(text);
  if (line.length <= maxChars) return line;
  return excerptAround(line, hitFinder(line, terms)(0) ?? 0, maxChars).text;
}

/** Up to three fragments of plain text, without markup, that show hits: the subject's first, then the body's in order. */
export function highlightsFor(fields: { subject: string; body: string }, terms: readonly string[]): string[] {
  const subject = onOneLine(fields.subject);
  const inSubject = hitFinder(subject, terms)(0);
  const fragments = inSubject === null ? [] : [excerptAround(subject, inSubject, HIGHLIGHT_CHARS).text];
  const body = onOneLine(fields.body);
  const nextHit = hitFinder(body, terms);
  let hit = nextHit(0);
  for (let from = 0; hit !== null && fragments.length < MAX_HIGHLIGHTS; hit = nextHit(from)) {
    const excerpt = excerptAround(body, hit, HIGHLIGHT_CHARS, from);
    fragments.push(excerpt.text);
    from = Math.max(excerpt.end, hit + 1);
  }
  return fragments;
}
