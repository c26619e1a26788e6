import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { isWebOtp, type Candidate, type Shape } from "./candidates.ts";
import type { CodeFeature, Evidence } from "./evidence.ts";
import { ENDS_IN_COLON, folded, leadsToNumber, type LabelKind } from "./key-words.ts";
import { isAttribute, namingOf, REJECTED } from "./naming.ts";
import {
  breaksSentence,
  hasText,
  isTight,
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

/** From this amount of a key word on, the text says outright that a number is a code: a date or capitals need that. */
const OUTRIGHT = 0.9;

type CodeEvidence = Evidence<CodeFeature>;

const evidence = (feature: CodeFeature, detail = "", amount = 1): CodeEvidence => ({
  feature,
  detail,
  amount,
});

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

function isOneOf(...kinds: readonly Neighbour["kind"][]): (neighbour: Neighbour) => boolean {
  return ({ kind }) => kinds.includes(kind);
}

const OTHER_KINDS: ReadonlySet<Neighbour["kind"]> = new Set(["number", "booking", "meeting"]);
const isOfCoupon = isOneOf("coupon");
const isVoid = isOneOf("void");
const isFresh = isOneOf("fresh");

/** The subject's first key word of the first of these kinds that it has. */
function subjectWord(setting: Setting, ...kinds: readonly LabelKind[]): string | undefined {
  const kind = kinds.find((each) => setting.subject().has(each));
  return kind === undefined ? undefined : setting.subject().get(kind);
}

/** Evidence that the reader is told to type this number. */
function promptOf(around: Surroundings): CodeEvidence[] {
  const { before, after, alone } = around;
  const ahead = before.find((neighbour) => instructsBefore(neighbour, alone));
  const instruction = ahead ?? after.find((neighbour) => instructsAfter(neighbour, alone));
  if (instruction === undefined) return instructionNear(around);
  const nearer = ahead === undefined ? [] : before.slice(0, before.indexOf(ahead));
  const isOther = ({ kind }: Neighbour, at: number): boolean =>
    OTHER_KINDS.has(kind) && !isAttribute(around, at);
  // "Enter your order number to see …": the lines above speak of another number.
  if (nearer.some(isOther)) return [];
  return [evidence(ahead === undefined ? "instruction.after" : "instruction", instruction.word)];
}

/** An instruction in the sentence of the number, with other words between. */
function instructionNear({ before, after, alone }: Surroundings): CodeEvidence[] {
  if (alone) return [];
  const near = [...before, ...after].find(
    ({ kind, gap }) =>
      kind === "instruction" && !breaksSentence(gap) && !/[0-9]{4}/.test(gap) && gap.length <= NEAR_CHARS,
  );
  return near === undefined ? [] : [evidence("instruction.sentence", near.word)];
}

/** Evidence of the subject, which says more of a number that stands alone in its line, or first in the subject. */
function subjectOf(
  place: Place,
  candidate: Candidate,
  around: Surroundings,
  setting: Setting,
): CodeEvidence[] {
  const line = place.text.lines[place.at] ?? "";
  const heads =
    place.isSubject &&
    !hasText(line.slice(0, candidate.start)) &&
    /^\s*[\])】:：|–—-]/.test(line.slice(candidate.end));
  const found: CodeEvidence[] = heads ? [evidence("subject.first")] : [];
  const isApart = around.alone || heads;
  const say = (apart: CodeFeature, within: CodeFeature, ...kinds: readonly LabelKind[]): void => {
    const word = subjectWord(setting, ...kinds);
    if (word !== undefined) found.push(evidence(isApart ? apart : within, word));
  };
  say("near.subject_strong", "mail.subject_strong", "strong", "confirmation", "passcode");
  say("purpose.subject_hint", "mail.subject_hint", "hint");
  const weak = subjectWord(setting, "weak");
  if (isApart && weak !== undefined && !isPassword(weak)) found.push(evidence("near.subject_weak", weak));
  if (subjectWord(setting, "number", "booking", "meeting", "coupon") !== undefined) {
    found.push(evidence("against.subject_other"));
  }
  return found;
}

