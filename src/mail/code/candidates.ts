import { lazy } from "../lazy.ts";
import { anyOf, keyWordsOf, LETTERS, wordsOf } from "../languages/matching.ts";

/** A code has 4 digits at least (a card's PIN) and 10 at most (longer ones are account and tracking numbers). */
const MIN_DIGITS = 4;
const MAX_DIGITS = 10;

/** Letters and hyphens included; `XXXX-XXXX` device codes have 9, the longest seen 11. */
const MAX_CODE_CHARS = 12;

/** Longer runs of letters and digits are hashes, tokens and base64. */
const MAX_TOKEN_CHARS = 24;

/** A line with more words is a page of HTML run together; its code stands in the beginning. */
const MAX_LINE_TOKENS = 5_000;

/** How far the characters around a number are looked at for a currency, a unit or a phone's `+`. */
const AFFIX_CHARS = 24;

/** How much a number looks like a code before its surroundings are read. */
export type Shape =
  | "digits"
  /** Reads as a year or a calendar date too. */
  | "date"
  /** Letters with digits, or hyphenated groups of both. */
  | "mixed"
  /** As a coupon or a document number is formed: `SAVE20`, `INV-48213`. */
  | "wordy"
  /** Digits in groups of different length: `371 4408`, `90-31-7752`. */
  | "uneven"
  /** One of such groups: `4408` of `371 4408`. */
  | "part"
  /** Hyphenated groups of capitals: `WDJB-MJHT`. */
  | "letters"
  /** One run of capitals, which any heading is too. */
  | "capitals";

/** A number or token that may be a code, in one line of text. */
export interface Candidate {
  /** As a client types it: digits joined, service prefix dropped. */
  value: string;
  shape: Shape;
  /** One digit to a word or cell. */
  form: "run" | "boxes";
  start: number;
  end: number;
}

interface Token {
  text: string;
  start: number;
  end: number;
}

// Letters that are not ASCII belong to the token, so that no code is cut out of a word.
const TOKEN =
  /[0-9A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1eff][0-9A-Za-z\u00c0-\u024f\u0370-\u052f\u1e00-\u1eff-]*/g;

/** Every code matches this: a digit, or capitals in a row or in groups. Most lines of prose do not, and are skipped. */
const MAY_HOLD_CODE = /[0-9]|[A-Z]{5}|[A-Z]{3}-[A-Z]{3}|^ *[A-Z] +[A-Z] /;

/** One character to a cell, and nothing else in the line. */
const BOXES = /^ *(?=[0-9 ]*[A-Z])[0-9A-Z](?: +[0-9A-Z]){3,9} *$/;

function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  for (const match of line.matchAll(TOKEN)) {
    if (tokens.length >= MAX_LINE_TOKENS) break;
    if (match[0].length > MAX_TOKEN_CHARS) continue;
    const text = match[0].replace(/-+$/, "");
    tokens.push({ text, start: match.index, end: match.index + text.length });
  }
  return tokens;
}

const isDigits = (text: string): boolean => /^[0-9]+$/.test(text);

function isDate(digits: string): boolean {
  const valid = (year: string, month: string, day: string): boolean =>
    /^(?:19|20)/.test(year) &&
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= 31;
  if (digits.length === 4) return /^(?:19|20[0-3])/.test(digits);
  if (digits.length !== 8) return false;
  const [a, b, c, d] = [digits.slice(0, 2), digits.slice(2, 4), digits.slice(4, 6), digits.slice(6)];
  return valid(a + b, c, d) || valid(c + d, b, a) || valid(c + d, a, b);
}

function digitShape(digits: string): Shape | null {
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return null;
  return isDate(digits) ? "date" : "digits";
}

