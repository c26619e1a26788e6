import type { Candidate } from "./candidates.ts";
import { lazy } from "../lazy.ts";
import { anyOf, LETTERS, wordsOf } from "../languages/matching.ts";
import { labelsIn, leadsToNumber, lowered, type LabelKind } from "./key-words.ts";

/** How far from its key word a code stands in one line. */
export const NEAR_CHARS = 60;

/** How far above a code that stands alone its key word may be, in characters and in lines with text. */
const ABOVE_CHARS = 200;
const ABOVE_LINES = 3;

/** Longer lines are prose; a code that stands alone has punctuation around it at most. */
const ALONE_CHARS = 80;

/** A line of text with the lines around it. */
export interface Place {
  lines: readonly string[];
  at: number;
  /** Whether the line is the subject. */
  isSubject: boolean;
}

/** The key words of the whole mail; they are searched only when a number needs them, which is rare. */
export interface Setting {
  /** Kinds of the subject's key words, each with the first of them. */
  subject: () => ReadonlyMap<LabelKind, string>;
  /** Kinds of the key words in subject and opening of the text. */
  mail: () => ReadonlyMap<LabelKind, string>;
}

/** A key word beside a number. */
export interface Neighbour {
  kind: LabelKind;
  word: string;
  /** The text between it and the number. */
  gap: string;
}

/** The key words before and behind a number, nearest first, as far away as they can say what the number is. */
export interface Surroundings {
  before: readonly Neighbour[];
  after: readonly Neighbour[];
  /** The lower-cased text behind the number that `after` was read from. */
  right: string;
  /** Whether nothing else stands in the number's line. */
  alone: boolean;
}

/** Whether a text holds a letter or a digit. */
export const hasText = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** Whether a sentence ends within a text. */
export const breaksSentence = (text: string): boolean => /[.!?](?:\s|$)|[。！？؟।]/.test(text);

/** Finds words that deny: "482913 is not your code", or give the code to others: "their PIN". */
const denial = lazy(() => {
  const words = anyOf(wordsOf(({ sentence }) => sentence?.denies));
  return new RegExp(`(?:^|[^${LETTERS}])(?:${words})(?![${LETTERS}])`, "u");
});

/** Whether words between key word and number say that it is no code, or another's. */
export const isDenied = (gap: string): boolean => denial().test(gap);

function above(place: Place): string {
  let text = "";
  let taken = 0;
  for (let at = place.at - 1; at >= 0 && at >= place.at - 3 * ABOVE_LINES && taken < ABOVE_LINES; at -= 1) {
    const line = place.lines[at] ?? "";
    if (!/\S/.test(line.slice(-ABOVE_CHARS))) continue;
    text = `${line.slice(-ABOVE_CHARS)}\n${text}`;
    taken += 1;
  }
  return text.slice(-ABOVE_CHARS);
}

function below(place: Place): string {
  const next = place.lines
    .slice(place.at + 1, place.at + 4)
    .find((line) => /\S/.test(line.slice(0, NEAR_CHARS)));
  return next === undefined ? "" : `\n${next.slice(0, NEAR_CHARS + 40)}`;
}

/**
 * The key words around a number. For a number that begins its line they include those of the lines above; for one alone in
 * its line those of the line below too.
 */
export function surroundingsOf(place: Place, candidate: Candidate): Surroundings {
  const line = place.lines[place.at] ?? "";
  const before = line.slice(Math.max(0, candidate.start - NEAR_CHARS - 40), candidate.start);
  const after = line.slice(candidate.end, candidate.end + NEAR_CHARS + 40);
  const leads = candidate.start < ALONE_CHARS && !hasText(before);
  const alone = leads && line.length < ALONE_CHARS && !hasText(after);
  const left = lowered(leads ? above(place) + before : before);
  const right = lowered(alone ? after + below(place) : after);
  return {
    before: labelsIn(left)
      .map(({ kind, start, end }) => ({ kind, word: left.slice(start, end), gap: left.slice(end) }))
      .toReversed(),
    after: labelsIn(right).map(({ kind, start, end }) => ({
      kind,
      word: right.slice(start, end),
      gap: right.slice(0, start),
    })),
    right,
    alone,
  };
}

/** Whether the gap leads from a key word to the number. A number in it stops that, unless it has a name of its own. */
export function leadsTo(gap: string, ownsNumber = false): boolean {
  if ((/[0-9]/.test(gap) && !ownsNumber) || gap.length > NEAR_CHARS || breaksSentence(gap)) return false;
  return !hasText(gap) || leadsToNumber().test(gap);
}
