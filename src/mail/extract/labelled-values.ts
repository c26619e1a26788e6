import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import type { Language, Words } from "../languages/language.ts";
import { UNSPACED, wordsOf } from "../languages/matching.ts";
import { WordIndex } from "../languages/word-index.ts";

/** Offsets of a phrase in a text; `end` is behind it. */
export interface Span {
  start: number;
  end: number;
}

/** Scripts whose words take particles and endings without a blank, or stand without blanks at all. */
const ATTACHING =
  /[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
/** Shorter words of scripts that stand between blanks occur within others. */
const MIN_ATTACHING_CHARS = 4;

/** In scripts without blanks a word of one character is a word. */
const standsAnywhere = (phrase: string): boolean =>
  UNSPACED.test(phrase) || (ATTACHING.test(phrase) && phrase.length >= MIN_ATTACHING_CHARS);

/** A finder for one list of phrases of all languages, made when it is first asked for. */
export const phrases = (pick: (language: Language) => Words | undefined): (() => PhraseFinder) =>
  lazy(() => finderOf(wordsOf(pick)));

/** Finds the phrases of one list in a text that `lowered` made. */
export interface PhraseFinder {
  test(lower: string): boolean;
  /** The first phrase and its offset, as `RegExp.exec` gives them. */
  exec(lower: string): { index: number; 0: string } | null;
  /** Where all phrases stand, in order, none overlapping. */
  all(lower: string): Span[];
}

/** A finder for these phrases: between characters that are no letters, in scripts that attach words anywhere. */
export function finderOf(words: readonly string[]): PhraseFinder {
  const index = new WordIndex(
    words.filter((phrase) => !standsAnywhere(phrase)),
    words.filter(standsAnywhere),
    "\\p{L}\\p{M}",
  );
  return {
    all: (lower) => index.findIn(lower),
    test: (lower) => index.first(lower) !== null,
    exec: (lower) => {
      const found = index.first(lower);
      return found === null ? null : { index: found.start, 0: lower.slice(found.start, found.end) };
    },
  };
}

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
export function labelled(lines: readonly string[], label: PhraseFinder): Labelled[] {
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