const SHAPE: Readonly<Record<Shape, CodeFeature | null>> = {
  digits: null,
  date: "against.date",
  mixed: "length.mixed",
  wordy: "against.wordy",
  letters: null,
  uneven: null,
  part: "against.part",
  capitals: "against.capitals",
};

const LENGTH: Readonly<Record<number, CodeFeature>> = {
  4: "length.4",
  5: "length.5",
  6: "length.6",
  7: "length.7",
  8: "length.8",
};

function formOf({ value, shape, form }: Candidate): CodeEvidence[] {
  const found: CodeEvidence[] = [];
  if (/^[0-9]+$/.test(value)) found.push(evidence(LENGTH[value.length] ?? "against.length"));
  if (form === "boxes") found.push(evidence("boxes"));
  const ofShape = SHAPE[shape];
  return ofShape === null ? found : [...found, evidence(ofShape)];
}

/** Whether a number is like 123456 or 0000, which stand for any code. */
function isExample(value: string): boolean {
  if (!/^[0-9]+$/.test(value)) return false;
  const digits = value.split("").map(Number);
  const steps = new Set(digits.slice(1).map((digit, at) => digit - (digits[at] ?? 0)));
  return steps.size === 1 && [0, 1, -1].some((step) => steps.has(step));
}

/** The abbreviated name of a commit, as git prints it. */
const COMMIT = /^(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7}$/;

/** Evidence that a number is something else, unless the text names it as a code outright. */
function doubtsOf({ shape, value }: Candidate, naming: CodeEvidence | null, alone: boolean): CodeEvidence[] {
  const isOutright = (naming?.amount ?? 0) >= OUTRIGHT;
  const isNamed = naming?.feature.startsWith("named") === true;
  const doubts: [CodeFeature, boolean][] = [
    ["against.date_unnamed", shape === "date" && !isOutright],
    ["against.commit", COMMIT.test(value) && !isOutright],
    ["against.capitals_unnamed", shape === "capitals" && (!isOutright || !alone)],
    ["against.example", isExample(value) && !isNamed],
  ];
  return holding(doubts);
}

const holding = (features: readonly [CodeFeature, boolean][]): CodeEvidence[] =>
  features.filter(([, holds]) => holds).map(([feature]) => evidence(feature));

/** A cell of a table before the number. */
const CELL_BEFORE = /\S {2,}$/;
/** "10997 Berlin", "1010 Wien", "75001 Paris": a postcode and its town. */
const TOWN_AFTER = /^,? \p{Lu}\p{Ll}+/u;
/** Two capitals behind four digits, as Dutch postcodes have. */
const CAPITALS_AFTER = /^ ?[A-Z]{2}(?![\p{L}\p{N}])/u;
/** A comma or a street's number before the postcode. */
const STREET_BEFORE = /(?:\p{L}|\d)[,·|–-]? ?(?:[A-Z]{1,2}[- ])?$/u;
const PHONE_BEFORE = /(?:\(\d{2,5}\)|\d{2,})[ .\-/]{1,2}$/;
/** A bracket that is open at the number: an aside. */
const BRACKET_BEFORE = /[([（［][^)\]）］]{0,20}$/;

/** Evidence of the characters around the number, in whatever language. */
function placeOf(place: Place, candidate: Candidate, around: Surroundings, isNamed: boolean): CodeEvidence[] {
  const line = place.text.lines[place.at] ?? "";
  const before = line.slice(Math.max(0, candidate.start - NEAR_CHARS), candidate.start);
  const after = line.slice(candidate.end, candidate.end + NEAR_CHARS);
  const isApart = around.alone && !place.isSubject;
  const isCell = CELL_BEFORE.test(before) && !hasText(after);
  return [
    ...holding([
      ["own_line.colon", isApart && hasColonAbove(place)],
      ["own_line.cell", isCell && isNamed],
      ["against.phone", PHONE_BEFORE.test(before)],
      ["against.bracket", BRACKET_BEFORE.test(before) && !place.isSubject],
    ]),
    ...postcodeIn(candidate.value, before, after, isNamed),
  ];
}

