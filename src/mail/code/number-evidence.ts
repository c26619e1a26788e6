import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { isWebOtp, type Candidate, type Shape } from "./candidates.ts";
import type { Evidence } from "./evidence.ts";
import type { LabelKind } from "./key-words.ts";
import { namingOf, REJECTED } from "./naming.ts";
import {
  breaksSentence,
  hasText,
  leadsTo,
  NEAR_CHARS,
  surroundingsOf,
  type Neighbour,
  type Place,
  type Setting,
  type Surroundings,
} from "./surroundings.ts";

/** An instruction behind the number ("482913 を入力") follows at once, with a particle or "code" between. */
const NEXT_CHARS = 16;

/** A year or date, and a heading in capitals, is a code only where the text says so outright. */
const OUTRIGHT_POINTS = 90;

/** Below, a weak key word names a coupon's code in a mail about coupons. */
const CERTAIN_POINTS = 75;

/** "Geben Sie bitte 482913 ein", "vul je 482913 in": words that say nothing between an instruction and its number. */
const filler = lazy(
  () => new RegExp(`^\\s(?:${anyOf(wordsOf(({ sentence }) => sentence?.fillers))})\\s$`, "u"),
);

/** Whether the reader is told to type this very number by an instruction before it. */
function instructsBefore({ kind, gap }: Neighbour, alone: boolean): boolean {
  if (kind !== "instruction" || /[0-9]{4}/.test(gap)) return false;
  return alone || leadsTo(gap) || filler().test(gap);
}

function instructsAfter({ kind, gap }: Neighbour, alone: boolean): boolean {
  if (kind !== "instruction" || /[0-9]{4}/.test(gap)) return false;
  return alone
    ? gap.length <= NEAR_CHARS
    : gap.length <= NEXT_CHARS && !breaksSentence(gap) && !/[0-9]/.test(gap);
}

function isOneOf(...kinds: readonly LabelKind[]): (neighbour: Neighbour) => boolean {
  return ({ kind }) => kinds.includes(kind);
}

const isPurpose = isOneOf("hint", "purpose");
const isDigits = isOneOf("digits");
const isOther = isOneOf("number", "booking", "meeting");
const isOfCoupon = isOneOf("coupon");

function purposeOf({ before, after, alone }: Surroundings, setting: Setting): string | undefined {
  const inSentence = (neighbour: Neighbour): boolean =>
    isPurpose(neighbour) && (alone || !breaksSentence(neighbour.gap));
  return (
    (before.find(inSentence) ?? after.find(inSentence))?.word ??
    subjectWord(setting, "hint", "purpose", "weak")
  );
}

/** The subject's first key word of the first of these kinds that it has. */
function subjectWord(setting: Setting, ...kinds: readonly LabelKind[]): string | undefined {
  const kind = kinds.find((each) => setting.subject().has(each));
  return kind === undefined ? undefined : setting.subject().get(kind);
}

/** Evidence other than the name of a code: the reader is told to type this number, and for which purpose. */
function promptOf(around: Surroundings, setting: Setting): Evidence[] {
  const { before, after, alone } = around;
  const instruction =
    before.find((neighbour) => instructsBefore(neighbour, alone)) ??
    after.find((neighbour) => instructsAfter(neighbour, alone));
  if (instruction === undefined) return [];
  const purpose = purposeOf(around, setting);
  // "Enter your order number to see …": the lines above speak of another number.
  if (purpose === undefined && before.some(isOther)) return [];
  const evidence: Evidence[] = [{ sign: "instruction", detail: instruction.word, points: 30 }];
  if (purpose !== undefined) evidence.push({ sign: "purpose", detail: purpose, points: 20 });
  const digits = alone ? (before.find(isDigits) ?? after.find(isDigits)) : undefined;
  if (digits !== undefined) evidence.push({ sign: "near", detail: digits.word, points: 12 });
  return evidence;
}