/** Codes are grouped evenly (3-3, 4-4, 2-2-2, single digits); phones, ZIP+4 and dates are not. */
function isEvenlyGrouped(groups: readonly string[]): boolean {
  const size = groups[0]?.length ?? 0;
  const total = size * groups.length;
  if (groups.some((group) => group.length !== size)) return false;
  if (total < MIN_DIGITS || total > MAX_DIGITS) return false;
  // 2-2 is a range or a time, 2-2-2-2-2 a French phone, 3-3-3 and 1-1… fit a code.
  return !(size === 2 && (groups.length === 2 || groups.length === 5));
}

const MIN_UNEVEN_DIGITS = 5;
const MAX_UNEVEN_DIGITS = 8;

/** Whether three groups are a date: 12-05-2024, 2024-12-05. */
function isDateInGroups([first = "", second = "", third = ""]: readonly string[]): boolean {
  const [year, day] = first.length === 4 ? [first, third] : [third, first];
  return Number(day) <= 31 && Number(second) <= 31 && /^(?:19|20)?\d\d$/.test(year);
}

/** Groups of different length that neither a date, a telephone number nor thousands are written in. */
function isUnevenlyGrouped(groups: readonly string[]): boolean {
  const lengths = groups.map(({ length }) => length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total < MIN_UNEVEN_DIGITS || total > MAX_UNEVEN_DIGITS) return false;
  if (new Set(lengths).size === 1 || lengths.some((length) => length < 2 || length > 4)) return false;
  // Thousands, "12 345", and the postcodes of four countries, "590 71".
  if (groups.length === 2) return lengths[1] !== 3 && lengths.join("-") !== "3-2";
  return groups.length === 3 && !isDateInGroups(groups);
}

function hyphenatedDigits(groups: readonly string[]): string | null {
  if (!isEvenlyGrouped(groups)) return null;
  const numbers = groups.map(Number);
  // 12-05-24 is a date in some country; 2024-2025 a span of years.
  if (groups[0]?.length === 2 && numbers.filter((number) => number <= 31).length === numbers.length)
    return null;
  if (groups.length === 2 && groups.every((group) => group.length === 4 && isDate(group))) return null;
  return groups.join("");
}

/** Sizes, ordinals, hexadecimals, versions and product names: `15min`, `2nd`, `0x1f4a`, `v1234`, `iOS17`. */
const NAMED_NUMBER = /^(?:[0-9]+[a-z]{1,3}|0x[0-9A-Fa-f]+|[vx][0-9]+|[A-Za-z]*[a-z][A-Za-z]*[0-9]{1,2})$/;

function unhyphenatedShape(text: string): Shape | null {
  if (text.length < MIN_DIGITS || text.length > MAX_DIGITS || !/^[0-9A-Za-z]+$/.test(text)) return null;
  if (/^[A-Z]+$/.test(text)) return text.length >= 5 && text.length <= 8 ? "capitals" : null;
  if (!/[0-9]/.test(text) || NAMED_NUMBER.test(text)) return null;
  return /^[A-Z]{3,}[0-9]{1,4}[A-Z]{0,2}$/.test(text) ? "wordy" : "mixed";
}

/** Whether groups of capitals and digits are as long as those of a code: "44017-B", but no "A-4711-B". */
function areCodeGroups(groups: readonly string[]): boolean {
  const joined = groups.join("");
  if (joined.length + groups.length - 1 > MAX_CODE_CHARS || joined.length < 6) return false;
  // A single character at the end is a check digit or letter.
  return groups.every(
    (group, at) => /^[0-9A-Z]{1,6}$/.test(group) && (group.length > 1 || at === groups.length - 1),
  );
}

function hyphenatedShape(groups: readonly string[]): Shape | null {
  if (!areCodeGroups(groups)) return null;
  const size = groups[0]?.length ?? 0;
  if (!/[0-9]/.test(groups.join(""))) {
    return size >= 3 && groups.every((group) => group.length === size) ? "letters" : null;
  }
  return /^[A-Z]{3,}$/.test(groups[0] ?? "") && isDigits(groups.slice(1).join("")) ? "wordy" : "mixed";
}

