import { MAX_SIGN_CHARS, signAtEnd, signAtStart, type MoneyContext, type Sign } from "./currency.ts";

/** A sum of money as a text shows it. */
export interface Amount {
  /** Decimal number with a point, the decimals as written: `1234.56`. */
  value: string;
  /** ISO 4217; null where none stands beside the number. */
  currency: string | null;
  /** Whether a sign or a name of a currency stands beside the number, though the mail may not tell which currency it means. */
  hasSign: boolean;
  isNegative: boolean;
  /** Where it stands in the line, with its signs. */
  start: number;
  end: number;
}

/**
 * A number with its groups: of three digits behind a point, comma, blank or apostrophe, of two in India. Not behind the mark of a
 * number or within a date. Every repetition is bounded, so a search is linear in the line.
 */
const NUMBER =
  /(?<![\d#]|\d[:.,]|(?<!\.)[.,]|[^\s(:：]-)(?:\d{1,2}(?:,\d{2}){1,4},\d{3}(?:\.\d{1,2})?(?!\d)|\d{1,3}(?:[ .,'\u2019]\d{3}){1,4}(?:[.,]\d{1,2})?(?!\d)|\d{1,9}(?:[.,]\d{1,3})?(?!\d))/gu;

/** Currencies with three decimals (ISO 4217): a point with three digits behind it makes no group. */
const THOUSANDTHS: ReadonlySet<string> = new Set(["BHD", "JOD", "KWD", "OMR", "TND"]);

/** Separators of Arabic and of full-width numbers, as ASCII. */
const westernSeparators = (line: string): string =>
  /[٬٫،，．]/.test(line)
    ? line.replace(/(?<=\d)[٬،，](?=\d)/g, ",").replace(/(?<=\d)[٫．](?=\d)/g, ".")
    : line;

/** The amounts of a line, with a currency or without. Dates, percentages and parts of words are none. */
export function amountsIn(written: string, context: MoneyContext): Amount[] {
  const line = westernSeparators(written);
  const found: Amount[] = [];
  for (const { 0: number, index: start } of line.matchAll(NUMBER)) {
    const end = start + number.length;
    // A sign behind the number before belongs to that one.
    const free = Math.max(found.at(-1)?.end ?? 0, start - MAX_SIGN_CHARS - 2);
    const signs: Signs = {
      before: signAtEnd(line.slice(free, start), context),
      behind: signBehind(line.slice(end, end + MAX_SIGN_CHARS + 4), context),
    };
    if (isAmount(line, start, number, signs)) found.push(amountAt(line, start, number, signs));
  }
  return found;
}

/** The signs of a currency beside a number. */
interface Signs {
  before: Sign | null;
  behind: Sign | null;
}

function isAmount(line: string, start: number, number: string, { before, behind }: Signs): boolean {
  const end = start + number.length;
  if (/^\s?[%٪]/.test(line.slice(end, end + 2))) return false;
  if (before === null) return !isBehindWord(line, start) && (behind !== null || !isPartOfMore(line, end));
  // One letter before a number may be that of a room or a size: `R120` is no money, `R120.00` is.
  return behind !== null || !/^\p{L}$/u.test(before.text) || /[.,]\d{2}$/.test(number);
}

function amountAt(line: string, numberStart: number, number: string, { before, behind }: Signs): Amount {
  const currency = chosen(before, behind);
  const isThousandths = THOUSANDTHS.has(currency ?? "") && /^\d{1,3}\.\d{3}$/.test(number);
  const start = before === null ? numberStart : line.lastIndexOf(before.text, numberStart);
  const numberEnd = numberStart + number.length;
  return {
    value: isThousandths ? number : decimal(number),
    currency,
    hasSign: before !== null || behind !== null,
    isNegative: isNegativeAt(line, start, numberStart),
    start,
    end: behind === null ? numberEnd : line.indexOf(behind.text, numberEnd) + behind.text.length,
  };
}

/** The sign that follows a number; `189:-` is Scandinavian, and `49,-` says that there are no cents. */
function signBehind(text: string, context: MoneyContext): Sign | null {
  const dash = /^[:,.][-–—](?![\d\p{L}])/u.exec(text)?.[0];
  if (dash === undefined) {
    const sign = signAtStart(text, context);
    // "2025 r." is a year in Polish; the rand is a capital.
    return sign !== null && /^[a-z]$/.test(sign.text) ? null : sign;
  }
  const behind = signAtStart(text.slice(dash.length), context);
  return behind ?? { text: dash, currency: dash.startsWith(":") ? context.krone : context.dash };
}

/** Whether a letter of a word, not of a currency, stands right before a number. */
const isBehindWord = (line: string, at: number): boolean =>
  /[/A-Za-z\u00c0-\u024f\u0370-\u052f]$/.test(line.slice(Math.max(0, at - 1), at));

/** A minus stands before the sign or between sign and number. */
const isNegativeAt = (line: string, start: number, numberAt: number): boolean =>
  /(?:^|[\s(:：])[-−–] ?$/.test(line.slice(Math.max(0, start - 3), start)) ||
  /[-−–] ?$/.test(line.slice(start, numberAt));

/** A number that goes on as a date, a version or a word is no amount. */
function isPartOfMore(line: string, end: number): boolean {
  return /^(?:[.,:/-]\d|[a-z]{2})/.test(line.slice(end, end + 2));
}

/** Of a sign before and one behind the code counts: `$42.50 CAD`; of two codes the first. */
function chosen(before: Sign | null, behind: Sign | null): string | null {
  const isCode = (sign: Sign | null): boolean => sign !== null && /^[A-Z]{3}$/.test(sign.text);
  if (isCode(before)) return before?.currency ?? null;
  if (isCode(behind)) return behind?.currency ?? null;
  return before?.currency ?? behind?.currency ?? null;
}

/** A written number as a decimal with a point. One separator with three digits behind it makes groups. */
export function decimal(written: string): string {
  const number = written.replace(/[ '\u2019]/g, "");
  const last = Math.max(number.lastIndexOf("."), number.lastIndexOf(","));
  if (last === -1) return withoutZeros(number);
  const separator = number.charAt(last);
  const fraction = number.slice(last + 1);
  const isRepeated = number.indexOf(separator) !== last;
  const isGroup =
    isRepeated || (fraction.length === 3 && !/[.,]/.test(number.slice(0, last)) && !/^0+[.,]/.test(number));
  const isGroupOfMixed = fraction.length === 3 && /[.,]/.test(number.slice(0, last));
  if (isGroup || isGroupOfMixed) return withoutZeros(number.replace(/[.,]/g, ""));
  return `${withoutZeros(number.slice(0, last).replace(/[.,]/g, ""))}.${fraction}`;
}

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, "");

/** A price of schema.org: `70.15`, `1,234.56` or `$70.00`; null if it holds no number, a negative one or several. */
export function priceOf(
  text: string | null,
  context: MoneyContext,
): { value: string; currency: string | null } | null {
  if (text === null) return null;
  const plain = text.trim();
  if (/^\d{1,12}(?:\.\d{1,4})?$/.test(plain)) return { value: plain, currency: null };
  // JSON writes very small and very large numbers with an exponent.
  if (/\d[ex][+-]?\d/i.test(plain)) return null;
  const [first, ...others] = amountsIn(plain.slice(0, 40), context);
  if (first === undefined || first.isNegative || others.length > 0) return null;
  return { value: first.value, currency: first.currency };
}
