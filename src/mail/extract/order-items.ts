import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import type { z } from "zod";
import type { OrderItem } from "../../contract/extraction.ts";
import { lowered } from "../code/key-words.ts";
import { amountsIn } from "./amounts.ts";
import type { MoneyContext } from "./currency.ts";
import { grandTotalLabel, partialLabel, totalLabel } from "./money-words.ts";

export type Item = z.infer<typeof OrderItem>;

const MAX_ITEMS = 200;
const MAX_NAME_CHARS = 200;

/** `2 x Name`, `2× Name`. */
const COUNT_FIRST = /^(?:[-•*·] ?)?(?<count>\d{1,3}) ?[x×✕] ?(?=\S)/iu;
/** `Name x 2`, `Name ×2`, `Name (Qty: 2)`. */
const countLast = lazy(() => {
  const quantity = anyOf(wordsOf(({ order }) => order?.quantity));
  return new RegExp(
    `(?:[\\s,(]+(?:[x×✕] ?(?<count>\\d{1,3})|(?:${quantity})\\.?[:： ]{1,2}(?<named>\\d{1,3}))\\)?)\\s*$`,
    "iu",
  );
});

/** The lines of a text that show an item: those with a quantity and a price. */
export function itemsIn(lines: readonly string[], context: MoneyContext): Item[] {
  return lines.flatMap((line) => itemOf(line, context) ?? []).slice(0, MAX_ITEMS);
}

function itemOf(line: string, context: MoneyContext): Item | null {
  const price = amountsIn(line, context).findLast(({ currency }) => currency !== null);
  if (price === undefined) return null;
  const before = line.slice(0, price.start).replace(/[\s:：–—=@|.-]+$/u, "");
  const counted = countedName(before);
  if (counted === null || isSum(counted.name)) return null;
  return { ...counted, price: price.value };
}

/** A name with the count before or behind it. */
function countedName(text: string): { name: string; quantity: string } | null {
  const first = COUNT_FIRST.exec(text);
  const match = first ?? countLast().exec(text);
  if (match === null) return null;
  const { count, named } = match.groups ?? {};
  const name = (first === null ? text.slice(0, match.index) : text.slice(first[0].length)).trim();
  const isName = /\p{L}{2}/u.test(name) && name.length <= MAX_NAME_CHARS;
  return isName ? { name, quantity: String(Number(count ?? named)) } : null;
}

function isSum(name: string): boolean {
  const lower = lowered(name);
  return [grandTotalLabel, totalLabel, partialLabel].some((label) => label().exec(lower)?.index === 0);
}
