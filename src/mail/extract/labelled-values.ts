import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import type { Language, Words } from "../languages/language.ts";
import { phrasePattern, wordsOf } from "../languages/matching.ts";

/** An expression for one list of phrases of all languages, made when it is first asked for. */
export const phrases = (pick: (language: Language) => Words | undefined): (() => RegExp) =>
  lazy(() => phrasePattern(wordsOf(pick)));

/** A value with its label. */
export interface Labelled {
  /** The text behind the label: the rest of its line, or the next line where the label ends its own. */
  value: string;
  /** The line of the label. */
  at: number;
  /** Whether the label begins its line, as in a form or a table. */
  isFirst: boolean;
  /** Whether it also ends there: by a colon, a gap as between cells, or the end of the line. */
  isLabel: boolean;
}

/** Signs between a label and its value. */
const SEPARATORS = /^[\s:：#№.=|>*-]+/;
/** Words before a label that leave it at the beginning: bullets, "your", an article. */
const LEAD_CHARS = 12;
const BULLET_CHARS = 4;

/** The values that stand behind a label, in order of their lines. */
export function labelled(lines: readonly string[], label: RegExp): Labelled[] {
  return lines.flatMap((line, at) => {
    const match = label.exec(lowered(line));
    if (match === null) return [];
    const behind = line.slice(match.index + match[0].length);
    const rest = behind.replace(SEPARATORS, "");
    const value = rest === "" ? (lines[at + 1] ?? "").replace(SEPARATORS, "") : rest;
    const isFirst = match.index <= LEAD_CHARS;
    const isLabel = match.index <= BULLET_CHARS && /^\s{0,4}(?:[:：|]|\s{2}|$)/.test(behind);
    return [{ value, at, isFirst, isLabel }];
  });
}
