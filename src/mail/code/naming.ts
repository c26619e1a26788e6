import type { CodeFeature, Evidence } from "./evidence.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { folded, ledByNumber } from "./key-words.ts";
import {
  breaksSentence,
  hasText,
  isDenied,
  isTight,
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

const MEANING: Readonly<Record<Neighbour["kind"], Meaning>> = {
  stem: "weak",
  strong: "strong",
  confirmation: "strong",
  passcode: "strong",
  weak: "weak",
  hint: "hint",
  instruction: "",
  device: "",
  secret: "",
  requested: "",
  void: "",
  // "Your new code: 482913".
  fresh: "weak",
  expiry: "",
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

/** How much a key word says about the number. `named`: nothing stands between it and the number but "is", ":" or the like. */
interface Named {
  /** 0 to 100. Of the key words beside one number, the one with the most points counts; a hundredth of them is its amount. */
  points: number;
  feature: Extract<CodeFeature, `named.${string}` | `near.${string}` | `purpose.${string}`>;
  word: string;
}

/** Points by the meaning of a key word. */
type PointsOf = Record<"strong" | "weak" | "hint", number>;

const NOT_NAMED: Named = { points: 0, feature: "near.strong", word: "" };

/** The feature and the points of a key word that leads to the number (`named`) or stands near it. A hint tells a purpose in either place. */
function saying(meaning: keyof PointsOf, points: PointsOf, sign: "named" | "near"): Omit<Named, "word"> {
  if (meaning === "hint") return { points: points.hint, feature: "purpose.near" };
  // A word that may name any code says little unless it leads to the number.
  const feature = sign === "named" ? (`named.${meaning}` as const) : "near.strong";
  return { points: sign === "named" || meaning === "strong" ? points[meaning] : 0, feature };
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
  if (!alone) return namedInSentence(meaning, gap.text, taken + 20 * broken);
  const off = taken + 5 * broken;
  return saying(meaning, { strong: 85 - off, weak: 58 - off, hint: 38 - off }, "near");
}

/** Points of a key word in front, where other words stand between it and the number; `off` is what speaks against it. */
function namedInSentence(meaning: keyof PointsOf, gap: string, off: number): Omit<Named, "word"> {
  if (meaning !== "strong" || gap.length > NEAR_CHARS) return NOT_NAMED;
  return { points: 65 - gap.length / 3 - off - asidePoints(gap), feature: "near.sentence" };
}

/** Points that a key word loses if a parenthesis opens behind it: the number is then in an aside. */
const asidePoints = (gap: string): number => (gap.lastIndexOf("(") > gap.lastIndexOf(")") ? 30 : 0);

/** "order 99812 …": the number right behind a key word. */
const hasNumberNext = (text: string): boolean => /^[^\p{L}\p{N}]*(?:\p{L}-?)?[0-9]/u.test(text);

/** Whether a key word names another kind of number: some do in any case, others only if the sentence names no code. */
function namesOther(meaning: Meaning, gap: string): "surely" | "perhaps" | null {
  if (meaning === "other") return isTight(gap) ? "surely" : null;
  return meaning === "soft" && leadsTo(gap) ? "perhaps" : null;
}

/** Words that name a code. */
const CODE_KINDS: ReadonlySet<Neighbour["kind"]> = new Set([
  "strong",
  "confirmation",
  "passcode",
  "weak",
  "stem",
]);

/**
 * Whether a word for another kind of number only says which code stands below it: "Enter the code on the page of your order:", then
 * the code in a line of its own.
 */
export function isAttribute({ before, alone }: Surroundings, at: number): boolean {
  return (
    alone &&
    before
      .slice(at + 1)
      .some(({ kind, gap }) => CODE_KINDS.has(kind) && !breaksSentence(gap) && !/[0-9]{4}/.test(gap))
  );
}

/** Points of the best key word before the number; "rejected" if one names it as something else. */
function namingBefore(around: Surroundings, setting: Setting): Named | typeof REJECTED {
  let found = NOT_NAMED;
  let isOther = false;
  let ownsNumber = false;
  // Nearest first: a nearer key word that decides is not undone by one further off.
  for (const [at, neighbour] of around.before.entries()) {
    const { gap: text, word } = neighbour;
    const meaning = meaningOf(neighbour, setting);
    const other = found.points < MIN_DECISIVE ? namesOther(meaning, text) : null;
    if (other === "surely") {
      if (!isAttribute(around, at)) return REJECTED;
      continue;
    }
    isOther ||= other === "perhaps";
    if (isOther && breaksSentence(text)) break;
    found = best(found, { ...namedBefore(meaning, { text, ownsNumber }, around.alone), word });
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
function namedBelow(meaning: keyof PointsOf, gap: string, rest: string): Omit<Named, "word"> {
  if (ledByNumber().test(folded(gap.trimStart())))
    return saying(meaning, { strong: 80, weak: 60, hint: 0 }, "named");
  // A line that goes on to a number is that number's.
  const isCaption = !hasText(gap) && !/[0-9]/.test(rest);
  return isCaption ? saying(meaning, { strong: 50, weak: 0, hint: 0 }, "near") : NOT_NAMED;
}

/** Whether a key word behind the number may still speak of it. */
const reaches = (gap: string): boolean =>
  gap.length <= NEAR_CHARS && !breaksSentence(gap) && !/[0-9]/.test(gap) && !isDenied(gap);

/** Whether the text behind a key word leads to a number at once, which it then names: "…, your code is 482913". */
function isNextNumbers(rest: string): boolean {
  const digit = rest.slice(0, CONNECTED_CHARS).search(/[0-9]/);
  return digit > 0 && leadsTo(rest.slice(0, digit));
}

/** Between a key word and the number it names, at most. */
const CONNECTED_CHARS = 12;

/** Points of a key word behind the number: "482913 is your code". */
function namedAfter(meaning: Meaning, gap: string, rest: string): Omit<Named, "word"> {
  if (meaning === "soft" || meaning === "other" || meaning === "" || !reaches(gap)) return NOT_NAMED;
  if (gap.includes("\n")) return namedBelow(meaning, gap, rest);
  if (isNextNumbers(rest)) return NOT_NAMED;
  if (ledByNumber().test(folded(gap.trimStart())) || !hasText(gap)) {
    return saying(meaning, { strong: 95, weak: 70, hint: 44 }, "named");
  }
  const isItsName = gap.length <= 25 && !goesOn().test(rest);
  return isItsName ? saying(meaning, { strong: 55, weak: 0, hint: 0 }, "near") : NOT_NAMED;
}

/** Points of the best key word behind the number; "rejected" if one names it as something else. */
function namingAfter(around: Surroundings, setting: Setting): Named | typeof REJECTED {
  let found = NOT_NAMED;
  for (const neighbour of around.after) {
    const { gap, word } = neighbour;
    const meaning = meaningOf(neighbour, setting);
    if (meaning === "other") {
      const bound = !gap.includes("\n") && gap.length <= NEAR_CHARS && !breaksSentence(gap);
      const isItsName = bound && (!hasText(gap) || ledByNumber().test(folded(gap.trimStart())));
      return found.points === 0 && isItsName ? REJECTED : found;
    }
    const rest = around.right.slice(gap.length + word.length);
    found = best(found, { ...namedAfter(meaning, gap, rest), word });
  }
  return found;
}

/** The key word that names the number as a code; null if none does, "rejected" if the number is named as something else. */
export function namingOf(
  around: Surroundings,
  setting: Setting,
): Evidence<CodeFeature> | typeof REJECTED | null {
  const before = namingBefore(around, setting);
  if (before === REJECTED) return REJECTED;
  const after = namingAfter(around, setting);
  if (after === REJECTED) return before.points < MIN_DECISIVE ? REJECTED : evidenceOf(before);
  return evidenceOf(best(before, after));
}

function evidenceOf({ points, feature, word }: Named): Evidence<CodeFeature> | null {
  return points <= 0 ? null : { feature, detail: word, amount: points / 100 };
}
