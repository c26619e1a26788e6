import { isWebOtp, type Candidate, type Shape } from "./candidates.ts";
import type { Evidence } from "./evidence.ts";
import { labelsIn, type Label, type LabelKind } from "./keywords.ts";
import { namingOf, REJECTED } from "./naming.ts";
import {
  breaksSentence,
  hasText,
  leadsTo,
  NEAR_CHARS,
  surroundingsOf,
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

interface Found {
  label: Label;
  word: string;
  /** What stands between it and the number. */
  gap: string;
  isBefore: boolean;
}

/** The key words around a number, nearest first on either side. */
function wordsAround({ left, right }: Surroundings): Found[] {
  const before = labelsIn(left).toReversed();
  return [
    ...before.map((label) => ({
      label,
      word: left.slice(label.start, label.end),
      gap: left.slice(label.end),
      isBefore: true,
    })),
    ...labelsIn(right).map((label) => ({
      label,
      word: right.slice(label.start, label.end),
      gap: right.slice(0, label.start),
      isBefore: false,
    })),
  ];
}

/** Whether the reader is told to type this very number. */
function isInstruction({ label, gap, isBefore }: Found, alone: boolean): boolean {
  if (label.kind !== "instruction" || /[0-9]{4}/.test(gap)) return false;
  if (alone) return isBefore || gap.length <= NEAR_CHARS;
  if (isBefore) return leadsTo(gap);
  return gap.length <= NEXT_CHARS && !/[0-9]/.test(gap) && !breaksSentence(gap);
}

const isOneOf = (kinds: readonly LabelKind[], { label }: Found): boolean => kinds.includes(label.kind);

/** What else than a code's name tells that the reader is to prove who he is with this number. */
function promptOf(words: readonly Found[], around: Surroundings, setting: Setting): Evidence[] {
  const { alone } = around;
  const instruction = words.find((found) => isInstruction(found, alone));
  if (instruction === undefined) return [];
  const evidence: Evidence[] = [{ sign: "instruction", detail: instruction.word, points: 30 }];
  const inSentence = (found: Found): boolean => alone || !breaksSentence(found.gap);
  const purpose = words.find((found) => isOneOf(["hint", "purpose"], found) && inSentence(found));
  const ofSubject = (["hint", "purpose", "weak"] as const).find((kind) => setting.subject().has(kind));
  if (purpose !== undefined) evidence.push({ sign: "purpose", detail: purpose.word, points: 20 });
  else if (ofSubject !== undefined) {
    evidence.push({ sign: "purpose", detail: setting.subject().get(ofSubject) ?? "", points: 20 });
  }
  const digits = alone ? words.find((found) => isOneOf(["digits"], found)) : undefined;
  if (digits !== undefined) evidence.push({ sign: "near", detail: digits.word, points: 12 });
  // "Enter your order number to see …": the lines above speak of another number.
  const other = words.some((found) => isOneOf(["number", "booking", "meeting"], found) && found.isBefore);
  return other && purpose === undefined ? [] : evidence;
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
  const subject = setting.subject();
  const named = (["strong", "confirmation", "passcode", "weak"] as const).find((kind) => subject.has(kind));
  if (named !== undefined) {
    const detail = subject.get(named) ?? "";
    return { sign: "near", detail, points: named === "weak" ? 45 : 55 };
  }
  const hint = subject.get("hint");
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

function isDoubtful(candidate: Candidate, naming: Evidence | null, alone: boolean): boolean {
  const points = naming?.points ?? 0;
  if (candidate.shape === "date") return points < OUTRIGHT_POINTS;
  if (candidate.shape === "capitals") return points < OUTRIGHT_POINTS || !alone;
  return isExample(candidate.value) && naming?.sign !== "named";
}

/** "Use code SAVE20 at checkout": weak key words and instructions say nothing beside these. */
function isCoupon(words: readonly Found[], setting: Setting): boolean {
  return setting.subject().has("coupon") || words.some((found) => isOneOf(["coupon"], found));
}

/** The stronger of what names the number and what the subject says; null if neither does. */
function stronger(naming: Evidence | null, subject: Evidence | null): Evidence | null {
  if (naming === null || subject === null) return naming ?? subject;
  return naming.points >= subject.points ? naming : subject;
}

/**
 * What speaks for a candidate being a verification code; about 50 to 150 points for codes, nothing for a number that nothing
 * names or that is named as something else.
 */
export function evidenceFor(place: Place, candidate: Candidate, setting: Setting): Evidence[] {
  if (isWebOtp(place.lines[place.at] ?? "", candidate)) return [{ sign: "web_otp", detail: "", points: 120 }];
  const around = surroundingsOf(place, candidate);
  const naming = namingOf(around, setting);
  if (naming === REJECTED || isDoubtful(candidate, naming, around.alone)) return [];
  const name = stronger(naming, subjectOf(place, candidate, around, setting));
  const words = wordsAround(around);
  const evidence = [...(name === null ? [] : [name]), ...promptOf(words, around, setting)];
  const isCertain = name !== null && name.points >= CERTAIN_POINTS;
  if (evidence.length === 0 || (!isCertain && isCoupon(words, setting))) return [];
  return [...evidence, ...formOf(candidate, around.alone)];
}
