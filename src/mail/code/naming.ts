import type { Evidence } from "./evidence.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { ledByNumber, type LabelKind } from "./key-words.ts";
import {
  breaksSentence,
  hasText,
  isDenied,
  leadsTo,
  NEAR_CHARS,
  type Neighbour,
  type Setting,
  type Surroundings,
} from "./surroundings.ts";

/** From so many points on, a key word decides alone what the number is; a hint never reaches them. */
const MIN_DECISIVE = 50;

/** The number is named as something else. */
export const REJECTED = "rejected";

/** The meaning of a key word for the number, in this mail; "" for key words that say nothing about it. */
type Meaning = "strong" | "weak" | "hint" | "soft" | "other" | "";

const MEANING: Record<LabelKind, Meaning> = {
  strong: "strong",
  confirmation: "strong",
  passcode: "strong",
  weak: "weak",
  hint: "hint",
  instruction: "",
  purpose: "",
  digits: "",
  soft: "soft",
  number: "other",
  booking: "other",
  meeting: "other",
  coupon: "other",
};

function meaningOf({ kind }: Neighbour, setting: Setting): Meaning {
  if (kind === "confirmation" && setting.mail().has("booking")) return "other";
  // The way into a call has a number and a password of its own, and nothing in the mail proves who one is.
  if ((kind === "passcode" || kind === "weak") && setting.mail().has("meeting")) return "other";
  return MEANING[kind];
}

interface Gap {
  text: string;
  /** The numbers in it are named as something else: "code for order 99812 is 482913". */
  ownsNumber: boolean;
}

/** The points that a key word contributes. `named`: nothing stands between it and the number but "is", ":" or the like. */
interface Named {
  points: number;
  sign: "named" | "near" | "purpose";
  word: string;
}

/** Points by what a word means. */
type Weights = Record<"strong" | "weak" | "hint", number>;

const NOT_NAMED: Named = { points: 0, sign: "near", word: "" };

/** A hint tells a purpose, from wherever it does. */
function saying(meaning: keyof Weights, weights: Weights, sign: "named" | "near"): Omit<Named, "word"> {
  return { points: weights[meaning], sign: meaning === "hint" ? "purpose" : sign };
}

const best = (one: Named, two: Named): Named => (two.points > one.points ? two : one);

/** Points of a key word before the number, by the words between the two. */
function namedBefore(meaning: Meaning, gap: Gap, alone: boolean): Omit<Named, "word"> {
  if (meaning === "soft" || meaning === "other" || meaning === "") return NOT_NAMED;
  if (leadsTo(gap.text, gap.ownsNumber)) {
    // "Sign in with: 482913", but "Sign-ins of the day: 482913".
    const hint = /\p{L}{4}/u.test(gap.text) ? 34 : 42;
    return saying(meaning, { strong: 100, weak: 70, hint }, "named");
  }
  // Another number stands between: the key word is that one's.
  const taken = /[0-9]{4}/.test(gap.text) && !gap.ownsNumber ? 45 : 0;
  const broken = breaksSentence(gap.text) ? 1 : 0;
  const off = taken + 5 * broken;
  if (alone) return saying(meaning, { strong: 85 - off, weak: 58 - off, hint: 38 - off }, "near");
  if (meaning !== "strong" || gap.text.length > NEAR_CHARS) return NOT_NAMED;
  return { points: 65 - gap.text.length / 3 - taken - 20 * broken - asidePoints(gap.text), sign: "near" };
}

/** Points that a key word loses if a parenthesis opens behind it: the number is then in an aside. */
const asidePoints = (gap: string): number => (gap.lastIndexOf("(") > gap.lastIndexOf(")") ? 30 : 0);

const namesOther = (meaning: Meaning): boolean => meaning === "other" || meaning === "soft";

/** "order 99812 …": the number right behind a key word. */
const hasNumberNext = (text: string): boolean => /^[^\p{L}\p{N}]*(?:\p{L}-?)?[0-9]/u.test(text);

