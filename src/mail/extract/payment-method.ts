import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import type { Words } from "../languages/language.ts";
import { anyOf, LETTERS, wordsOf } from "../languages/matching.ts";
import { cards, wallets } from "../tables/tables.ts";
import { cellsOf } from "./cells.ts";
import { labelled, phrases } from "./labelled-values.ts";
import { nameFinder } from "./names.ts";

/** Names that are also words of some language: they count with the digits of a card, or as the value of a label. */
const ALSO_WORDS: ReadonlySet<string> = new Set([
  "Alma",
  "Bit",
  "ביט",
  "Boost",
  "DANA",
  "Discover",
  "Elo",
  "Maya",
  "Mir",
  "МИР",
  "Swish",
  "Troy",
  "iDEAL",
  "IPS",
  "Plin",
  "নগদ",
  "فوري",
  "Meeza",
  "Humo",
  "Interac",
  "EFTPOS",
  "OVO",
  "Lydia",
  "街口支付",
  "Maestro",
]);

/** A known way of paying in a line. */
interface Method {
  name: string;
  isCard: boolean;
  /** Whether the line can mean nothing else: the name is no word of a language, or is written as the brand is. */
  isSure: boolean;
  /** Whether it is written as the brand is, capitals included. */
  isAsBrand: boolean;
  start: number;
  end: number;
}

const withKind = (table: Readonly<Record<string, Words>>, isCard: boolean) =>
  Object.entries(table).map(([name, words]) => [words, { name, isCard }] as const);

// An ending may follow behind an apostrophe or a hyphen: "Visa-kort", "Troy'dan".
const find = lazy(() => nameFinder([...withKind(cards(), true), ...withKind(wallets(), false)], LETTERS));

/** The ways of paying that a line names, in their order. */
const methodsIn = (line: string): Method[] =>
  find()(lowered(line)).map(({ value, start, end }) => {
    const isAsBrand = line.slice(start, end) === value.name;
    const isSure = !ALSO_WORDS.has(value.name) || (isAsBrand && value.name === "iDEAL");
    return { ...value, isSure, isAsBrand, start, end };
  });

/** Whether a line names one way of paying, or shows the last digits of a card. */
export function namesMethod(line: string): boolean {
  return MASKED.test(line) || methodsIn(line).some(({ isSure }) => isSure);
}

/** The last digits of a card behind dots, stars or crosses, as every mail masks them. */
const MASKED = /(?:[•*·∙●＊×]|\.{2}|…|(?<![\p{L}])[xX]{2,4})[•*·xX.…∙●＊× -]{0,24}(?<digits>\d{4})(?!\d)/u;

/** Digits beside the words for "ending in". */
const endingDigits = lazy(() => {
  const endingIn = anyOf(wordsOf(({ receipt }) => receipt?.cardEnding));
  return new RegExp(
    `(?:${endingIn})[\\s:：#"«„]{0,3}(?<behind>\\d{4})(?!\\d)|(?<!\\d)(?<before>\\d{4})['’\\s]{0,2}[\\p{L}]{0,3} ?(?:${endingIn})`,
    "u",
  );
});

