import { lowered } from "../code/key-words.ts";
import { amountsIn, type Amount } from "./amounts.ts";
import { cellsOf, type Cell } from "./cells.ts";
import { currencyOfHeading, type MoneyContext } from "./currency.ts";

/** An amount of a mail, and how it stands in its line. */
export interface Mention extends Amount {
  /** The line's index. */
  at: number;
  /** The words before it in lower case: from the amount before, or from the beginning of its clause. */
  label: string;
  /** The words behind it in lower case, up to the next amount. */
  tail: string;
  isInBrackets: boolean;
  /** Whether it ends a row: a cell or a short label stands before it, and nothing of weight behind. */
  isRow: boolean;
  /** The sentence or the row that it stands in, in lower case. */
  sentence: string;
  /** Whether its currency stands with it or in the heading above, or it has two decimals: other numbers are no money for sure. */
  isMoney: boolean;
}

/** The amounts of a text. */
export interface MoneyText {
  lines: readonly string[];
  mentions: readonly Mention[];
  /** The currency that most amounts have, of several the first; null where no amount has one. */
  currency: string | null;
}

const MAX_LABEL_CHARS = 60;
const MAX_LABEL_WORDS = 8;
const MAX_TAIL_CHARS = 40;
/** Amounts of a mail that are looked at. */
const MAX_MENTIONS = 150;

/** Reads the amounts of these lines. */
export function moneyText(lines: readonly string[], context: MoneyContext): MoneyText {
  const mentions: Mention[] = [];
  let heading: string | null = null;
  for (const [at, line] of lines.entries()) {
    if (mentions.length >= MAX_MENTIONS) break;
    const amounts = /\d/.test(line) ? amountsIn(line, context) : [];
    const cells = cellsOf(line);
    if (amounts.length === 0) heading = headingCurrency(cells, context) ?? heading;
    mentions.push(...mentionsOf({ at, line, cells, amounts, heading, context }));
  }
  const isDashed = (each: Mention): boolean =>
    each.isNegative && /\S\s[-–—]\s$/.test((lines[each.at] ?? "").slice(0, each.start));
  const dashed = mentions.filter(isDashed);
  // Where dashes lead to most prices, they are no minus.
  const isLeading = 2 * dashed.length > mentions.length;
  return {
    lines,
    mentions: isLeading
      ? mentions.map((each) => (isDashed(each) ? { ...each, isNegative: false } : each))
      : mentions,
    currency: mainCurrency(mentions),
  };
}

/** The currency that a row of headings names: `Product   Qty   Sum, EUR`. */
const headingCurrency = (cells: readonly Cell[], context: MoneyContext): string | null =>
  cells.length < 2
    ? null
    : (cells.map(({ text }) => currencyOfHeading(text, context)).find((code) => code !== null) ?? null);

interface Line {
  at: number;
  line: string;
  cells: readonly Cell[];
  amounts: readonly Amount[];
  heading: string | null;
  context: MoneyContext;
}

function mentionsOf({ at, line, cells, amounts, heading, context }: Line): Mention[] {
  const last = cells.at(-1);
  const money = amounts.filter((amount) => isMoneyLike(amount, line, last, cells.length));
  const wordsBefore = (index: number): string => line.slice(money[index - 1]?.end ?? 0, money[index]?.start);
  const wordsBehind = (index: number): string => line.slice(money[index]?.end, money[index + 1]?.start);
  // A line is a row up to the first words of weight, and no row at all if it ends in prose.
  let isShortLine = money.length > 0 && isEnd(wordsBehind(money.length - 1));
  return money.map((amount, index) => {
    const words = wordsBefore(index);
    isShortLine &&= isShort(words, wordsBehind(index));
    const currency = amount.hasSign
      ? amount.currency
      : (currencyOfHeading(clause(words), context) ?? heading);
    return {
      ...amount,
      currency,
      at,
      label: lowered(clause(words)),
      tail: lowered(wordsBehind(index).slice(0, MAX_TAIL_CHARS)),
      sentence: lowered(sentenceAt(line, amount)),
      isInBrackets: isInBrackets(line, amount.start),
      isRow: cells.length > 1 ? isInCell(last, amount) : isShortLine,
      isMoney: amount.hasSign || currency !== null || /\.\d{2}$/.test(amount.value),
    };
  });
}

