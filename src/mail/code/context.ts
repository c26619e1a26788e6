import { isWebOtp, type Candidate, type Shape } from "./candidates.ts";
import { LEADS_TO, LED_BY, labelsIn, lowered, type Label, type LabelKind } from "./keywords.ts";

/** How far from its key word a code stands in one line. */
const NEAR_CHARS = 60;

/** How far above a code that stands alone its key word may be, in characters and in lines with text. */
const ABOVE_CHARS = 200;
const ABOVE_LINES = 3;

/** Longer lines are prose; a code that stands alone has punctuation around it at most. */
const ALONE_CHARS = 80;

/** A line of text with the lines around it. */
export interface Place {
  lines: readonly string[];
  at: number;
}

/** What is known of the mail as a whole; read when a number asks for it, which in most mails none does. */
export interface Setting {
  /** Kinds of the subject's key words. */
  subject: () => ReadonlySet<LabelKind>;
  /** Kinds of the key words in subject and opening of the text. */
  mail: () => ReadonlySet<LabelKind>;
}

interface Surroundings {
  left: string;
  right: string;
  alone: boolean;
}

/** From here a key word decides on its own what the number is; a hint does not. */
const MIN_DECISIVE = 50;

/** The number is named as something else. */
const REJECTED = -1;

const hasText = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

const breaksSentence = (text: string): boolean => /[.!?](?:\s|$)|[。！？؟।]/.test(text);

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

function surroundingsOf(place: Place, candidate: Candidate): Surroundings {
  const line = place.lines[place.at] ?? "";
  const before = line.slice(Math.max(0, candidate.start - NEAR_CHARS - 40), candidate.start);
  const after = line.slice(candidate.end, candidate.end + NEAR_CHARS + 40);
  const leads = candidate.start < ALONE_CHARS && !hasText(before);
  const alone = leads && line.length < ALONE_CHARS && !hasText(after);
  return {
    left: lowered(leads ? above(place) + before : before),
    right: lowered(alone ? after + below(place) : after),
    alone,
  };
}

/** Whether the gap leads from a key word to the number. A number in it stops that, unless it has a name of its own. */
function leadsTo(gap: string, ownsNumber = false): boolean {
  if ((/[0-9]/.test(gap) && !ownsNumber) || gap.length > NEAR_CHARS || breaksSentence(gap)) return false;
  return !hasText(gap) || LEADS_TO.test(gap);
}

type Meaning = "strong" | "weak" | "hint" | "soft" | "other";

const MEANING: Record<LabelKind, Meaning> = {
  strong: "strong",
  confirmation: "strong",
  passcode: "strong",
  weak: "weak",
  hint: "hint",
  soft: "soft",
  number: "other",
  booking: "other",
  meeting: "other",
  coupon: "other",
};

function meaningOf(label: Label, setting: Setting): Meaning {
  if (label.kind === "confirmation" && setting.mail().has("booking")) return "other";
  if (label.kind === "passcode" && setting.mail().has("meeting")) return "other";
  return MEANING[label.kind];
}

interface Gap {
  text: string;
  /** The numbers in it are named as something else: "code for order 99812 is 482913". */
  ownsNumber: boolean;
}

/** Points for a key word before the number, by what stands between the two. */
function pointsBefore(meaning: Meaning, gap: Gap, alone: boolean): number {
  if (meaning === "soft" || meaning === "other") return 0;
  if (leadsTo(gap.text, gap.ownsNumber)) return { strong: 100, weak: 70, hint: 42 }[meaning];
  // Another number stands between: the key word is that one's.
  const taken = /[0-9]{4}/.test(gap.text) && !gap.ownsNumber ? 45 : 0;
  const broken = breaksSentence(gap.text) ? 1 : 0;
  if (alone) return { strong: 85, weak: 58, hint: 38 }[meaning] - taken - 5 * broken;
  if (meaning !== "strong" || gap.text.length > NEAR_CHARS) return 0;
  return 65 - gap.text.length / 3 - taken - 20 * broken;
}

const namesOther = (meaning: Meaning): boolean => meaning === "other" || meaning === "soft";

/** "order 99812 …": the number right behind a key word. */
const hasNumberNext = (text: string): boolean => /^[^\p{L}\p{N}]*(?:\p{L}-?)?[0-9]/u.test(text);

