import { lastIndexedWord, wordsOfPhrase } from "./indexed-word.ts";
import { boundedText, holdsToken, searchablePhrase } from "./search-text.ts";

/** Characters of a query that are read: a few sentences. The rest is ignored, not refused, as a pasted text still finds. */
export const MAX_READ_CHARS = 1_000;

/** Words, phrases and conditions of a query that count; each costs one look-up in the full-text index. AND, OR and NOT cost none. */
export const MAX_QUERY_ITEMS = 32;

/** A search. All conditions must hold (AND); an empty list or null is no condition. */
export interface SearchQuery {
  /** A valid FTS5 expression for all columns, or null if no word of the query can be searched for. */
  match: string | null;
  /** `match` without what it leaves out; "" if that is null. */
  wanted: string;
  /** The words and phrases of `wanted`: one of each list must occur. */
  groups: readonly (readonly Phrase[])[];
  /** All words and phrases, with those that are left out. */
  phrases: readonly Phrase[];
  /** The beginnings of words that are asked for: the last word of each `inv*`, as the index holds it. */
  prefixes: string[];
  /** A valid FTS5 expression whose matches are to be left out, or null. `match` leaves them out itself. */
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
  /** The bare word AND, OR or NOT, which may join other items. */
  joiner: string | null;
}

/** A word, a phrase of several, or a prefix, as the full-text index looks for it. */
export interface Phrase {
  /** One quoted FTS5 phrase, with ` *` after it for a prefix. */
  expression: string;
  /** A valid FTS5 expression for each of its words. */
  words: readonly string[];
}

interface Term extends Phrase {
  /** The last word of the phrase as the index holds it, if that is a prefix; else null. */
  prefix: string | null;
  text: string;
  excluded: boolean;
  joiner: string | null;
}

/** The items that count, and whether there are more. */
function readItems(input: string): { items: QueryItem[]; isCut: boolean } {
  const items: QueryItem[] = [];
  let isCut = input.length > MAX_READ_CHARS;
  let counted = 0;
  let before: string | null = null;
  for (const { groups } of boundedText(input, MAX_READ_CHARS).matchAll(ITEM)) {
    const item = itemOf(groups ?? {});
    before = joins(item.joiner, before, items.length === 0) ? item.joiner : null;
    if (before === null) counted += 1;
    isCut ||= counted > MAX_QUERY_ITEMS;
    if (counted > MAX_QUERY_ITEMS) break;
    items.push(item);
  }
  // Half a word would find other mail, and an AND or OR without its second word would be searched as a word.
  const isInWord = counted <= MAX_QUERY_ITEMS && /^\S\S/.test(input.slice(MAX_READ_CHARS - 1));
  if (isInWord && items.length > 1) items.pop();
  while (isCut && items.length > 1 && items.at(-1)?.joiner != null) items.pop();
  return { items, isCut };
}

function itemOf({ sign, operator, phrase, star, word }: Record<string, string | undefined>): QueryItem {
  const text = phrase ?? word ?? "";
  const isBare = sign === undefined && operator === undefined && phrase === undefined;
  return {
    excluded: sign !== undefined,
    operator: operator?.toLowerCase() ?? "",
    text,
    quoted: phrase !== undefined,
    prefix: star !== undefined || (word?.endsWith("*") ?? false),
    joiner: isBare && /^(?:AND|OR|NOT)$/.test(text) ? text : null,
  };
}

/** Whether AND, OR or NOT can join, after the joiner `before` or after none. */
function joins(joiner: string | null, before: string | null, isFirst: boolean): boolean {
  if (joiner === "NOT") return before === null || before === "AND";
  return joiner !== null && before === null && !isFirst;
}

