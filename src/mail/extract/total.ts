import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { lowered } from "../code/key-words.ts";
import { amountsIn, type Amount } from "./amounts.ts";
import type { MoneyContext } from "./currency.ts";
import { grandTotalLabel, partialLabel, totalLabel } from "./money-words.ts";

/** The sum that was paid or is to be paid. */
export interface Total {
  value: string;
  currency: string | null;
  /** Whether the mail calls it the whole, and not just "amount". */
  isNamed: boolean;
}

/**
 * The sum that a mail calls its total, of several the last with the best name: a table adds up downwards. Parts (subtotal, tax,
 * delivery) are none, nor is a number without a currency and without decimals.
 */
export function totalIn(lines: readonly string[], context: MoneyContext): Total | null {
  const known = onlyCurrency(lines, context);
  for (const label of [grandTotalLabel, totalLabel]) {
    const totals = lines.flatMap((line, at) => {
      const amount = amountBehind(line, lines[at + 1] ?? "", label(), context);
      const currency = amount?.currency ?? known;
      return amount === null || currency === null
        ? []
        : [{ value: amount.value, currency, isNamed: label === grandTotalLabel }];
    });
    const last = totals.at(-1);
    if (last !== undefined) return last;
  }
  return null;
}

const including = lazy(() => new RegExp(anyOf(wordsOf(({ money }) => money?.including)), "u"));

/** The amount that a label names: behind it on its line, or alone on the next one. */
function amountBehind(line: string, next: string, label: RegExp, context: MoneyContext): Amount | null {
  const lower = lowered(line);
  const match = label.exec(lower);
  if (match === null || partialLabel().test(withoutLabel(lower, match))) return null;
  const end = match.index + match[0].length;
  const rest = line.slice(end);
  if (!/[\p{L}\d]/u.test(rest.replace(/\(.{0,40}\)/u, ""))) return isAlone(next, context);
  const amounts = amountsIn(rest, context).filter(isMoney);
  return amounts.find(({ currency }) => currency !== null) ?? amounts[0] ?? null;
}

/**
 * The words that may say that a sum is only a part: those before the label and in brackets, as in `Total (before tax)`, but
 * not `$5 (incl. tax)`.
 */
function withoutLabel(lower: string, { index }: RegExpExecArray): string {
  const brackets = /\(([^()]{0,60})\)/.exec(lower)?.[1] ?? "";
  const isIncluding = including().test(brackets);
  return `${lower.slice(0, index)} ${isIncluding ? "" : brackets}`;
}

const isMoney = ({ currency, value }: Amount): boolean => currency !== null || /\.\d{2}$/.test(value);

function isAlone(line: string, context: MoneyContext): Amount | null {
  const [amount, ...others] = amountsIn(line, context);
  if (amount === undefined || others.length > 0 || !isMoney(amount)) return null;
  const rest = line.slice(0, amount.start) + line.slice(amount.end);
  return /[\p{L}\d]/u.test(rest) && amount.currency === null ? null : amount;
}

/** The currency of a mail in which every amount has the same one. */
function onlyCurrency(lines: readonly string[], context: MoneyContext): string | null {
  const named = new Set<string>();
  for (const line of lines) {
    for (const { currency } of amountsIn(line, context)) if (currency !== null) named.add(currency);
    if (named.size > 1) return null;
  }
  const [only = null] = named;
  return only;
}
