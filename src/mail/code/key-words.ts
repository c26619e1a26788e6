import { lazy } from "../lazy.ts";
import type { CodeWords, Language, Words } from "../languages/language.ts";
import { anyOf, keyWordsOf, LETTERS, wordsOf, type KeyWords } from "../languages/matching.ts";
import { WordIndex } from "../languages/word-index.ts";
import { languages } from "../tables/tables.ts";

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
  device: true,
  secret: true,
  requested: true,
  void: true,
  fresh: true,
  expiry: true,
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

/** Letters of Latin and Greek script with marks, and those that have no decomposition; Arabic letters that Persian keyboards write otherwise. */
const MARKED = /[\u00c0-\u024f\u1e00-\u1eff\u0386-\u03ce\u064a\u0649\u0643]/g;
const WITHOUT_MARKS: Readonly<Record<string, string>> = {
  đ: "d",
  ł: "l",
  ø: "o",
  ı: "i",
  ð: "d",
  ς: "σ",
  ي: "ی",
  ى: "ی",
  ك: "ک",
};

/** A lower-cased text of the same length without marks on its letters: people leave them out ("kod potwierdzajacy"). */
export function folded(lowerText: string): string {
  return lowerText.replace(MARKED, baseOf);
}

const bases = new Map<string, string>(Object.entries(WITHOUT_MARKS));

function baseOf(letter: string): string {
  const known = bases.get(letter);
  if (known !== undefined) return known;
  const base = letter.normalize("NFD").charAt(0);
  bases.set(letter, base);
  return base;
}

/** Makes the function that finds the key words of these languages in a lower-cased text, in order, none overlapping. */
export function keyWordFinder(languages: readonly Language[]): (lowerText: string) => Label[] {
  const kindOf = new Map<string, LabelKind>();
  const words: KeyWords = { whole: [], anywhere: [] };
  const add = (
    kind: LabelKind,
    pick: (language: Language) => Words | undefined,
    language: Language,
  ): void => {
    const { whole, anywhere } = keyWordsOf(pick, [language]);
    for (const [list, some] of [[words.whole, whole] as const, [words.anywhere, anywhere] as const]) {
      for (const word of some.map(folded)) {
        list.push(word);
        if (!kindOf.has(word)) kindOf.set(word, kind);
      }
    }
  };
  for (const language of languages) {
    for (const kind of Object.keys(language.code ?? {}).filter(isKind))
      add(kind, ({ code }) => code?.[kind], language);
    // The digits behind it are those of a card.
    add("number", ({ receipt }) => receipt?.cardEnding, language);
  }
  const index = new WordIndex([...new Set(words.whole)], [...new Set(words.anywhere)], LETTERS);
  return (lowerText) =>
    index.findIn(folded(lowerText)).flatMap(({ word, start, end }) => {
      const kind = kindOf.get(word);
      return kind === undefined ? [] : [{ kind, start, end }];
    });
}

const finder = lazy(() => keyWordFinder(languages()));

/** The key words of all languages in a lower-cased text, in order, none overlapping. */
export function labelsIn(lowerText: string): Label[] {
  return finder()(lowerText);
}

/** The fewest letters of a word for "code" that other words begin or end with; Chinese and Japanese need one. */
const MIN_STEM = 4;
const HAN = /^[\u3040-\u30ff\u4e00-\u9fff]+$/;

/** Words for "code", by their length. */
const stems = lazy(() => {
  const words = wordsOf(({ code }) => code?.weak).map((word) => folded(word.replace(/\*$/, "")));
  const fitting = words.filter((word) => !/\s/.test(word) && (word.length >= MIN_STEM || HAN.test(word)));
  return { words: new Set(fitting), lengths: [...new Set(fitting.map(({ length }) => length))] };
});

/** Whether a word begins or ends with a word for "code": "Herstelcode", "kodunuz", "开柜码". */
export function isNamedCode(lowerWord: string): boolean {
  const word = folded(lowerWord);
  const { words, lengths } = stems();
  return lengths.some(
    (length) => length <= word.length && (words.has(word.slice(0, length)) || words.has(word.slice(-length))),
  );
}

const foldedWords = (words: readonly string[]): string => anyOf([...new Set(words.map(folded))]);

/** Ends the way from key word to number: "code is", "code:", "код —", "認証コードは". For folded texts. */
export const leadsToNumber = lazy(() => {
  const { whole, anywhere } = keyWordsOf(({ sentence }) => sentence?.leadsTo);
  const between = `(?:^|[^${LETTERS}])(?:${foldedWords(whole)})|(?:${foldedWords(anywhere)})`;
  // An article may follow: "est le 482913", "ist die 482913".
  return new RegExp(`(?:${between})(?:\\s\\p{L}{1,3})?[\\s"'“”‘’「『【《«(\\[*_:：]*$`, "u");
});

/** A sign that leads to what it announces: "code for your account: 482913". */
export const ENDS_IN_COLON = /(?:[:：=→\-–—»>]| {2})[\s"'“”‘’「『【《«([*_:：]*$/u;

/** Begins the way from number to key word: "482913 is your …", "482913（验证码）". For folded texts. */
export const ledByNumber = lazy(() => {
  const { whole, anywhere } = keyWordsOf(({ sentence }) => sentence?.ledBy);
  const between = `[-–—:：=(（]|(?:${foldedWords(whole)})(?![${LETTERS}])|(?:${foldedWords(anywhere)})`;
  return new RegExp(`^["'”’」』】》»)\\]*_]*\\s*(?:${between})`, "u");
});