/** Points of the best key word before the number; "rejected" if one names it as something else. */
export function namingBefore(around: Surroundings, setting: Setting): Named | typeof REJECTED {
  let found = NOT_NAMED;
  let isOther = false;
  let ownsNumber = false;
  // Nearest first: a nearer key word that decides is not undone by one further off.
  for (const neighbour of around.before) {
    const { gap: text, word } = neighbour;
    const meaning = meaningOf(neighbour, setting);
    if (found.points < MIN_DECISIVE && namesOther(meaning) && leadsTo(text)) {
      if (meaning === "other") return REJECTED;
      isOther = true;
    }
    if (isOther && breaksSentence(text)) break;
    const named = namedBefore(meaning, { text, ownsNumber }, around.alone);
    found = best(found, { ...named, word });
    isOther &&= found.points < MIN_DECISIVE;
    ownsNumber ||= meaning === "other" && hasNumberNext(text);
  }
  return isOther ? REJECTED : found;
}

/** "482913 Acme login code" names the number, "4829135 fix login code length" something else. */
const goesOn = lazy(
  () => new RegExp(`^\\s+(?!(?:${anyOf(wordsOf(({ sentence }) => sentence?.prepositions))})\\s)\\p{L}`, "u"),
);

/** Points of a key word in the line below: the rest of a sentence, or a caption under the code. */
function namedBelow(meaning: keyof Weights, gap: string, rest: string): Omit<Named, "word"> {
  if (ledByNumber().test(gap.trimStart())) return saying(meaning, { strong: 80, weak: 60, hint: 0 }, "named");
  // A line that goes on to a number is that number's.
  const isCaption = !hasText(gap) && !/[0-9]/.test(rest);
  return isCaption ? saying(meaning, { strong: 50, weak: 0, hint: 0 }, "near") : NOT_NAMED;
}

/** Whether a key word behind the number may still speak of it. */
const reaches = (gap: string): boolean =>
  gap.length <= NEAR_CHARS && !breaksSentence(gap) && !/[0-9]/.test(gap) && !isDenied(gap);

/** Points of a key word behind the number: "482913 is your code". */
function namedAfter(meaning: Meaning, gap: string, rest: string): Omit<Named, "word"> {
  if (meaning === "soft" || meaning === "other" || meaning === "" || !reaches(gap)) return NOT_NAMED;
  if (gap.includes("\n")) return namedBelow(meaning, gap, rest);
  if (ledByNumber().test(gap.trimStart()) || !hasText(gap)) {
    return saying(meaning, { strong: 95, weak: 70, hint: 44 }, "named");
  }
  const isItsName = gap.length <= 25 && !goesOn().test(rest);
  return isItsName ? saying(meaning, { strong: 55, weak: 0, hint: 0 }, "near") : NOT_NAMED;
}

/** Points of the best key word behind the number; "rejected" if one names it as something else. */
export function namingAfter(around: Surroundings, setting: Setting): Named | typeof REJECTED {
  let found = NOT_NAMED;
  for (const neighbour of around.after) {
    const { gap, word } = neighbour;
    const meaning = meaningOf(neighbour, setting);
    if (meaning === "other") {
      const bound = !gap.includes("\n") && gap.length <= NEAR_CHARS && !breaksSentence(gap);
      const isItsName = bound && (!hasText(gap) || ledByNumber().test(gap.trimStart()));
      return found.points === 0 && isItsName ? REJECTED : found;
    }
    const rest = around.right.slice(gap.length + word.length);
    found = best(found, { ...namedAfter(meaning, gap, rest), word });
  }
  return found;
}

/** The key word that names the number as a code; null if none does, "rejected" if the number is named as something else. */
export function namingOf(around: Surroundings, setting: Setting): Evidence | typeof REJECTED | null {
  const before = namingBefore(around, setting);
  if (before === REJECTED) return REJECTED;
  const after = namingAfter(around, setting);
  if (after === REJECTED) return before.points < MIN_DECISIVE ? REJECTED : evidenceOf(before);
  return evidenceOf(best(before, after));
}

function evidenceOf({ points, sign, word }: Named): Evidence | null {
  return points <= 0 ? null : { sign, detail: word, points };
}
