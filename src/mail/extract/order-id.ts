import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { labelled, phrases } from "./labelled-values.ts";

/** Names of an order's number that can be nothing else. */
const numberLabel = phrases(({ order }) => order?.numberLabel);

/** Words for an order, behind which a number with a sign, or a long one, is its number. */
const orderWord = phrases(({ order }) => order?.word);

const TOKEN = "(?<id>(?=[A-Z\\d/_-]{0,30}\\d)[A-Z\\d][A-Z\\d]*(?:[-/_.][A-Z\\d]+){0,6})";
/** The number right behind its label. A label may be followed by another word for "number". */
const labelledId = lazy(() => {
  const is = anyOf(wordsOf(({ order }) => order?.beforeNumber));
  return new RegExp(`^(?:(?:${is})|:|：|is:)?[\\s:：#№]*(?:n[°º.]|nr\\.?|no\\.?)?[\\s:：#№]*${TOKEN}`, "iu");
});
const SIGNED_ID = new RegExp(`^[\\s(:"']*(?:\\p{L}{3,14} )?(?:[#№]|n[°º]|nr\\.?|no\\.) ?${TOKEN}`, "iu");
const LONG_ID = new RegExp(`^[\\s:("']*${TOKEN}`, "u");

const MIN_ID_CHARS = 3;
const MIN_LONG_CHARS = 6;
const MAX_ID_CHARS = 32;

/** The number of an order, and whether a label named it. */
export interface OrderId {
  value: string;
  isLabelled: boolean;
}

/** The number of the order a mail is about: behind a label in the text or the subject, or a marked one behind "order". */
export function orderIdIn(subject: string, lines: readonly string[]): OrderId | null {
  const all = [...lines, subject];
  for (const { value } of labelled(all, numberLabel())) {
    const id = usable(labelledId().exec(value)?.groups?.id, MIN_ID_CHARS);
    if (id !== null) return { value: id, isLabelled: true };
  }
  for (const line of [subject, ...lines]) {
    const id = idBehindWord(line);
    if (id !== null) return { value: id, isLabelled: false };
  }
  return null;
}

function idBehindWord(line: string): string | null {
  const match = orderWord().exec(lowered(line));
  if (match === null) return null;
  const rest = line.slice(match.index + match[0].length);
  return (
    usable(SIGNED_ID.exec(rest)?.groups?.id, MIN_ID_CHARS) ??
    usable(LONG_ID.exec(rest)?.groups?.id, MIN_LONG_CHARS)
  );
}

/** A token that can be an order's number: no date, no amount, no year. */
function usable(id: string | undefined, minChars: number): string | null {
  if (id === undefined || id.length < minChars || id.length > MAX_ID_CHARS) return null;
  if (/^(?:19|20)\d{2}(?:[-/.]\d{1,2}){1,2}$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}$/.test(id)) return null;
  if (/^\d+[.,]\d{1,2}$/.test(id)) return null;
  return id;
}