function formOf(groups: readonly string[]): { value: string; shape: Shape | null } | null {
  const [first = "", ...others] = groups;
  const rest = others.join("");
  if (groups.every(isDigits)) {
    if (isUnevenlyGrouped(groups)) return { value: groups.join(""), shape: "uneven" };
    const value = others.length === 0 ? first : hyphenatedDigits(groups);
    return value === null ? null : { value, shape: digitShape(value) };
  }
  // "G-482913": the letters name the service and are not typed.
  if (others.length === 1 && /^[A-Z]{1,2}$/.test(first) && isDigits(rest) && digitShape(rest) !== null) {
    return { value: rest, shape: "digits" };
  }
  return {
    value: groups.join("-"),
    shape: others.length === 0 ? unhyphenatedShape(first) : hyphenatedShape(groups),
  };
}

function tokenCandidate({ text, start, end }: Token): Candidate | null {
  const form = formOf(text.split("-"));
  return form === null || form.shape === null
    ? null
    : { value: form.value, shape: form.shape, form: "run", start, end };
}

/** Numbers that only spaces part: one grouped code, a phone or card number (none), or numbers on their own. */
function runCandidates(run: readonly Token[]): Candidate[] {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined) return [];
  const groups = run.map((token) => token.text);
  if (run.length > 1) {
    const value = isEvenlyGrouped(groups) ? groups.join("") : "";
    const form = first.text.length === 1 ? "boxes" : "run";
    if (value !== "") return [{ value, shape: "digits", form, start: first.start, end: last.end }];
    if (isUnevenlyGrouped(groups)) {
      const whole: Candidate = {
        value: groups.join(""),
        shape: "uneven",
        form: "run",
        start: first.start,
        end: last.end,
      };
      const parts = run.map(tokenCandidate).filter((candidate) => candidate !== null);
      return [whole, ...parts.map((part): Candidate => ({ ...part, shape: "part" }))];
    }
    if (run.length > 2 && groups.join("").length >= 8) return [];
    if (groups.every((group) => group.length === first.text.length && group.length < 6)) return [];
  }
  return run.map(tokenCandidate).filter((candidate) => candidate !== null);
}

const CURRENCY = "[$€£¥￥₹₩₽₺₫฿₱₴₪]";

/** Codes and signs of currencies that are written in letters. */
const CURRENCY_LETTERS =
  "usd|eur|gbp|jpy|cny|rmb|inr|krw|brl|rub|try|vnd|idr|pln|chf|cad|aud|sek|nok|dkk|mxn|aed|sar|egp|hkd|twd|sgd|rs|rp|zł|руб|р|tl|kr|đ";
const currencyWord = lazy(
  () => `(?:${CURRENCY_LETTERS}|${anyOf(wordsOf(({ sentence }) => sentence?.money))})`,
);

/** Matches the text right before a number that is no code: a currency, `+`, `#`, a path, a decimal, a mask (`••4829`). */
const badBefore = lazy(
  () =>
    new RegExp(
      `(?:[/\\\\&?%@+^~#№]|[0-9a-z][.,_]|\\.\\.|…|[•●]|[0-9][0-9a-f]{0,3}:|::|${CURRENCY} ?|(?:^|[^a-zа-я])${currencyWord()}\\.? ?|\\*{2,} |\\+[0-9 ()-]*)$`,
      "i",
    ),
);

/** Matches the text right behind such a number: a decimal, a path, a domain, a percentage, a currency. */
const badAfter = lazy(
  () =>
    new RegExp(
      `^(?:[.,:/][0-9]|[/\\\\@&%°]|\\.[a-z]|:[0-9a-f]| ?%| ?${CURRENCY}| ?${currencyWord()}(?![a-zа-яё\\u00c0-\\u024f\\u1e00-\\u1eff]))`,
    ),
);

