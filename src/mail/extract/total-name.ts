import { lowered } from "../code/key-words.ts";
import { withoutBrackets, type Mention } from "./money-text.ts";
import { grandTotalLabel, partialLabel, totalLabel } from "./shared-phrases.ts";

/** The meaning of a label for its amount: the whole for sure, perhaps the whole, or a part. */
type TotalName = "grandTotal" | "total" | "part";

/** The words around an amount, in lower case. */
type Surroundings = Pick<Mention, "label" | "tail" | "isRow">;

/** Reads from the words around an amount whether it is the whole or a part; null where they say nothing of that kind. */
export function nameOf({ label: words, tail, isRow }: Surroundings): TotalName | null {
  // In prose the words behind the last comma lead to the amount.
  const label = isRow ? words : lastClause(words);
  const grand = grandTotalLabel().exec(label);
  const whole = grand ?? totalLabel().exec(label);
  const part = partIn(label, isRow);
  const isFar = whole !== null && !isRow && label.length - endOf(whole) > PROSE_GAP_CHARS;
  if (whole === null || isFar) return part !== null || isCalledPart(tail, isRow) ? "part" : null;
  if (part !== null && isPart(label, part, whole, isRow)) return "part";
  return grand === null ? "total" : "grandTotal";
}

/** The word for a part in a label; in prose none that the label calls included in the sum. */
const partIn = (label: string, isRow: boolean): Match | null =>
  !isRow && INCLUDED.test(label) ? null : partialLabel().exec(label);

const lastClause = (words: string): string =>
  words.split(/[,،、，;]\s?/u).findLast((clause) => clause.trim() !== "") ?? "";

/** Whether the words behind an amount in prose call it a part: `5 € shipping`. */
const isCalledPart = (tail: string, isRow: boolean): boolean =>
  !isRow &&
  !INCLUDING.test(tail) &&
  partialLabel().test((withoutBrackets(tail).split(/[,;،、，]/u)[0] ?? "").slice(0, MAX_TAIL_CHARS));

/** Before a sum: the part that was named is in it ("KDV dahil 680 TL"). */
const INCLUDED =
  /(?:dahil|included|inclus[ao]?|incluid[ao]|inkl\.?|incl\.?|inbegrepen|включен|сметнат|mukaan lukien|hozzáadott|שכלול|कर सहित|सहित|সহ|உட்பட|含税|含稅|税込|込み?|포함)\)?:?\s*$/u;

/**
 * Behind a sum: the part that follows is in it ("with VAT", "of which"), or is the name of an amount in brackets ("186 € VAT (24 €)").
 */
const INCLUDING = new RegExp(
  "^\\s*(?:" +
    [
      "(?:(?:in[ck]l|inbegr|davon|včet|vráta|vključ|uključ|укључ|включ|συμπ|termasuk|kasama|sisält|įsk|شامل)[\\p{L}\\p{M}.]*",
      "con|com|amb|med|mit|avec|cu|with|z|ze|s|se|sa|с|со|з|із|са|με|bruttó|sis|sh|darin|dont|di cui|de los cuales|dos quais",
      "waarvan|heraf|herav|varav|hvorav|z czego|w tym|t\\. sk|в том числе|[ву] т\\. ?ч|bao gồm|đã gồm|gồm|kdv dahil|כולל)(?!\\p{L})",
      "含|税込|포함",
    ].join("|") +
    ")|[(（]\\s*$",
  "u",
);

const endOf = ({ index, 0: phrase }: Match): number => index + phrase.length;

/** Characters behind an amount in prose that may name it: `5 € shipping`. */
const MAX_TAIL_CHARS = 15;

/** Whether a word for a part counts beside one for the whole: it comes first or contains it, or it is left out. */
function isPart(label: string, part: Match, whole: Match, isRow: boolean): boolean {
  if (part.index < whole.index) return isRow || whole.index - endOf(part) <= ADJACENT_CHARS;
  if (part.index === whole.index) return part[0].length > whole[0].length;
  if (!isRow) return part.index >= endOf(whole);
  return EXCLUDING.test(label.slice(endOf(whole)));
}

/** Says that a total is without tax or delivery. */
const EXCLUDING =
  /before|\bexcl|\bwithout|\bexkl|\bohne\b|zzgl|\bhors\b|\bht\b|\bsin\b|\besclus|\bsenza\b|\bsem\b|\bbez\b|без|\buden\b|\butan\b|\buten\b|ilman|nélkül|hariç|chưa|belum|tidak termasuk|χωρίς|fără|税抜|税别|未税|未稅|不含|별도|غير شامل|بدون|לא כולל|לפני/u;

/** Characters between a name and its amount in prose. */
const PROSE_GAP_CHARS = 12;

/** Characters between the words of one name: "tax amount". */
const ADJACENT_CHARS = 2;

type Match = { index: number; 0: string };

/** The name in the line above an amount that stands alone. */
export function nameAbove(each: Mention, lines: readonly string[]): TotalName | null {
  const above = each.label === "" && each.isRow ? (lines[each.at - 1] ?? "") : "";
  if (above === "" || /\d/.test(above) || above.length > MAX_LABEL_CHARS) return null;
  return nameOf({ label: lowered(above), tail: "", isRow: true });
}

const MAX_LABEL_CHARS = 40;