/** A hint that a part of the query was not read; "" if all of it was. */
export function unreadHint(input: string): string {
  if (!readItems(input).isCut) return "";
  return `Only the first ${MAX_QUERY_ITEMS} words, phrases and conditions in the first ${MAX_READ_CHARS} characters were searched for. Search for the others separately`;
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

/** Adds the condition of an operator; false if its value cannot be read, so that the item is searched as words. */
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

/** The operators, as hints to the caller list them. */
export const OPERATORS =
  "from: to: subject: label: has:attachment, and before: after: with a date such as 2026-11-21";

/** Operators of other mail programs. `re:` and a time of day are words. */
const FOREIGN_OPERATOR =
  /^(?:is|in|cc|bcc|body|text|date|since|until|on|newer|older|newer_than|older_than|larger|smaller|size|filename|file|attachment|list|category|type|status|read|unread|flag|folder|sender|recipient|tag|deliveredto|rfc822msgid):./i;

/** Limits of the items that are named to the caller: their number and the characters of each. */
const MAX_MISREAD = 5;
const MAX_MISREAD_CHARS = 40;

/**
 * The items of a query that look like an operator but are searched as words: those of other programs, or with an unreadable
 * value.
 */
export function misreadOperators(input: string): string[] {
  const asked = parseSearchQuery("");
  return readItems(input)
    .items.filter((item) =>
      item.operator === ""
        ? !item.quoted && FOREIGN_OPERATOR.test(item.text)
        : !item.excluded && !applyOperator(asked, item),
    )
    .slice(0, MAX_MISREAD)
    .map(({ operator, text }) =>
      (operator === "" ? text : `${operator}:${text}`).slice(0, MAX_MISREAD_CHARS),
    );
}

/** The term of an item, null if the tokenizer would see nothing in it. `isWhole`: prefixes are read as whole words. */
function termOf({ operator, text, prefix, excluded, joiner }: QueryItem, isWhole: boolean): Term | null {
  const words = operator === "" ? text : `${operator}:${text}`;
  const phrase = searchablePhrase(words);
  if (!holdsToken(phrase.text)) return null;
  const isPrefix = !isWhole && (prefix || phrase.prefix);
  const star = isPrefix ? " *" : "";
  const held = wordsOfPhrase(phrase.text);
  return {
    expression: `"${phrase.text.replaceAll('"', '""')}"${star}`,
    words: held.map((word, at) => `"${word}"${at < held.length - 1 ? "" : star}`),
    prefix: isPrefix ? lastIndexedWord(phrase.text) : null,
    text: words
      .normalize("NFKC")
      .toLowerCase()
      .replace(/[\s\p{Cc}]+/gu, " ")
      .replace(/^[^\p{L}\p{N}\p{Co}]+|[^\p{L}\p{M}\p{N}\p{Co}]+$/gu, ""),
    excluded,
    joiner,
  };
}

/** Which terms are operators: AND, OR or NOT where it has something to join, else null. */
function joinersOf(terms: readonly Term[]): (string | null)[] {
  const joiners: (string | null)[] = [];
  for (const [at, { joiner }] of terms.entries()) {
    const before = joiners[at - 1] ?? null;
    joiners.push(joins(joiner, before, at === 0) && at < terms.length - 1 ? joiner : null);
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
 *
 * @param isWhole whether `inv*` is read as the word `inv`.
 */
export function parseSearchQuery(input: string, isWhole = false): SearchQuery {
  const query: SearchQuery = {
    match: null,
    wanted: "",
    groups: [],
    phrases: [],
    prefixes: [],
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
  const words = readItems(input).items.filter((item) => !applyOperator(query, item));
  const terms = words.map((item) => termOf(item, isWhole)).filter((term) => term !== null);
  const { alternatives, excluded } = groupTerms(terms);
  const exclusion = excluded.length > 0 ? anyOf(excluded) : null;
  const phrases = [...alternatives.flat(), ...excluded];
  query.prefixes = phrases.flatMap(({ prefix }) => prefix ?? []);
  query.terms = [...new Set(alternatives.flat().map((term) => term.text))];
  if (alternatives.length === 0) return { ...query, phrases, without: exclusion };
  const wanted = alternatives.map(anyOf).join(" AND ");
  const match = exclusion === null ? wanted : `(${wanted}) NOT ${exclusion}`;
  return { ...query, match, wanted, groups: alternatives, phrases, without: exclusion };
}
