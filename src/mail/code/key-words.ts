import { lazy } from "../lazy.ts";
import { LANGUAGES } from "../languages/index.ts";
import type { CodeWords, Language } from "../languages/language.ts";
import { anyOf, keyWordsOf, LETTERS, type KeyWords } from "../languages/matching.ts";
import { WordIndex } from "../languages/word-index.ts";

/** The meaning of a key word for the number beside it; `CodeWords` describes each. */
export type LabelKind = keyof CodeWords;

const KINDS: Readonly<Record<LabelKind, true>> = {
  strong: true,
  confirmation: true,
  passcode: true,
  weak: true,
  hint: true,
  soft: true,
  number: true,
  booking: true,
  meeting: true,
  coupon: true,
  instruction: true,
  purpose: true,
  digits: true,
};

const isKind = (name: string): name is LabelKind => Object.hasOwn(KINDS, name);

/** A key word found in a text; `end` is the offset behind it. */
export interface Label {
  kind: LabelKind;
  start: number;
  end: number;
}

/** Lower case of the same length, so that offsets stay: Turkish `İ` would become two characters. */
export function lowered(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase();
}

/** Makes the function that finds the key words of these languages in a lower-cased text, in order, none overlapping. */
export function keyWordFinder(languages: readonly Language[]): (lowerText: string) => Label[] {
  const kindOf = new Map<string, LabelKind>();
  const words: KeyWords = { whole: [], anywhere: [] };
  for (const language of languages) {
    for (const kind of Object.keys(language.code ?? {}).filter(isKind)) {
      const { whole, anywhere } = keyWordsOf(({ code }) => code?.[kind], [language]);
      words.whole.push(...whole);
      words.anywhere.push(...anywhere);
      for (const word of [...whole, ...anywhere]) if (!kindOf.has(word)) kindOf.set(word, kind);
    }
  }
  const index = new WordIndex([...new Set(words.whole)], [...new Set(words.anywhere)], LETTERS);
  return (lowerText) =>
    index.findIn(lowerText).flatMap(({ word, start, end }) => {
      const kind = kindOf.get(word);
      return kind === undefined ? [] : [{ kind, start, end }];
    });
}

const finder = lazy(() => keyWordFinder(LANGUAGES));

/** The key words of all languages in a lower-cased text, in order, none overlapping. */
export function labelsIn(lowerText: string): Label[] {
  return finder()(lowerText);
}

/** Ends the way from key word to number: "code is", "code:", "код —", "認証コードは". */
export const leadsToNumber = lazy(() => {
  const { whole, anywhere } = keyWordsOf(({ sentence }) => sentence?.leadsTo);
  const between = `[:：=→\\-–—»>]|(?:^|[^${LETTERS}])(?:${anyOf(whole)})|(?:${anyOf(anywhere)})`;
  return new RegExp(`(?:${between})[\\s"'“”‘’「『【《«(\\[*_:：]*$`, "u");
});

/** Begins the way from number to key word: "482913 is your …", "482913（验证码）". */
export const ledByNumber = lazy(() => {
  const { whole, anywhere } = keyWordsOf(({ sentence }) => sentence?.ledBy);
  const between = `[-–—:：=(（]|(?:${anyOf(whole)})(?![${LETTERS}])|(?:${anyOf(anywhere)})`;
  return new RegExp(`^["'”’」』】》»)\\]*_]*\\s*(?:${between})`, "u");
});