/** A number with its currency, or one with decimals or groups that is the last cell of a row, or ends a line. */
function isMoneyLike(amount: Amount, line: string, last: Cell | undefined, count: number): boolean {
  if (amount.hasSign) return true;
  const number = line.slice(amount.start, amount.end);
  const isFormatted = /\.\d{2}$/.test(amount.value) || (/\d[.,'٬،， \u2019]\d{3}/.test(number) && count > 1);
  if (!isFormatted || last === undefined) return false;
  return amount.start >= last.start && !/\p{L}/u.test(withoutBrackets(line.slice(amount.end)));
}

/** Ends a sentence: not the point of an ordinal number or of a short word. */
const SENTENCE_END = /(?:(?<!(?<![\d.,])\d{1,2}|(?<!\p{L})\p{L}{1,3})\.|[!?])\s|[。！？]/gu;

/** The sentence of a line that an amount stands in. */
function sentenceAt(line: string, { start, end }: Amount): string {
  const ends = [...line.matchAll(SENTENCE_END)].map(({ index }) => index + 1);
  return line.slice(ends.findLast((at) => at <= start) ?? 0, ends.find((at) => at >= end) ?? line.length);
}

/** The words of the clause that leads to an amount. */
function clause(text: string): string {
  if (text.length < MAX_LABEL_CHARS) return text.trim();
  const [words = ""] = text.split(/[.;!?。！；](?:\s|$)/u).slice(-1);
  return words.trim() === "" ? text.slice(-MAX_LABEL_CHARS).trim() : words.slice(-MAX_LABEL_CHARS).trim();
}

/** A text without what stands in its brackets. */
export const withoutBrackets = (text: string): string => text.replace(/[(（][^()（）]{0,80}[)）]?/gu, "");

function isShort(label: string, tail: string): boolean {
  // Behind a count stands the name of a thing, which may be long: "1 x Mountain cheese from goat's milk 1 kg — 24,50 €".
  const most = COUNTED.test(label) ? 2 : 1;
  const words = label.match(/[^\s\p{P}]+/gu) ?? [];
  return (
    label.length < most * MAX_LABEL_CHARS &&
    words.length <= most * MAX_LABEL_WORDS &&
    (/^\s*[,;]/.test(tail) || isEnd(tail))
  );
}

/** Begins with the number of pieces. */
const COUNTED = /^\s*(?:[-•*·] ?)?\d{1,3} ?[x×✕х] ?\S/iu;

/** Whether hardly any letters follow an amount, brackets apart. */
const isEnd = (tail: string): boolean =>
  withoutBrackets(tail).replace(/[^\p{L}]/gu, "").length <= MAX_END_LETTERS;

const MAX_END_LETTERS = 3;

/** Whether an amount is all that this cell holds. */
const isInCell = (cell: Cell | undefined, amount: Amount): boolean =>
  cell !== undefined && amount.start >= cell.start && isAlone(cell, amount);

/** Whether nothing but the amount is in its cell, brackets apart. */
function isAlone({ start, end, text }: Cell, amount: Amount): boolean {
  const rest = text.slice(0, amount.start - start) + text.slice(amount.end - start, end - start);
  return (
    withoutBrackets(rest).replace(/[^\p{L}\d]/gu, "").length <= 2 ||
    /[:：]\s*$/.test(text.slice(0, amount.start - start))
  );
}

function isInBrackets(line: string, at: number): boolean {
  const before = line.slice(0, at);
  return (
    Math.max(before.lastIndexOf("("), before.lastIndexOf("（")) >
    Math.max(before.lastIndexOf(")"), before.lastIndexOf("）"))
  );
}

function mainCurrency(mentions: readonly Mention[]): string | null {
  const counts = new Map<string, number>();
  for (const { currency, isInBrackets: isAside } of mentions) {
    if (currency !== null) counts.set(currency, (counts.get(currency) ?? 0) + (isAside ? 0.5 : 1));
  }
  const [most] = [...counts].toSorted(([, one], [, two]) => two - one);
  return most?.[0] ?? null;
}

/** An amount as a whole number of thousandths, to be added without errors of rounding. */
export const thousandths = ({ value, isNegative }: Amount): number =>
  Math.round(Number(value) * 1_000) * (isNegative ? -1 : 1);