/** Evidence that a number is a postcode: a town behind it, a street before it. */
function postcodeIn(value: string, before: string, after: string, isNamed: boolean): CodeEvidence[] {
  const hasTown = /^[0-9]+$/.test(value) && TOWN_AFTER.test(after);
  return holding([
    ["against.town", hasTown && value.length <= 6],
    ["against.street", hasTown && !isNamed && STREET_BEFORE.test(before)],
    ["against.postcode", value.length === 4 && CAPITALS_AFTER.test(after)],
  ]);
}

/** Whether the last line with text above a number ends in a colon. */
function hasColonAbove({ text, at }: Place): boolean {
  for (let above = at - 1; above >= Math.max(0, at - 3); above -= 1) {
    const line = text.lines[above] ?? "";
    if (hasText(line)) return /[:：]\s*[*_]*\s*$/u.test(line);
  }
  return false;
}

/** Words for a password may name a code; more often they speak of what the reader knows already, or of the way into a meeting. */
const password = lazy(
  () => new RegExp(`^(?:${anyOf(wordsOf(({ link }) => link?.password).map(folded))})`, "u"),
);
const isPassword = (word: string): boolean => password().test(folded(word));

/**
 * The name of a number as evidence. A word that may name any code says more where the mail speaks neither of discounts nor of
 * meetings and bookings.
 */
function nameOf(naming: CodeEvidence, setting: Setting): CodeEvidence[] {
  if (naming.feature !== "named.weak") return [naming];
  if (isPassword(naming.detail)) return [{ ...naming, feature: "named.password" }];
  const kinds = setting.mail();
  const isPlain = !(["coupon", "meeting", "booking"] as const).some((kind) => kinds.has(kind));
  if (!isPlain) return [naming];
  const isOnly = !kinds.has("number");
  return [naming, evidence(isOnly ? "named.simple" : "named.plain", naming.detail)];
}

/** Characters of a line between the name of a code and the code: amount, date and account of a payment. */
const FAR_CHARS = 400;

/** "is", ":" and the like, right before a number. */
const CLOSING_CHARS = 12;

/** Whether a name of a code stands far before in the line, and a colon or the like right before the number. */
function announcedFar({ text, at }: Place, candidate: Candidate): boolean {
  const before = text.stretch(at, candidate.start - FAR_CHARS, candidate.start);
  const closing = before.text.slice(-CLOSING_CHARS);
  const hasColon = ENDS_IN_COLON.test(closing);
  if (!hasColon && !leadsToNumber().test(folded(closing))) return false;
  return before.labels.some(({ kind }) => kind === "strong" || (kind === "weak" && hasColon));
}

/**
 * Evidence of a name of a code far before the number, with amount, shop and card between, as banks write; more of it where the mail
 * says that a code is secret or valid for a time. None where a nearer word names the number, and none in mails about meetings.
 */
function farOf(
  place: Place,
  candidate: Candidate,
  { before }: Surroundings,
  setting: Setting,
): "near.far" | "near.far_guarded" | null {
  const kinds = setting.mail();
  if (kinds.has("meeting") || kinds.has("booking")) return null;
  if (before.some(({ kind, gap }) => OTHER_KINDS.has(kind) && isTight(gap))) return null;
  if (!announcedFar(place, candidate)) return null;
  return kinds.has("secret") || kinds.has("expiry") ? "near.far_guarded" : "near.far";
}

/** Characters between a number and a word that says that it no longer counts, at most. */
const VOID_CHARS = 30;

/** Whether a word beside the number says that it no longer counts, or that it replaces another. */
function ageOf({ before, after, alone }: Surroundings): CodeEvidence[] {
  const inSentence = ({ gap }: Neighbour): boolean =>
    (alone || !breaksSentence(gap)) && !/[0-9]{4}/.test(gap);
  const isSaidOfIt = ({ gap }: Neighbour): boolean => gap.length <= VOID_CHARS && !/[,،、;:]/.test(gap);
  const found: CodeEvidence[] = [];
  const near = [...before, ...after].filter(inSentence);
  const old = near.filter(isSaidOfIt).find(isVoid);
  if (old !== undefined) found.push(evidence("against.void", old.word));
  const fresh = before.filter(inSentence).find(isFresh) ?? near.find(isFresh);
  if (fresh !== undefined) found.push(evidence("newest", fresh.word));
  return found;
}

/** Characters between a number and words about its lifetime or its secrecy, at most: they stand in the next sentence. */
const ABOUT_CHARS = 90;

