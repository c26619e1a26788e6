import { lowered } from "../code/key-words.ts";
import { thousandths, type Mention, type MoneyText } from "./money-text.ts";
import { isSumOfBelow, sumsIn, type PriceRow } from "./money-sums.ts";
import { totalLabel } from "./shared-phrases.ts";
import type { ItemLine } from "./order-items.ts";
import { namesMethod, paidWith } from "./payment-method.ts";
import { pointsOf } from "./points.ts";
import { nameAbove, nameOf } from "./total-name.ts";

/** The sum that was paid or is to be paid. */
export interface Total {
  value: string;
  currency: string | null;
  /** The line it stands in. */
  at: number;
  /** Whether words or arithmetic say that it is the whole. */
  isNamed: boolean;
  /** Whether it stands in a row of a table or behind a label, and not in running text. */
  isRow: boolean;
  /** Whether the rows of the mail add up to it. */
  isSum: boolean;
}

/** Points for and against an amount; the best counts if it reaches `ENOUGH`. */
const POINTS = {
  /** Labelled as what is paid in the end. */
  grandTotal: 5,
  total: 4,
  /** In another currency than the prices, and labelled as paid with a card. */
  charged: 5,
  /** The rows above or below add up to it. */
  sum: 5,
  /** The other amounts of a sentence add up to it. */
  sumInLine: 3,
  largest: 2,
  smaller: -1,
  /** No other amount is in the mail. */
  only: 1,
  /** A word for the total stands before it in prose, if not right before. */
  inSentence: 1,
  /** In one line with a card or another way of paying. */
  besideMethod: 2,
  repeated: 1,
  /** Labelled as a part: tax, delivery, discount. */
  part: -6,
  item: -3,
  inBrackets: -3,
  otherCurrency: -4,
  negative: -6,
} as const;
const ENOUGH = 3;

/** The amounts of a mail as a whole. */
interface Setting {
  money: MoneyText;
  itemAt: ReadonlyMap<number, ItemLine>;
  /** The row to which the others add up. */
  grand: Mention | null;
  /** The amounts in the mail's currency that are called no part. */
  own: readonly Mention[];
  /** The largest of them, in thousandths. */
  most: number;
  /** How often each value stands in the mail. */
  counts: ReadonlyMap<string, number>;
}

/**
 * The sum that a mail is about: the one that its words call the total, to which its rows add up, that is the largest, or that
 * stands beside the card. Null where the evidence does not suffice.
 */
export function totalIn(money: MoneyText, items: readonly ItemLine[] = []): Total | null {
  const setting = settingOf(money, items);
  const known = money.mentions.filter(({ isMoney }) => isMoney || money.currency !== null);
  const judged = known.map((mention) => ({ mention, points: evidenceFor(mention, setting) }));
  const most = Math.max(...judged.map(({ points }) => points));
  const equals = judged.filter(({ points }) => points >= ENOUGH && points === most);
  // Of equals the last counts, since a table adds up downwards; in prose the first.
  const best = equals.findLast(({ mention }) => mention.isRow) ?? equals[0];
  if (best === undefined) return null;
  const { value, currency, at, isRow } = best.mention;
  return {
    value,
    currency: currency ?? money.currency,
    at,
    isRow,
    isNamed: best.points > POINTS.total,
    isSum: best.mention === setting.grand,
  };
}

const isOwn = (each: Mention, { currency }: MoneyText): boolean => (each.currency ?? currency) === currency;

function settingOf(money: MoneyText, items: readonly ItemLine[]): Setting {
  const itemAt = new Map(items.map((item) => [item.at, item]));
  const all = money.mentions.filter((each) => isOwn(each, money));
  const grand = grandTotalOf(
    all.filter(({ isRow }) => isRow),
    itemAt,
  );
  const own = withMethod(
    all.filter((each) => each.isMoney && !each.isInBrackets && (each === grand || nameOf(each) !== "part")),
  );
  const counts = new Map<string, number>();
  for (const { value } of money.mentions) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { money, itemAt, grand, own, most: Math.max(...own.map((each) => thousandths(each))), counts };
}