/** Units behind a number; those of languages that attach words follow it directly. */
const unitAfter = lazy(() => {
  const { whole, anywhere } = keyWordsOf(({ sentence }) => sentence?.units);
  const symbols = "ms|s|h|km|kg|g|lbs|ml|gb|mb|kb|px|pts";
  return new RegExp(`^(?:[ -]?(?:${symbols}|${anyOf(whole)})(?![${LETTERS}])| ?(?:${anyOf(anywhere)}))`, "u");
});

const WEB_OTP_ORIGIN = /(?:^|\s)@[a-z0-9.-]+ #$/i;

/** A US state before a ZIP code. */
const STATE = /(?:^|[\s,])[A-Z]{2} $/;

/** The label of an Indian postcode in an address; elsewhere "pincode" is the code of a card or a door. */
const INDIAN_PIN = /(?:^|, ?)pin ?code ?[:-]? ?$/i;

/** Whether a number is a part of one of which digits are hidden: "**4829" of a card (but "**482913**" is bold), "0533 *** ** 18". */
function isMasked(before: string, after: string): boolean {
  if (before.endsWith("*") && !after.startsWith("*")) return true;
  return before.endsWith("_") !== after.startsWith("_") || /^ ?[*•]+[ *•]*\d/.test(after);
}

function isAffixed(line: string, candidate: Candidate): boolean {
  const before = line.slice(Math.max(0, candidate.start - AFFIX_CHARS), candidate.start);
  const after = line.slice(candidate.end, candidate.end + AFFIX_CHARS);
  const lowerAfter = after.toLowerCase();
  if (isMasked(before, after)) return true;
  if (/^\d{5}$/.test(candidate.value) && STATE.test(before)) return true;
  if (/^[1-8]\d{5}$/.test(candidate.value) && INDIAN_PIN.test(before)) return true;
  if (badBefore().test(before) && !isWebOtp(line, candidate)) return true;
  return (
    badAfter().test(after) ||
    badAfter().test(lowerAfter.replace(/^\.[a-z]/, "")) ||
    unitAfter().test(lowerAfter)
  );
}

/** Whether the code stands as the WebOTP format wants it: `@example.com #482913`. */
export function isWebOtp(line: string, candidate: Candidate): boolean {
  return WEB_OTP_ORIGIN.test(line.slice(Math.max(0, candidate.start - 100), candidate.start));
}

/** Letters, with or without digits, that stand in boxes; digits alone are a run like any other. */
function boxesIn(line: string): Candidate | null {
  if (!BOXES.test(line)) return null;
  const value = line.replaceAll(" ", "");
  const shape = /[0-9]/.test(value) ? "mixed" : "capitals";
  const start = line.search(/[^ ]/);
  return { value, shape, form: "boxes", start, end: line.trimEnd().length };
}

/**
 * The numbers and tokens of a line that have the form of a code, left to right. Years and dates come back marked; prices,
 * phones, quantities, colours, addresses and parts of longer numbers do not come back.
 */
export function candidatesIn(line: string): Candidate[] {
  if (!MAY_HOLD_CODE.test(line)) return [];
  const boxes = boxesIn(line);
  if (boxes !== null) return [boxes];
  const found: Candidate[] = [];
  let run: Token[] = [];
  const endRun = (): void => {
    found.push(...runCandidates(run));
    run = [];
  };
  for (const token of tokensOf(line)) {
    const last = run.at(-1);
    const gap = last === undefined ? "" : line.slice(last.end, token.start);
    if (last !== undefined && (!isDigits(token.text) || !/^(?: {1,3}| ?[·|] ?)$/.test(gap))) endRun();
    if (isDigits(token.text)) run.push(token);
    else found.push(...[tokenCandidate(token)].filter((candidate) => candidate !== null));
  }
  endRun();
  return found.filter((candidate) => !isAffixed(line, candidate));
}
