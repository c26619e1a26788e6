import type { z } from "zod";
import type { OrderItem } from "../../contract/extraction.ts";
import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { plainLines } from "../text/own-text.ts";
import { decimal } from "./amounts.ts";
import { cellsOf, type Cell } from "./cells.ts";
import { thousandths, type Mention, type MoneyText } from "./money-text.ts";
import { grandTotalLabel, partialLabel, totalLabel } from "./shared-phrases.ts";

export type Item = z.infer<typeof OrderItem>;

/** An item and the line that it stands in. */
export interface ItemLine {
  at: number;
  item: Item;
}

const MAX_ITEMS = 200;
const MAX_NAME_CHARS = 200;

/** A digit of any script. */
const DIGITS = "\\p{Nd}{1,3}";
/** Short words for "pieces" of many languages. */
const PIECES =
  "db|ks|szt|stk|st|kpl|vnt|gab|tk|kom|kos|buc|buah|шт|бр|pcs|pc|adet|uds?|unid|τεμ|개|点|個|个|件|本|冊|册|ชิ้น|عدد|टुकड़े";
/** `2 x Name`, `2× Name`, `2 pcs Name`. */
const COUNT_FIRST = new RegExp(
  `^(?:[-•*·] ?)?(?<count>${DIGITS}) ?(?:[x×✕х] ?(?=\\S)|(?:${PIECES})\\.? {1,2}(?=\\S))`,
  "iu",
);
/** `2 Name`. */
const BARE_COUNT = /^(?<count>\p{Nd}{1,2}) (?=\p{L}[\p{L}\p{M}]{2})/u;
/** `Name x 2`, `Name ×2`, `Name 2x`, `Name (Qty: 2)`. */
const countLast = lazy(() => {
  const quantity = anyOf(wordsOf(({ order }) => order?.quantity));
  return new RegExp(
    `(?:[\\s,(]+(?:[x×✕х*] ?(?<count>${DIGITS})|(?<before>${DIGITS}) ?[x×✕х]|(?<=[,(]\\s?)(?<pieces>${DIGITS}) ?(?:${PIECES})\\.?|(?:${quantity})\\.?[:： ]{1,2}(?<named>${DIGITS}))\\)?)\\s*$`,
    "iu",
  );
});
/** A cell that holds a quantity: `2`, `x2`, `2 pcs`, `2개`. */
const QUANTITY_CELL = new RegExp(
  `^[x×✕х]? ?(?<count>${DIGITS}) ?(?:[x×✕х]|(?!(?:[km]?g|[mcd]?l|[mck]?m|gb|tb|oz|lb|г|кг|мл|л|см|м)\\.?$)[\\p{L}\\p{M}]{1,7}\\.?)?$`,
  "iu",
);

/** Whether a line is longer than an item: prose. */
const MAX_LINE_CHARS = 260;

/**
 * The items of an order: rows with a price that tell a quantity in a cell of its own or beside the name. `written` are the
 * lines with the characters of the mail, for the names.
 */
export function itemsIn({ lines, mentions, currency }: MoneyText, written: readonly string[]): ItemLine[] {
  const priceAt = new Map<number, Mention>();
  for (const mention of mentions) {
    if (mention.isRow && (mention.currency ?? currency) === currency) priceAt.set(mention.at, mention);
  }
  const rows = [...priceAt.values()].map((price, index): Row => {
    const [line = "", original = ""] = [lines[price.at], written[price.at]];
    const above = written[price.at - 1] ?? "";
    return {
      line,
      written: original,
      price,
      position: index + 1,
      above: priceAt.has(price.at - 1) ? "" : above,
    };
  });
  const read = (form: RegExp): ItemLine[] =>
    rows.flatMap((row) => {
      const item = itemOf(row, form);
      return item === null ? [] : [{ at: row.price.at, item }];
    });
  const found = read(COUNT_FIRST);
  if (found.length > 0) return found.slice(0, MAX_ITEMS);
  // Numbers that begin the first rows, one row and the next, count things; a single one may be part of a name.
  const bare = read(BARE_COUNT);
  const isList = bare.length > 1 && bare.every(({ at }, index) => at === rows[index]?.price.at);
  return isList ? bare.slice(0, MAX_ITEMS) : [];
}

/** A line with a price. */
interface Row {
  line: string;
  /** The line in the characters of the mail. */
  written: string;
  price: Mention;
  /** Its place among the lines with prices, from 1. */
  position: number;
  /** The line before as written; "" if that has a price of its own. */
  above: string;
}

