import { languages } from "../tables/tables.ts";
import type { Language, Words } from "./language.ts";

/**
 * Letters of the scripts whose words stand between spaces, as a character class without its brackets: a whole word is none that
 * one of these continues. Others are left out, so that "code" is found in "您的code是".
 */
export const LETTERS = "a-z\\u00c0-\\u024f\\u0370-\\u03ff\\u0400-\\u04ff\\u1e00-\\u1eff";

/** Matches scripts whose words stand without blanks between them, and Korean, which attaches particles to words. */
export const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0eff]/;

/** Matches the ending of a word that is listed with `*`. */
const ENDING = "[\\p{L}\\p{M}]{0,20}";

/** The words of a list. */
export function listed(words: Words | undefined): string[] {
  return (words ?? "")
    .split(/,\s+/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

/** One list of words of all languages, without repeats. */
export function wordsOf(
  pick: (language: Language) => Words | undefined,
  among: readonly Language[] = languages(),
): string[] {
  return [...new Set(among.flatMap((language) => listed(pick(language))))];
}

/** Words of all languages, by how they stand in a text. */
export interface KeyWords {
  whole: string[];
  anywhere: string[];
}

/** One list of key words of all languages, by how they stand in a text (`Language.keyWords`). */
export function keyWordsOf(
  pick: (language: Language) => Words | undefined,
  among: readonly Language[] = languages(),
): KeyWords {
  const of = (standing: Language["keyWords"]) =>
    wordsOf(
      pick,
      among.filter(({ keyWords }) => keyWords === standing),
    );
  return { whole: of("whole"), anywhere: of("anywhere") };
}

const escaped = (word: string): string => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/**
 * The source of a regular expression, for the flag `u`, that matches any of these words, the longest that fits; nothing where
 * there are none.
 */
export function anyOf(words: readonly string[]): string {
  if (words.length === 0) return "(?!)";
  return words
    .toSorted((one, two) => two.length - one.length)
    .map((word) => (word.endsWith("*") ? `${escaped(word.slice(0, -1))}${ENDING}` : escaped(word)))
    .join("|");
}

/** An expression that finds key words in a lower-cased text. */
export function keyWordPattern({ whole, anywhere }: KeyWords): RegExp {
  return new RegExp(`(?<![${LETTERS}])(?:${anyOf(whole)})(?![${LETTERS}])|(?:${anyOf(anywhere)})`, "u");
}

/** Whether a text holds words by which this language is recognised. */
export function isWrittenIn({ recognisedBy = [] }: Language, text: string): boolean {
  return recognisedBy.every((words) => new RegExp(`\\b(?:${anyOf(listed(words))})\\b`, "iu").test(text));
}
