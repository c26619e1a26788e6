import { lazy } from "../lazy.ts";
import { currencySign, currencyOf, type MoneyContext } from "./currency.ts";

/** A sum of money as a text shows it. */
export interface Amount {
  /** Decimal number with a point, the decimals as written: `1234.56`. */
  value: string;
  /** ISO 4217; null where none stands beside the number. */
  currency: string | null;
  /** Where it stands in the line. */
  start: number;
  end: number;
}

/**
 * A number with its groups: of three digits behind a point, comma, blank or apostrophe, of two in India. Every repetition is
 * bounded, so a search is linear in the line.
 */
const NUMBER =
  "\\d{1,2}(?:,\\d{2}){1,4},\\d{3}(?:\\.\\d{1,2})?(?![\\d])|\\d{1,3}(?:[ .,'\u2019]\\d{3}){1,4}(?:[.,]\\d{1,2})?(?!\\d)|\\d{1,9}(?:[.,]\\d{1,3})?(?!\\d)";

/** With its currency before or behind, or both (`$42.50 USD`). A sign of letters stands apart from other letters. */
const amountForm = lazy(
  () =>
    new RegExp(
      `(?<![\\d.,:A-Za-z\u00c0-\u024f\u0400-\u04ff#/-])(?:(?<before>(?<!\\p{L})(?:${currencySign()}))(?![a-z]) ?)?(?<number>${NUMBER})(?: {0,2}(?<behind>(?:${currencySign()})(?![\\p{L}\\d])))?(?!\\s?%)`,
      "giu",
    ),
);
const signBefore = lazy(() => new RegExp(`(?<!\\p{L})(?:${currencySign()}) ?$`, "iu"));

/** Currencies with three decimals (ISO 4217): a point with three digits behind it makes no group. */
const THOUSANDTHS: ReadonlySet<string> = new Set(["BHD", "JOD", "KWD", "OMR", "TND"]);

/** Longest sign with its blank. */
const SIGN_CHARS = 8;

/** The amounts of a line, with a currency or without. Dates, percentages and parts of words are none. */
export function amountsIn(line: string, context: MoneyContext): Amount[] {
  const found: Amount[] = [];
  for (const match of line.matchAll(amountForm())) {
    const { before, number = "", behind } = match.groups ?? {};
    const end = match.index + match[0].length;
    const sign =
      before ?? signBefore().exec(line.slice(Math.max(0, match.index - SIGN_CHARS), match.index))?.[0];
    if (isPartOfMore(line, end)) continue;
    const currency = chosen(sign, behind, context);
    const isThousandths = THOUSANDTHS.has(currency ?? "") && /^\d{1,3}\.\d{3}$/.test(number);
    found.push({ value: isThousandths ? number : decimal(number), currency, start: match.index, end });
  }
  return found;
}

/** A number that goes on as a date, a version or a word is no amount. */
function isPartOfMore(line: string, end: number): boolean {
  return /^(?:[.,:/-]\d|[a-z]{2})/.test(line.slice(end, end + 2));
}

/** Of a sign before and one behind the code counts: `$42.50 CAD`. */
function chosen(
  before: string | undefined,
  behind: string | undefined,
  context: MoneyContext,
): string | null {
  const codes = [behind, before].filter((sign) => sign !== undefined);
  const code = codes.find((sign) => /^[A-Z]{3}$/.test(sign.trim())) ?? codes.at(-1);
  return code === undefined ? null : currencyOf(code, context);
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

/** A price of schema.org: `70.15`, `1,234.56` or `$70.00`; null if it holds no number, or several. */
export function priceOf(
  text: string | null,
  context: MoneyContext,
): { value: string; currency: string | null } | null {
  if (text === null) return null;
  const plain = text.trim();
  if (/^\d{1,12}(?:\.\d{1,4})?$/.test(plain)) return { value: plain, currency: null };
  const [first, ...others] = amountsIn(text.slice(0, 40), context);
  return first === undefined || others.length > 0 ? null : { value: first.value, currency: first.currency };
}
