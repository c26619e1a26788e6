import { lazy } from "../lazy.ts";
import type { LinkWords } from "../languages/language.ts";
import { keyWordsOf, LETTERS, wordsOf } from "../languages/matching.ts";
import { folded } from "./key-words.ts";
import { WordIndex } from "../languages/word-index.ts";

/** Kinds of words on and around a link; `LinkWords` describes each. */
export type LinkKind = Extract<
  keyof LinkWords,
  "proves" | "signsIn" | "goesOn" | "password" | "account" | "otherPurpose"
>;
/** Kinds of words in its address. */
type PathKind = Extract<keyof LinkWords, "provesInPath" | "otherPath">;

const KINDS: readonly LinkKind[] = ["proves", "signsIn", "goesOn", "password", "account", "otherPurpose"];
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

/** The kinds of words in the lower-cased host, path and parameters of a link. */
export const pathKindsIn = (lowerAddress: string): Set<PathKind> =>
  new Set(inAddress()(lowerAddress).map(({ kind }) => kind));

/** Files that nobody opens to sign in, and the pictures that tell senders who reads. */
export const FILE_PATH =
  /(?:^|[^a-z])open\.(?:gif|php|aspx)(?![a-z])|\.(?:png|gif|jpe?g|webp|svg|ico|css|js|woff2?|ttf|ics|pdf|dtd)$/;

/** Hosts of social networks, app stores and vocabularies. */
export const SOCIAL_HOST =
  /(?:^|\.)(?:facebook\.com|fb\.com|twitter\.com|x\.com|instagram\.com|linkedin\.com|youtube\.com|youtu\.be|tiktok\.com|pinterest\.com|threads\.net|bsky\.app|discord\.gg|t\.me|wa\.me|vk\.com|weibo\.com|reddit\.com|medium\.com|play\.google\.com|apps\.apple\.com|itunes\.apple\.com|g\.page|goo\.gl|w3\.org|schema\.org)$/;