/** `first` is how a count before a name is written. */
function itemOf(row: Row, first: RegExp): Item | null {
  const { line, written, price, above } = row;
  if (line.length > MAX_LINE_CHARS) return null;
  const before = line.slice(0, price.start);
  // A dash between blanks leads from a name to its price; a minus stands at the number.
  if (price.isNegative && !/\s[-–—]\s$/.test(before)) return null;
  const read = (cells: readonly Cell[]): Counted | null =>
    countedCells(cells, row) ?? countedName(cells, first) ?? countedBelow(cells, above);
  const cells = cellsOf(before);
  const counted = read(cells);
  if (counted === null || isSum(counted.name)) return null;
  const named = read(cellsAsWritten(line, written, price, cells.length));
  const name = named !== null && named.quantity === counted.quantity ? named.name : counted.name;
  return { name, quantity: counted.quantity, price: price.value };
}

/** The cells before the price in the characters of the mail; none where the plain line does not tell where the price begins in it. */
function cellsAsWritten(line: string, written: string, price: Mention, count: number): Cell[] {
  if (written.length === line.length) return cellsOf(written.slice(0, price.start));
  const cells = cellsOf(written);
  return cells.length > count && cells.length === cellsOf(line).length ? cells.slice(0, count) : [];
}

interface Counted {
  name: string;
  quantity: string;
}

/** A row with a cell for the quantity and one for the name, in any order; other cells hold numbers. */
function countedCells(cells: readonly Cell[], row: Row): Counted | null {
  const names = cells.filter(({ text }) => isName(text) && !QUANTITY_CELL.test(text));
  const count = quantityOf(cells, row);
  const [name] = names;
  if (count === null || name === undefined || names.length > 1) return null;
  return { name: name.text, quantity: plainNumber(count) };
}

/** The cell that is the quantity: of several, the one by which the price of a piece gives that of the line, or not the position. */
function quantityOf(cells: readonly Cell[], { price, position }: Row): string | null {
  const counts = cells.flatMap(({ text }) => QUANTITY_CELL.exec(text)?.groups?.count ?? []);
  const [first, second, third] = counts;
  if (second === undefined) return first ?? null;
  const each = decimal(/\p{Nd}[\p{Nd}.,' \u2019]{0,16}/u.exec(cells.at(-1)?.text ?? "")?.[0].trim() ?? "");
  const times = (count: string): number => Math.round(Number(each) * 1_000) * Number(plainNumber(count));
  const fitting = counts.find((count) => times(count) === thousandths(price));
  const isNumbered = third === undefined && first !== undefined && plainNumber(first) === String(position);
  return fitting ?? (isNumbered ? second : null);
}

/** A row with only a labelled quantity and a price, below a line with the name. */
function countedBelow([cell, ...others]: readonly Cell[], above: string): Counted | null {
  const match = cell === undefined || others.length > 0 ? null : countLast().exec(` ${cell.text}`);
  if (match?.index !== 0 || !isTitle(above)) return null;
  const { named, count } = match.groups ?? {};
  return { name: above.trim(), quantity: plainNumber(named ?? count ?? "1") };
}

const isTitle = (line: string): boolean =>
  isName(line) && cellsOf(line).length === 1 && !/[.!?:：]$/.test(line.trim());

/** A name with the count before or behind it, in one cell. */
function countedName(cells: readonly Cell[], countFirst: RegExp): Counted | null {
  const [cell] = cells;
  if (cell === undefined) return null;
  const text = cell.text.replace(/^[・•·*]\s?|[\s:：–—=@|.…-]+$/gu, "");
  const first = countFirst.exec(text);
  const match = first ?? countLast().exec(text);
  if (match === null) return null;
  const { count, before, pieces, named } = match.groups ?? {};
  const name = (first === null ? text.slice(0, match.index) : text.slice(first[0].length)).trim();
  return isName(name) ? { name, quantity: plainNumber(count ?? before ?? pieces ?? named ?? "1") } : null;
}

/** Whether a text can be the name of a thing: it has words, and more letters than a price with its currency. */
function isName(text: string): boolean {
  const bare = text.replace(MEASURE, "");
  const letters = bare.replace(/[^\p{L}]/gu, "").length;
  const digits = bare.replace(/\P{Nd}/gu, "").length;
  return letters > 1 && (letters > digits || letters > MAX_SIGN_LETTERS) && text.length <= MAX_NAME_CHARS;
}

const MAX_SIGN_LETTERS = 3;
/** How much of a thing there is: "100g", "0,5 l". */
const MEASURE =
  /(?<!\p{Nd})\p{Nd}{1,5}(?:[.,]\p{Nd}{1,3})? ?(?:[km]?g|[mcd]?l|[cm]?m|gb|tb|oz|lb|г|кг|мл|л|см|м)(?![\p{L}\p{Nd}])/giu;

/** A number in the digits of any script, in ASCII without leading zeros. */
function plainNumber(digits: string): string {
  return String(Number(plainLines([digits]).join("")));
}

/** Whether a name is that of a sum or a part, such as delivery, and not of a thing that begins so: "Shipping boxes". */
function isSum(name: string): boolean {
  const lower = lowered(name);
  return [grandTotalLabel, totalLabel, partialLabel].some((label) => {
    const match = label().exec(lower);
    return match?.index === 0 && 2 * match[0].length > lower.length;
  });
}