/** Where a sentence tells the way of paying, other sentences speak of other sums: of a plan that is offered, of what is left. */
function withMethod(own: readonly Mention[]): readonly Mention[] {
  const paid = own.filter(({ isRow, sentence }) => !isRow && namesMethod(sentence));
  return paid.length === 0 ? own : own.filter((each) => each.isRow || paid.includes(each));
}

function evidenceFor(each: Mention, { money, itemAt, grand, own, most, counts }: Setting): number {
  const isInCurrency = isOwn(each, money);
  const isLargest = isInCurrency && thousandths(each) === most;
  const name = isPassedOn(each, own) ? null : (nameOf(each) ?? nameAbove(each, money.lines));
  const isPaidWith = namesMethod(each.sentence) || paidWith().test(each.label);
  const isRepeated = (counts.get(each.value) ?? 0) > 1;
  return pointsOf(
    [name === "grandTotal", POINTS.grandTotal],
    [name === "total", POINTS.total],
    [name === "part" && (each !== grand || !isLargest), POINTS.part],
    [each === grand, POINTS.sum],
    [isLargest, POINTS.largest],
    [isInCurrency, isLargest ? 0 : POINTS.smaller],
    // An amount in another currency beside the card is what was charged.
    [!isInCurrency && !isPaidWith, POINTS.otherCurrency],
    [!isInCurrency, chargedPoints(each)],
    [own.length === 1 && own.includes(each), POINTS.only],
    [isPaidWith, POINTS.besideMethod],
    [isRepeated, POINTS.repeated],
    [isSumInLine(each, money.mentions), POINTS.sumInLine],
    [!each.isRow && totalLabel().test(sentenceBefore(each, money.lines)), POINTS.inSentence],
    [itemAt.has(each.at), POINTS.item],
    [each.isInBrackets, POINTS.inBrackets],
    [each.isNegative, POINTS.negative],
  );
}

/** An amount in another currency beside "paid with" is what the card was charged. */
const chargedPoints = ({ isRow, label }: Mention): number =>
  isRow && paidWith().test(label) ? POINTS.charged : 0;

/** The row to which the others add up: the last sum below its parts, or the first above them; null if none is one. */
function grandTotalOf(rows: readonly Mention[], itemAt: ReadonlyMap<number, ItemLine>): Mention | null {
  const prices = rows.map((row): PriceRow => {
    const item = itemAt.get(row.at)?.item;
    // The dash between an item and its price is no minus.
    return item === undefined
      ? { value: thousandths(row), quantity: 1 }
      : { value: Math.abs(thousandths(row)), quantity: Number(item.quantity ?? 1) };
  });
  const last = sumsIn(prices).at(-1);
  if (last !== undefined) return rows[last] ?? null;
  return isSumOfBelow(prices) ? (rows[0] ?? null) : null;
}

/** Whether an amount in prose is the sum of those before it, or of those behind it. */
function isSumInLine(each: Mention, known: readonly Mention[]): boolean {
  if (each.isRow) return false;
  const others = known.filter(({ at, currency }) => at === each.at && currency === each.currency);
  const place = others.indexOf(each);
  return [others.slice(0, place), others.slice(place + 1)].some(
    (parts) =>
      parts.length > 1 && parts.reduce((sum, part) => sum + thousandths(part), 0) === thousandths(each),
  );
}

/** Whether the name before an amount in prose is that of a larger one behind it: "the total with delivery of 4 € is 52 €". */
const isPassedOn = (each: Mention, own: readonly Mention[]): boolean =>
  !each.isRow &&
  own.some(
    ({ at, start, ...other }) =>
      at === each.at && start > each.start && Number(other.value) > Number(each.value),
  );

const MAX_SENTENCE_CHARS = 160;

/** The line up to an amount, in lower case. */
const sentenceBefore = ({ at, start }: Mention, lines: readonly string[]): string =>
  lowered((lines[at] ?? "").slice(Math.max(0, start - MAX_SENTENCE_CHARS), start));
