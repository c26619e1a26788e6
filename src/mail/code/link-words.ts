import { lazy } from "../lazy.ts";
import type { LinkWords } from "../languages/language.ts";
import { keyWordsOf, LETTERS, UNSPACED, wordsOf } from "../languages/matching.ts";
import { folded } from "./key-words.ts";
import { WordIndex } from "../languages/word-index.ts";

/** Kinds of words on and around a link; `LinkWords` describes each. */
export type LinkKind = Extract<
  keyof LinkWords,
  "proves" | "signsIn" | "goesOn" | "password" | "account" | "otherPurpose" | "refuses"
>;
/** Kinds of words in its address. */
type PathKind = Extract<keyof LinkWords, "provesInPath" | "otherPath">;

const KINDS: readonly LinkKind[] = [
  "proves",
  "signsIn",
  "goesOn",
  "password",
  "account",
  "otherPurpose",
  "refuses",
];
const PATH_KINDS: readonly PathKind[] = ["provesInPath", "otherPath"];

/** A word of a list in a text. */
interface FoundKind<Kind> {
  kind: Kind;
  start: number;
}

/** Makes the function that finds the words of these lists in a lower-cased text. */
function finderOf<Kind extends keyof LinkWords>(
  kinds: readonly Kind[],
  letters: string,
  keyWords: (kind: Kind) => { whole: string[]; anywhere: string[] },
): (lowerText: string) => FoundKind<Kind>[] {
  const kindsOf = new Map<string, Kind[]>();
  const lists = kinds.map((kind) => ({ kind, ...keyWords(kind) }));
  for (const { kind, whole, anywhere } of lists) {
    for (const word of [...whole, ...anywhere]) kindsOf.set(word, [...(kindsOf.get(word) ?? []), kind]);
  }
  const index = new WordIndex(
    lists.flatMap(({ whole }) => whole),
    lists.flatMap(({ anywhere }) => anywhere),
    letters,
  );
  return (lowerText) =>
    index
      .findIn(lowerText)
      .flatMap(({ word, start }) => (kindsOf.get(word) ?? []).map((kind) => ({ kind, start })));
}

const inText = lazy(() =>
  finderOf(KINDS, LETTERS, (kind) => {
    const { whole, anywhere } = keyWordsOf(({ link }) => link?.[kind]);
    return { whole: whole.map(folded), anywhere: anywhere.map(folded) };
  }),
);
const inAddress = lazy(() =>
  finderOf(PATH_KINDS, "a-z", (kind) => ({ whole: wordsOf(({ link }) => link?.[kind]), anywhere: [] })),
);

/** The kinds of words in a lower-cased text that is the label of a link, or announces it. */
export function linkKindsIn(lowerText: string): Set<LinkKind> {
  return new Set(linkWordsIn(lowerText).map(({ kind }) => kind));
}

/** The words of a lower-cased text that say something of links, in order. */
export const linkWordsIn = (lowerText: string): FoundKind<LinkKind>[] => inText()(folded(lowerText));

/** Words that deny, those of scripts without spaces apart, because they stand within a run of letters. */
const negations = lazy(() => {
  const words = wordsOf(({ link }) => link?.negates).map(folded);
  const whole = words.filter((word) => !UNSPACED.test(word));
  const patterns = whole.filter((word) => word.includes("*"));
  return {
    whole: new Set(whole),
    pattern: new RegExp(
      `^(?:${patterns.map((word) => word.replace("*", "[\\p{L}\\p{M}]{2,20}")).join("|")})$`,
      "u",
    ),
    within: words.filter((word) => UNSPACED.test(word)),
  };
});

/** Negations that are another word within a sentence of another language: "entrar *no* site". */
const FIRST_ONLY: ReadonlySet<string> = new Set(["no"]);

/** A label with more words may deny something else: "if the button does *not* work". */
const DENYING_WORDS = 7;
const DENYING_CHARS = 60;

/** Whether a short lower-cased text denies: "no, that was someone else", "not my device". */
export function isDenial(lowerText: string): boolean {
  const text = folded(lowerText.replaceAll("\u2019", "'"));
  const words = text.match(/[\p{L}\p{M}\u200c']+/gu) ?? [];
  if (words.length > DENYING_WORDS || text.length > DENYING_CHARS) return false;
  const { whole, pattern, within } = negations();
  const pairs = words.map((word, index) => `${word} ${words[index + 1] ?? ""}`);
  return (
    words.some((word, index) => whole.has(word) && (index === 0 || !FIRST_ONLY.has(word))) ||
    words.some((word) => pattern.test(word)) ||
    pairs.some((pair) => whole.has(pair)) ||
    within.some((word) => text.includes(word))
  );
}

const agreements = lazy(() => wordsOf(({ link }) => link?.agrees).map(folded));

/** Whether a lower-cased label begins with a word for yes. */
export function isAgreement(lowerText: string): boolean {
  const text = folded(lowerText);
  const [first = ""] = text.match(/[\p{L}\p{M}]+/u) ?? [];
  return agreements().some((word) => first === word || (UNSPACED.test(word) && first.startsWith(word)));
}

/** The kinds of words in the lower-cased host, path and parameters of a link. */
export const pathKindsIn = (lowerAddress: string): Set<PathKind> =>
  new Set(inAddress()(lowerAddress).map(({ kind }) => kind));

/** Files that nobody opens to sign in, and the pictures that tell senders who reads. */
export const FILE_PATH =
  /(?:^|[^a-z])open\.(?:gif|php|aspx)(?![a-z])|\.(?:png|gif|jpe?g|webp|svg|ico|css|js|woff2?|ttf|ics|pdf|dtd)$/;

/** Hosts of social networks, app stores and vocabularies. */
export const SOCIAL_HOST =
  /(?:^|\.)(?:facebook\.com|fb\.com|twitter\.com|x\.com|instagram\.com|linkedin\.com|youtube\.com|youtu\.be|tiktok\.com|pinterest\.com|threads\.net|bsky\.app|discord\.gg|t\.me|wa\.me|vk\.com|weibo\.com|reddit\.com|medium\.com|play\.google\.com|apps\.apple\.com|itunes\.apple\.com|g\.page|goo\.gl|w3\.org|schema\.org)$/;