/** A number that stands alone in the mail, or first in the subject, is what the subject speaks of. */
function subjectOf(
  place: Place,
  candidate: Candidate,
  around: Surroundings,
  setting: Setting,
): Evidence | null {
  const line = place.lines[place.at] ?? "";
  const heads =
    place.isSubject &&
    !hasText(line.slice(0, candidate.start)) &&
    /^\s*[\])】:：|–—-]/.test(line.slice(candidate.end));
  if (!around.alone && !heads) return null;
  const strong = subjectWord(setting, "strong", "confirmation", "passcode");
  if (strong !== undefined) return { sign: "near", detail: strong, points: 55 };
  const weak = subjectWord(setting, "weak");
  if (weak !== undefined) return { sign: "near", detail: weak, points: 45 };
  const hint = subjectWord(setting, "hint");
  return heads && hint !== undefined ? { sign: "purpose", detail: hint, points: 42 } : null;
}

const SHAPE_POINTS: Record<Shape, number> = {
  digits: 0,
  date: 0,
  mixed: -10,
  wordy: -30,
  letters: -15,
  capitals: -30,
};

function formOf({ value, shape, form }: Candidate, alone: boolean): Evidence[] {
  const isNumber = /^[0-9]+$/.test(value);
  const evidence: Evidence[] = [];
  if (isNumber && value.length === 6) evidence.push({ sign: "length", detail: "", points: 10 });
  else if (isNumber) evidence.push({ sign: "length", detail: "", points: value.length > 8 ? -5 : 4 });
  if (form === "boxes") evidence.push({ sign: "boxes", detail: "", points: 12 });
  if (alone) evidence.push({ sign: "own_line", detail: "", points: 5 });
  // Against a shape speaks no sign of its own: it lowers that of the form.
  return [...evidence, { sign: "length", detail: "", points: SHAPE_POINTS[shape] }];
}

/** 123456 and 0000: what people write who write about codes. */
function isExample(value: string): boolean {
  if (!/^[0-9]+$/.test(value)) return false;
  const digits = value.split("").map(Number);
  const steps = new Set(digits.slice(1).map((digit, at) => digit - (digits[at] ?? 0)));
  return steps.size === 1 && [0, 1, -1].some((step) => steps.has(step));
}

/** As git abbreviates the name of a commit. */
const COMMIT = /^(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7}$/;

function isDoubtful(candidate: Candidate, naming: Evidence | null, alone: boolean): boolean {
  const points = naming?.points ?? 0;
  if (candidate.shape === "date") return points < OUTRIGHT_POINTS;
  if (COMMIT.test(candidate.value)) return points < OUTRIGHT_POINTS;
  if (candidate.shape === "capitals") return points < OUTRIGHT_POINTS || !alone;
  return isExample(candidate.value) && naming?.sign !== "named";
}

/** "Use code SAVE20 at checkout": weak key words and instructions say nothing beside these. */
function isCoupon({ before, after }: Surroundings, setting: Setting): boolean {
  return setting.subject().has("coupon") || before.some(isOfCoupon) || after.some(isOfCoupon);
}

/** The stronger of what names the number and what the subject says; null if neither does. */
function stronger(naming: Evidence | null, subject: Evidence | null): Evidence | null {
  if (naming === null || subject === null) return naming ?? subject;
  return naming.points >= subject.points ? naming : subject;
}

/**
 * Evidence that a candidate is a verification code: about 50 to 150 points for codes, nothing for a number that nothing
 * names or that is named as something else.
 */
export function evidenceFor(place: Place, candidate: Candidate, setting: Setting): Evidence[] {
  if (isWebOtp(place.lines[place.at] ?? "", candidate)) return [{ sign: "web_otp", detail: "", points: 120 }];
  const around = surroundingsOf(place, candidate);
  const naming = namingOf(around, setting);
  if (naming === REJECTED || isDoubtful(candidate, naming, around.alone)) return [];
  const name = stronger(naming, subjectOf(place, candidate, around, setting));
  const prompt = promptOf(around, setting).filter(
    ({ sign }) => sign !== "purpose" || name?.sign !== "purpose",
  );
  const evidence = name === null ? prompt : [name, ...prompt];
  const isCertain = name !== null && name.points >= CERTAIN_POINTS;
  if (evidence.length === 0 || (!isCertain && isCoupon(around, setting))) return [];
  return [...evidence, ...formOf(candidate, around.alone)];
}
