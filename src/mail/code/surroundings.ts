import type { Candidate } from "./candidates.ts";
import { joined, type LabelledText, type Stretch } from "./labelled-text.ts";
import { lazy } from "../lazy.ts";
import { anyOf, LETTERS, wordsOf } from "../languages/matching.ts";
import { ENDS_IN_COLON, folded, isNamedCode, leadsToNumber, type LabelKind } from "./key-words.ts";

/** How far from its key word a code stands in one line. */
export const NEAR_CHARS = 60;

/** How far above a code that stands alone its key word may be, in characters and in lines with text. */
const ABOVE_CHARS = 200;
const ABOVE_LINES = 3;

/** Longer lines are prose; a code that stands alone has punctuation around it at most. */
const ALONE_CHARS = 80;

/** A line of a text. */
export interface Place {
  text: LabelledText;
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
  /** The form of the mail, which needs no language. */
  form: () => MailForm;
}

/** How a mail looks. */
interface MailForm {
  /** Different numbers that have the form of a code. */
  numbers: number;
  /** Whether it names a usual lifetime of codes: "10 minutes", "24 h". */
  hasLifetime: boolean;
}

/** A key word beside a number. */
export interface Neighbour {
  /** `stem`: a word that is not listed and begins or ends with a word for "code". */
  kind: LabelKind | "stem";
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
  const words = anyOf(wordsOf(({ sentence }) => sentence?.denies).map(folded));
  return new RegExp(`(?:^|[^${LETTERS}])(?:${words})(?![${LETTERS}])`, "u");
});

/** Whether words between key word and number say that it is no code, or another's. */
export const isDenied = (gap: string): boolean => denial().test(folded(gap));

const NOTHING: Stretch = { text: "", labels: [] };
const LINE_END: Stretch = { text: "\n", labels: [] };

/** The ends of the lines with text above a line, as far as a key word may be. */
function above({ text, at: below }: Place): Stretch {
  let found = NOTHING;
  let taken = 0;
  for (let at = below - 1; at >= Math.max(0, below - 3 * ABOVE_LINES) && taken < ABOVE_LINES; at -= 1) {
    const length = text.lines[at]?.length ?? 0;
    const room = ABOVE_CHARS - found.text.length - 1;
    if (room <= 0) break;
    const end = text.stretch(at, length - room, length);
    if (!/\S/.test(end.text)) continue;
    found = joined(joined(end, LINE_END), found);
    taken += 1;
  }
  return found;
}

/** The beginning of the next line with text. */
function below({ text, at }: Place): Stretch {
  for (let next = at + 1; next < at + 4; next += 1) {
    const start = text.stretch(next, 0, NEAR_CHARS + WORD_CHARS);
    if (/\S/.test(start.text.slice(0, NEAR_CHARS))) return joined(LINE_END, start);
  }
  return NOTHING;
}

/** A key word that begins or ends within `NEAR_CHARS` may be so long. */
const WORD_CHARS = 40;

/**
 * The key words around a number. For a number that begins its line they include those of the lines above; for one alone in
 * its line those of the line below too.
 */
export function surroundingsOf(place: Place, candidate: Candidate): Surroundings {
  const { text, at } = place;
  const line = text.lines[at] ?? "";
  const before = text.stretch(at, candidate.start - NEAR_CHARS - WORD_CHARS, candidate.start);
  const after = text.stretch(at, candidate.end, candidate.end + NEAR_CHARS + WORD_CHARS);
  const leads = candidate.start < ALONE_CHARS && !hasText(before.text);
  const alone = leads && line.length < ALONE_CHARS && !hasText(after.text);
  const left = leads ? joined(above(place), before) : before;
  const right = alone ? joined(after, below(place)) : after;
  const found = left.labels.map(({ kind, start, end }) => ({
    kind,
    word: left.text.slice(start, end),
    gap: left.text.slice(end),
  }));
  return {
    before: withStem(found.toReversed(), left.text),
    after: right.labels.map(({ kind, start, end }) => ({
      kind,
      word: right.text.slice(start, end),
      gap: right.text.slice(0, start),
    })),
    right: right.text,
    alone,
  };
}

/** How many words before a number may be its name. */
const NAME_WORDS = 4;

/** The neighbours, and nearest of all a word for a code that is not listed, if it stands nearer than any of them. */
function withStem(neighbours: readonly Neighbour[], left: string): readonly Neighbour[] {
  const nearest = neighbours[0]?.gap.length ?? Number.POSITIVE_INFINITY;
  const words = [...left.slice(-NEAR_CHARS).matchAll(/[\p{L}\p{M}]+/gu)].slice(-NAME_WORDS);
  const offset = Math.max(0, left.length - NEAR_CHARS);
  const named = words.findLast(({ 0: word }) => isNamedCode(word));
  if (named === undefined) return neighbours;
  const gap = left.slice(offset + named.index + named[0].length);
  return gap.length >= nearest ? neighbours : [{ kind: "stem", word: named[0], gap }, ...neighbours];
}

/** The most letters between a key word and its number where only words connect them: "code for your account is 482913". */
const CONNECTING_CHARS = 45;

/** Whether the gap leads from a key word to the number. A number in it stops that, unless it has a name of its own. */
export function leadsTo(gap: string, ownsNumber = false): boolean {
  if ((/[0-9]{2}/.test(gap) && !ownsNumber) || gap.length > NEAR_CHARS || breaksSentence(gap)) return false;
  if (!hasText(gap) || ENDS_IN_COLON.test(gap)) return true;
  return gap.length <= CONNECTING_CHARS && !/[,;،、]/.test(gap) && leadsToNumber().test(folded(gap));
}

/** Whether nothing but "is", ":" or the like stands between a key word and its number. */
export function isTight(gap: string): boolean {
  return leadsTo(gap) && (gap.match(/\p{L}+/gu)?.length ?? 0) <= 2;
}