function evidenceBefore(around: Surroundings, setting: Setting): number {
  let best = 0;
  let named = false;
  let ownsNumber = false;
  // Nearest first: a nearer key word that decides is not undone by one further off.
  for (const label of labelsIn(around.left).toReversed()) {
    const text = around.left.slice(label.end);
    const meaning = meaningOf(label, setting);
    if (best < MIN_DECISIVE && namesOther(meaning) && leadsTo(text)) {
      if (meaning === "other") return REJECTED;
      named = true;
    }
    if (named && breaksSentence(text)) break;
    const points = pointsBefore(meaning, { text, ownsNumber }, around.alone);
    best = Math.max(best, points);
    named &&= best < MIN_DECISIVE;
    ownsNumber ||= meaning === "other" && hasNumberNext(text);
  }
  return named ? REJECTED : best;
}

/** Points for a key word in the line below: the rest of a sentence, or a caption under the code. */
function pointsBelow(meaning: "strong" | "weak" | "hint", gap: string, rest: string): number {
  if (LED_BY.test(gap.trimStart())) return { strong: 80, weak: 60, hint: 0 }[meaning];
  // A line that goes on to a number is that number's.
  return meaning === "strong" && !hasText(gap) && !/[0-9]/.test(rest) ? 50 : 0;
}

/** Points for a key word behind the number: "482913 is your code". */
function pointsAfter(meaning: Meaning, gap: string, rest: string): number {
  if (meaning === "soft" || meaning === "other" || gap.length > NEAR_CHARS) return 0;
  if (breaksSentence(gap) || /[0-9]/.test(gap)) return 0;
  if (gap.includes("\n")) return pointsBelow(meaning, gap, rest);
  if (LED_BY.test(gap.trimStart()) || !hasText(gap)) return { strong: 95, weak: 70, hint: 44 }[meaning];
  return meaning === "strong" && gap.length <= 25 ? 55 : 0;
}

function evidenceAfter(around: Surroundings, setting: Setting): number {
  let best = 0;
  for (const label of labelsIn(around.right)) {
    const gap = around.right.slice(0, label.start);
    const meaning = meaningOf(label, setting);
    if (meaning === "other") {
      const bound = !gap.includes("\n") && gap.length <= NEAR_CHARS && !breaksSentence(gap);
      return best === 0 && bound && (!hasText(gap) || LED_BY.test(gap.trimStart())) ? REJECTED : best;
    }
    best = Math.max(best, pointsAfter(meaning, gap, around.right.slice(label.end)));
  }
  return best;
}

function evidenceOfSubject(setting: Setting): number {
  if (setting.subject().has("strong") || setting.subject().has("confirmation")) return 55;
  return setting.subject().has("weak") ? 45 : 0;
}

const SHAPE_POINTS: Record<Shape, number> = {
  digits: 0,
  date: 0,
  mixed: -10,
  wordy: -30,
  letters: -15,
  capitals: -30,
};

function lengthPoints(value: string): number {
  if (!/^[0-9]+$/.test(value)) return 0;
  if (value.length === 6) return 10;
  return value.length > 8 ? -5 : 4;
}

/** A year or date, and a heading in capitals, is a code only where the text says so outright. */
const OUTRIGHT_POINTS = 90;

function isDoubtful(candidate: Candidate, evidence: number, around: Surroundings): boolean {
  if (candidate.shape === "date") return evidence < OUTRIGHT_POINTS;
  return candidate.shape === "capitals" && (evidence < OUTRIGHT_POINTS || !around.alone);
}

/** "Use code SAVE20 at checkout": a weak key word says nothing beside these. */
function isCoupon(around: Surroundings, setting: Setting): boolean {
  return (
    setting.subject().has("coupon") ||
    labelsIn(around.left + around.right).some(({ kind }) => kind === "coupon")
  );
}

/**
 * How surely a candidate is a verification code, by the key words around it; about 50 to 130 for codes, 0 for a number
 * that nothing names or that is named as something else.
 */
export function pointsFor(place: Place, candidate: Candidate, setting: Setting): number {
  if (isWebOtp(place.lines[place.at] ?? "", candidate)) return 120;
  const around = surroundingsOf(place, candidate);
  const before = evidenceBefore(around, setting);
  if (before === REJECTED) return 0;
  const after = evidenceAfter(around, setting);
  if (after === REJECTED && before < MIN_DECISIVE) return 0;
  const evidence = Math.max(before, after, around.alone ? evidenceOfSubject(setting) : 0);
  if (evidence === 0 || isDoubtful(candidate, evidence, around)) return 0;
  if (evidence < 75 && isCoupon(around, setting)) return 0;
  return evidence + SHAPE_POINTS[candidate.shape] + lengthPoints(candidate.value) + (around.alone ? 5 : 0);
}