/** Evidence of words beside the number that speak of its use: what it is typed into, how long it is valid, that it is secret. */
function useOf(place: Place, candidate: Candidate, { before, after }: Surroundings): CodeEvidence[] {
  const wide = place.text.stretch(place.at, candidate.start - ABOUT_CHARS, candidate.end + ABOUT_CHARS);
  const near = [...before, ...after].filter(({ gap }) => gap.length <= ABOUT_CHARS);
  const words: CodeEvidence[] = [];
  const say = (feature: CodeFeature, ...kinds: readonly LabelKind[]): void => {
    const word =
      near.find(({ kind }) => kind !== "stem" && kinds.includes(kind))?.word ??
      wide.labels
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ start, end }) => wide.text.slice(start, end))[0];
    if (word !== undefined) words.push(evidence(feature, word));
  };
  say("near.device", "device");
  say("near.secret", "secret");
  say("near.expiry", "expiry");
  say("near.word", "weak", "fresh");
  const line = place.text.lines[place.at] ?? "";
  const behind = line.slice(candidate.end, candidate.end + NEAR_CHARS);
  return [
    ...words,
    ...holding([
      ["sentence_end", /^[*_"'”」』»)]*(?:\s*$|[.!。](?:\s|$))/u.test(behind) && !place.isSubject],
      ["against.late", place.at > LATE_LINES && place.at > 0.7 * place.text.lines.length],
    ]),
  ];
}

/** A number in the first lines is in no footer. */
const LATE_LINES = 4;

/** Evidence of the whole mail, the same for all of its numbers. */
export function mailEvidence(setting: Setting): CodeEvidence[] {
  const kinds = setting.mail();
  const found = [evidence("against.any")];
  const say = (feature: CodeFeature, ...wanted: readonly LabelKind[]): void => {
    const kind = wanted.find((each) => kinds.has(each));
    if (kind !== undefined) found.push(evidence(feature, kinds.get(kind)));
  };
  say("mail.strong", "strong", "confirmation", "passcode");
  say("mail.hint", "hint");
  say("mail.instruction", "instruction");
  say("mail.expiry", "expiry");
  say("mail.device", "device");
  say("mail.secret", "secret");
  say("mail.requested", "requested");
  say("against.mail_meeting", "meeting");
  say("against.mail_coupon", "coupon");
  const { numbers, hasLifetime } = setting.form();
  if (hasLifetime) found.push(evidence("mail.lifetime"));
  found.push(evidence("against.numbers", "", Math.log2(Math.max(1, numbers))));
  return found;
}

/** "Use code SAVE20 at checkout": weak key words and instructions say nothing beside these. */
function isCoupon({ before, after }: Surroundings, setting: Setting): boolean {
  return setting.subject().has("coupon") || before.some(isOfCoupon) || after.some(isOfCoupon);
}

/**
 * Evidence for and against a candidate being the code that the reader is to type: from the words around it and in the subject, and
 * from its form and place, which speak in every language.
 */
export function evidenceFor(place: Place, candidate: Candidate, setting: Setting): CodeEvidence[] {
  if (isWebOtp(place.text.lines[place.at] ?? "", candidate)) return [evidence("web_otp")];
  const around = surroundingsOf(place, candidate);
  const named = namingOf(around, setting);
  const naming = named === REJECTED ? null : named;
  const prompt = promptOf(around);
  const found = [
    ...prompt,
    ...subjectOf(place, candidate, around, setting),
    ...formOf(candidate),
    ...doubtsOf(candidate, naming, around.alone),
    ...placeOf(place, candidate, around, naming !== null),
    ...ageOf(around),
    ...useOf(place, candidate, around),
  ];
  if (naming !== null) found.push(...nameOf(naming, setting));
  const far = naming === null ? farOf(place, candidate, around, setting) : null;
  if (far !== null) found.push(evidence(far));
  // "Enter this to change your phone number: 482913": the number is told to be typed, whatever the last words name.
  const isPrompted = prompt.some(({ feature }) => feature === "instruction");
  if (named === REJECTED && !isPrompted && far === null) found.push(evidence("against.named"));
  if (isCoupon(around, setting)) found.push(evidence("against.coupon"));
  return found;
}
