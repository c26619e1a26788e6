import { cellsOf } from "./cells.ts";
import { lowered } from "../code/key-words.ts";
import type { PhraseFinder } from "./labelled-values.ts";
import type { ReadText } from "./mail-text.ts";

/** A label with its value, as forms have them: two cells of a row, or the sides of a colon. */
export interface Pair {
  /** In lower case, without signs around it. */
  label: string;
  value: string;
  /** The value with its characters as written: digits of other scripts, dashes. */
  written: string;
  /** The line of the label. */
  at: number;
}

/** Words before a colon that name what follows; longer ones are a sentence. */
const MAX_LABEL_CHARS = 40;
const MAX_VALUE_CHARS = 200;

/** Pairs of one mail that are looked at: a booking has a dozen. */
const MAX_PAIRS = 200;

/** The pairs of a text in their order. A line that is one of the `labels` alone has its value below it. */
export function pairsIn({ lines, written }: ReadText, labels: PhraseFinder): Pair[] {
  const pairs: Pair[] = [];
  for (const [at, line] of lines.entries()) {
    const pair = splitIn(line) ?? labelAlone(line, labels);
    if (pair === null) continue;
    const { value, ...rest } =
      pair.value === "" ? below(lines, written, at) : beside(pair.value, written[at]);
    const isValue = value.length >= 2 && value.length <= MAX_VALUE_CHARS;
    if (isValue) pairs.push({ label: pair.label, value, ...rest, at });
    if (pairs.length === MAX_PAIRS) break;
  }
  return pairs;
}

type Value = Pick<Pair, "value" | "written">;

const beside = (value: string, line = ""): Value => ({ value, written: splitIn(line)?.value ?? value });

function below(lines: readonly string[], written: readonly string[], at: number): Value {
  const value = lines[at + 1] ?? "";
  return { value, written: written[at + 1]?.trim() ?? value };
}

function labelAlone(line: string, labels: PhraseFinder): { label: string; value: string } | null {
  if (line.length > MAX_LABEL_CHARS) return null;
  const label = trimmed(line);
  return label !== "" && isExactly(label, labels) ? { label, value: "" } : null;
}

/** Words in lower case without the signs around them. */
const trimmed = (words: string): string => lowered(words).replace(/^[^\p{L}]+|[^\p{L}\p{M}]+$/gu, "");

/** The two sides of a line; null if it is no pair. Numbers before a colon are times, not labels. */
function splitIn(line: string): { label: string; value: string } | null {
  const cells = cellsOf(line);
  const colon = line.search(/[:：]/);
  const [first, second, third] = cells;
  const isRow = first !== undefined && second !== undefined && third === undefined;
  const side = isRow ? first.text : colon === -1 ? "" : line.slice(0, colon);
  const label = trimmed(side);
  if (label === "" || side.length > MAX_LABEL_CHARS || /\d\s*$/.test(side)) return null;
  return { label, value: isRow ? second.text : line.slice(colon + 1).trim() };
}

/** Whether a label is one of these words, or begins or ends with one ("preferred date", "Ort der Untersuchung"). */
export function isNamed(label: string, words: PhraseFinder): boolean {
  return words.all(label).some(({ start, end }) => start === 0 || end === label.length);
}

/** Letters of scripts with capitals, whose words stand apart; in others a label is often a word with others before it. */
const CASED = /[\p{Ll}\p{Lu}]/u;

/** Whether a label is one of these words and nothing else; in scripts without capitals it may have others before it. */
export function isExactly(label: string, words: PhraseFinder): boolean {
  return words
    .all(label)
    .some(({ start, end }) => end === label.length && (start === 0 || !CASED.test(label)));
}
