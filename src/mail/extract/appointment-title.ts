import { lowered } from "../code/key-words.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { lazy } from "../lazy.ts";
import { textToSnippet } from "../text/html-text.ts";
import { appointmentWord } from "./appointment-time.ts";
import { isExactly, type Pair } from "./form-pairs.ts";
import { phrases } from "./labelled-values.ts";
import type { ExtractMail } from "./mail-text.ts";
import { monthOf, weekdayOf } from "./month-names.ts";

/** Finds labels of what an appointment is about. */
const titleLabel = phrases(({ appointment }) => appointment?.title);
/** Finds invitations and reminders. */
const invitation = phrases(({ subject }) => subject?.invitation);

const MAX_TITLE_CHARS = 120;
const MAX_SUBJECT_CHARS = 300;

/** A date that programs put behind the name of an appointment. */
const SUBJECT_TAIL = / @ .{0,200}$/u;
const REPLY = lazy(
  () =>
    new RegExp(
      `^(?:(?:${anyOf(wordsOf(({ subject }) => subject?.reply))}|${anyOf(wordsOf(({ subject }) => subject?.forward))})\\s?[:：]\\s*){1,3}`,
      "iu",
    ),
);

/** The title of an appointment: the value of a label, else what the subject says beyond "your appointment"; null if nothing. */
export function appointmentTitle(mail: ExtractMail, pairs: readonly Pair[]): string | null {
  const pair = pairs.find(({ label, value }) => isExactly(label, titleLabel()) && /\p{L}{2}/u.test(value));
  if (pair !== undefined && pair.value.length <= MAX_TITLE_CHARS)
    return pair.written.replaceAll("\ufffc", "").trim() || null;
  const subject = textToSnippet(mail.subject, MAX_SUBJECT_CHARS)
    .replace(SUBJECT_TAIL, "")
    .replace(REPLY(), "")
    .trim();
  return specificPart(subject, mail.from.name) ?? headingIn(mail, subject);
}

/** Lines of the text that may be its heading. */
const HEADING_LINES = 3;
const MIN_HEADING_CHARS = 8;

/** The heading that the subject repeats behind words of its own: "Confirmation of visa appointment" above "Visa appointment". */
function headingIn({ text, from }: ExtractMail, subject: string): string | null {
  const whole = lowered(subject);
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const heading = lines.slice(0, HEADING_LINES).find((line) => {
    const lower = lowered(line.trim());
    return lower.length >= MIN_HEADING_CHARS && whole.endsWith(` ${lower}`) && lower !== lowered(from.name);
  });
  return heading !== undefined && residueOf(heading).length > 0 ? heading.trim() : null;
}

/** Between the parts of a subject: "Reminder: Team sync", "Eye test – booking confirmed". */
const SEPARATOR = /\s?[:：|]\s*|\s[-–—]\s/u;

/** The part of a subject that names the matter; null if it speaks of an appointment as such. */
function specificPart(subject: string, sender: string): string | null {
  const [separator] = SEPARATOR.exec(subject) ?? [];
  if (separator === undefined)
    return isGeneric(subject) && !namesMatter(subject, sender) ? null : subject || null;
  const at = subject.indexOf(separator);
  const [before, behind] = [subject.slice(0, at).trim(), subject.slice(at + separator.length).trim()];
  // A dash also stands between the ends of a journey.
  const isLead = isGeneric(before) && (!/[-–—]/.test(separator) || residueOf(before).length === 0);
  if (isLead) return isTelling(residueOf(behind)) ? behind : null;
  return isGeneric(behind) ? before || null : subject;
}

/** Letters of a compound before a word for an appointment, and of that word: "Werkstatttermin". */
const MIN_COMPOUND_CHARS = 3;
const MIN_HEAD_CHARS = 5;
const MAX_COMPOUND_CHARS = 40;

/** Whether words speak of an appointment as such. */
function isGeneric(part: string): boolean {
  const lower = lowered(part);
  return (
    appointmentWord().test(lower) ||
    invitation().test(lower) ||
    lower.split(/[^\p{L}\p{M}]+/u).some(isCompound)
  );
}

/** Whether a word ends in one for an appointment. */
function isCompound(word: string): boolean {
  if (word.length > MAX_COMPOUND_CHARS) return false;
  const starts = Math.max(0, word.length - MIN_HEAD_CHARS - MIN_COMPOUND_CHARS + 1);
  const heads = Array.from({ length: starts }, (_, at) => word.slice(at + MIN_COMPOUND_CHARS));
  return heads.some((head) => appointmentWord().test(head));
}

/** The words of a text that do not speak of an appointment as such: those of some length, and none of days. */
function residueOf(part: string): string[] {
  const lower = lowered(part);
  const spans = [...appointmentWord().all(lower), ...invitation().all(lower)];
  return Array.from(part.matchAll(/[\p{L}\p{M}]{3,}/gu))
    .filter(
      ({ 0: word, index }) => !spans.some(({ start, end }) => start < index + word.length && index < end),
    )
    .map(([word]) => word)
    .filter((word) => !isGeneric(word) && monthOf(word) === null && weekdayOf(word) === null);
}

/** Letters of a word that is more than "your" or "for". */
const MIN_TELLING_CHARS = 5;

/** Whether words are more than "your" or "for": two, or one that is long, has a capital, or is of a script without capitals. */
const isTelling = (words: readonly string[]): boolean =>
  words.length > 1 || words.some((word) => word.length >= MIN_TELLING_CHARS || !/^\p{Ll}/u.test(word));

/** Whether words of a subject have a capital, and are not the sender's name nor the first: "Termin bei Dr. Voss". */
function namesMatter(subject: string, sender: string): boolean {
  const name = lowered(sender);
  return residueOf(subject).some(
    (word) => /^\p{Lu}/u.test(word) && !subject.startsWith(word) && !name.includes(lowered(word)),
  );
}
