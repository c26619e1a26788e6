import { lowered } from "../code/key-words.ts";

const escaped = (text: string): string => text.replace(/[.*+?()[\]{}|\\^$]/g, "\\$&");

/** Scripts that put no blanks between words. */
const UNSPACED = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/;

/**
 * An expression for any of some phrases, separated by `|`, the longest first. A phrase begins and ends at the edge of a word,
 * unless its script has none. A blank stands for one or two.
 */
export function phrases(...lists: readonly string[]): RegExp {
  const all = lists
    .flatMap((list) => list.split("|"))
    .map((phrase) => phrase.trim())
    .toSorted((one, two) => two.length - one.length);
  const alternatives = (some: readonly string[]): string =>
    some.map(escaped).join("|").replaceAll(" ", " {1,2}");
  const spaced = alternatives(all.filter((phrase) => !UNSPACED.test(phrase)));
  const unspaced = alternatives(all.filter((phrase) => UNSPACED.test(phrase)));
  const words = `(?<![\\p{L}\\p{M}])(?:${spaced})(?![\\p{L}\\p{M}])`;
  return new RegExp(unspaced === "" ? words : `${words}|${unspaced}`, "u");
}

/** A value with its label. */
export interface Labelled {
  /** What stands behind the label: the rest of its line, or the next line where the label ends its own. */
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