/** Four digits that stand apart: no year, no part of a longer number, of a date or of an amount. */
const LONE_DIGITS =
  /(?<!\d[.,-]?|[:/#№€$£¥₹] ?)(?<digits>\d{4})(?![\d:/%]|[.,]\d|-\d| \d{3}|\s?[€$£¥₹₽₴₺₫₩])/gu;
const MAX_DIGITS_DISTANCE = 60;

const methodLabel = phrases(({ receipt }) => receipt?.methodLabel);
/** Finds words before a way of paying: "paid with". */
export const paidWith = phrases(({ receipt }) => receipt?.paidWith);

const MAX_METHOD_CHARS = 40;
/** Longer cells are sentences. */
const MAX_CELL_CHARS = 60;

/**
 * The method of payment: a card or wallet by name with its last digits, or the text behind a label as it is; null if the
 * text does not tell. Several ways of paying that a footer lists do not count. `paidAt` is the index of the line of the sum that was paid.
 */
export function paymentMethodIn(lines: readonly string[], paidAt: number | null = null): string | null {
  for (const { value } of labelled(lines, methodLabel())) {
    const known = knownMethod(value, true);
    if (known !== null) return known;
  }
  return cardIn(lines) ?? walletIn(lines, paidAt) ?? labelledMethod(lines);
}

/** A card with its digits, in any line that names no other. */
function cardIn(lines: readonly string[]): string | null {
  for (const line of lines) {
    const known = knownMethod(line, false);
    if (known !== null && /\d{4}$/.test(known)) return known;
  }
  return null;
}

/** A way of paying without digits: as a cell of its own, in the line of the sum, behind "paid with", or the only one of the mail. */
function walletIn(lines: readonly string[], paidAt: number | null): string | null {
  return walletInCell(lines) ?? walletBesideSum(lines, paidAt) ?? onlyWallet(lines);
}

function walletInCell(lines: readonly string[]): string | null {
  for (const line of lines) {
    const cells = cellsOf(line);
    const text = cells.at(-1)?.text ?? "";
    if (cells.length < 2 || text.length > MAX_CELL_CHARS) continue;
    if (cash().exec(lowered(text))?.[0].length === text.length) return text;
    const known = methodsIn(text)[0]?.start === 0 ? knownMethod(text, true) : null;
    if (known !== null) return known;
  }
  return null;
}

/** Finds ways of paying that are no brand. */
const cash = phrases(({ receipt }) => receipt?.cash);

function walletBesideSum(lines: readonly string[], paidAt: number | null): string | null {
  const sum = paidAt === null ? [] : [lines[paidAt] ?? ""];
  for (const line of [...sum, ...lines.filter((each) => paidWith().test(lowered(each)))]) {
    const methods = distinct(methodsIn(line));
    const [method] = methods;
    if (method === undefined || methods.length > 1) continue;
    if (method.isSure || (method.isAsBrand && isBehindPaidWith(line, method))) return method.name;
  }
  return null;
}

/** Whether a word for "paid with" leads to a way of paying: "via Swish". */
const isBehindPaidWith = (line: string, { start }: Method): boolean =>
  WITH.test(line.slice(Math.max(0, start - MAX_WITH_CHARS), start)) ||
  paidWith()
    .all(lowered(line))
    .some(({ end }) => end < start && /^ (?:\p{L}{1,5} )?$/u.test(line.slice(end, start)));

/** "With" in languages of brands that are words. */
const WITH = /\s(?:med|with|through|con|dengan|guna|pakai|avec|gamit ang) $/u;
const MAX_WITH_CHARS = 12;

/** The wallet that a mail names where it names one alone; a card without its digits may be a visa for travellers. */
function onlyWallet(lines: readonly string[]): string | null {
  const named = distinct(lines.flatMap(methodsIn).filter(({ isSure }) => isSure));
  const [only] = named;
  return only !== undefined && named.length === 1 && !only.isCard ? only.name : null;
}

function labelledMethod(lines: readonly string[]): string | null {
  const [first] = labelled(lines, methodLabel()).filter(({ isLabel, value }) => isLabel && isMethod(value));
  return first?.value.trim().replace(/[.;,]$/, "") ?? null;
}

/** Each way of paying once. */
const distinct = (methods: readonly Method[]): Method[] =>
  methods.filter(({ name }, at) => methods.findIndex((other) => other.name === name) === at);

/** A way of paying by its usual name with the digits that a line shows; null where several or none are named. */
function knownMethod(line: string, isLabelled: boolean): string | null {
  const all = distinct(methodsIn(line));
  const sure = all.filter(({ isSure, isAsBrand, isCard }) => isSure || (isCard && isAsBrand));
  const methods = sure.length > 0 || !isLabelled ? sure : all;
  const [card, ...otherCards] = methods.filter(({ isCard }) => isCard);
  const [method] = methods;
  if (method === undefined || methods.length > 2 || otherCards.length > 0) return null;
  // The digits beside a wallet are those of the card in it.
  const shown = card ?? method;
  const digits = lastDigits(line, shown);
  if (digits !== null) return `${shown.name} ${digits}`;
  return method.isSure || isLabelled ? method.name : null;
}

/** The last digits of a card: masked, beside words for "ending in", or the only four digits near its name. */
function lastDigits(line: string, method: Method): string | null {
  const ending = endingDigits().exec(lowered(line))?.groups;
  return (
    MASKED.exec(line)?.groups?.digits ??
    ending?.behind ??
    ending?.before ??
    (method.isCard ? loneDigits(line, method) : null)
  );
}

function loneDigits(line: string, { start, end }: Method): string | null {
  const found = [...line.matchAll(LONE_DIGITS)].filter(({ index, 0: digits }) => {
    const distance = index > end ? index - end : start - index - digits.length;
    return distance <= MAX_DIGITS_DISTANCE && !isYear(line, index, digits);
  });
  // The years of Thailand and of Iran: only what else is there counts.
  const others = found.filter(({ 0: digits }) => !/^(?:25[4-7]|13[89]|140)\d$/.test(digits));
  const [only, ...more] = others.length > 0 ? others : found;
  return more.length === 0 ? (only?.groups?.digits ?? null) : null;
}

/** A year of these times, unless brackets set it off. */
const isYear = (line: string, at: number, digits: string): boolean =>
  /^(?:19[5-9]|20[0-3])\d$/.test(digits) && !/^\d{4}\)/.test(line.slice(at));

const isMethod = (value: string): boolean =>
  value.length <= MAX_METHOD_CHARS && /^[\p{L}]/u.test(value) && !/[!?。]|\d{5}/u.test(value);
