import { lowered } from "../code/key-words.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { lazy } from "../lazy.ts";
import { opensQuotation } from "../text/own-text.ts";
import { datesIn, type DateContext, type Shown, type ShownDate } from "./dates.ts";
import type { Pair } from "./form-pairs.ts";
import { labelled, phrases, type Labelled } from "./labelled-values.ts";
import type { ReadText } from "./mail-text.ts";
import { dayAfter, daysBetween, instantOf, type Moment } from "./moment.ts";
import { mayBeWeekday } from "./month-names.ts";
import { arrivalLabel, dueWord, orderWord, parcelWord } from "./shared-phrases.ts";
import { timesIn, type ShownTime } from "./times.ts";

/** When an appointment begins and ends, and the line that says so. */
export interface When {
  start: Moment;
  end: Moment | null;
  at: number;
}

/** How days are read, and whether the subject names an appointment. */
interface AppointmentContext extends DateContext {
  isAboutAppointment: boolean;
}

/** Finds labels of the time of an appointment. */
const whenLabel = phrases(({ appointment }) => appointment?.when);
/** Finds words for an appointment. */
export const appointmentWord = phrases(({ appointment }) => appointment?.word);

/** Abbreviations of zones, by their offset from UTC in minutes; others (CST, IST, BST) stand for several zones. */
const ZONES: Readonly<Record<string, number>> = {
  UTC: 0,
  GMT: 0,
  CET: 60,
  CEST: 120,
  MEZ: 60,
  MESZ: 120,
  EET: 120,
  EEST: 180,
  MSK: 180,
  EST: -300,
  EDT: -240,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
  JST: 540,
  KST: 540,
};
const ZONE = new RegExp(
  `(?:\\b(?:UTC|GMT) ?(?<offset>[+-]\\d{1,2}(?::?\\d{2})?)|\\b(?<name>${Object.keys(ZONES).join("|")})\\b)`,
);

/** Between the times of a span. */
const timeSpan = lazy(() => {
  const oClock = anyOf(wordsOf(({ dates }) => dates?.oClock));
  const until = anyOf(wordsOf(({ dates }) => dates?.untilTime));
  return new RegExp(`^\\s*(?:${oClock})?\\s*(?:-|–|—|~|～|〜|${until})\\s*$`, "iu");
});

/** Lines between the label of a day and that of its time. */
const MAX_LINES_APART = 3;
/** Characters before a day in its value: a weekday, "on". */
const MAX_LEAD_CHARS = 40;
/** Characters before and in the value of a label that names a time alone. */
const MAX_CLOCK_LEAD_CHARS = 16;
const MAX_CLOCK_CHARS = 60;

/** The time of an appointment that a form names: a day with a time beside it or in the next lines, or a labelled day. */
export function whenInForm(
  { subject, lines }: ReadText,
  pairs: readonly Pair[],
  context: AppointmentContext,
): When | null {
  if (isAboutOrder(subject)) return null;
  const days = pairs.flatMap((pair) => {
    const [date] =
      isNoAppointment(pair.label) || isInHeader(lines, pair.at) ? [] : datesIn(pair.value, context);
    return date === undefined || date.start > MAX_LEAD_CHARS ? [] : [{ pair, date }];
  });
  const timed = days.flatMap(({ pair, date }) => {
    const clock = clockOf(pair, pairs, context);
    const when = clock === null ? null : whenOf(date.value, clock, pair.at);
    return when === null || !isToCome(when.start.date, context) ? [] : [when];
  });
  const [first] = timed;
  return first ?? labelledDay(lines, context, ({ isLabel }) => isLabel);
}

/** Whether a subject is about a parcel or an order, and not about an appointment as well. */
function isAboutOrder(subject: string): boolean {
  const lower = lowered(subject);
  return (parcelWord().test(lower) || orderWord().test(lower)) && !appointmentWord().test(lower);
}

const isNoAppointment = (label: string): boolean => arrivalLabel().test(label) || dueWord().test(label);

/** The text with the time of a labelled day: its value, or that of a label beside it which is a time alone. */
function clockOf(pair: Pair, pairs: readonly Pair[], context: AppointmentContext): string | null {
  const beside = withoutDates(pair.value, context);
  if (timesIn(beside).length > 0) return beside;
  const near = pairs.filter(
    ({ at }) => at !== pair.at && at >= pair.at - 1 && at <= pair.at + MAX_LINES_APART,
  );
  const clock = near.find(({ label, value }) => isClock(value) && !isNoAppointment(label));
  return clock?.value ?? null;
}

function isClock(value: string): boolean {
  const [time] = timesIn(value);
  return time !== undefined && time.start <= MAX_CLOCK_LEAD_CHARS && value.length <= MAX_CLOCK_CHARS;
}

/** The time of a day behind a word like "appointment" that begins its line. */
export function whenBehindWord({ subject, lines }: ReadText, context: AppointmentContext): When | null {
  return isAboutOrder(subject) ? null : labelledDay(lines, context, ({ isFirst }) => isFirst);
}

/** The first day behind a label of an appointment, with or without a time. */
function labelledDay(
  lines: readonly string[],
  context: AppointmentContext,
  isRead: (found: Labelled) => boolean,
): When | null {
  for (const { value, at } of labelled(lines, whenLabel()).filter(isRead)) {
    const [date] = isInHeader(lines, at) ? [] : datesIn(value, context);
    if (date === undefined || date.start > MAX_LEAD_CHARS) continue;
    const when = whenOf(date.value, withoutDates(value, context), at);
    if (isToCome(when.start.date, context)) return when;
  }
  return null;
}

function whenOf(date: string, clock: string, at: number): When {
  return { ...spanOn(date, clock, timesIn(clock)), at };
}

/** The beginning and the end by the times of a text; an end before the beginning is on the next day. */
function spanOn(date: string, text: string, [start, end]: readonly Shown[]): Pick<When, "start" | "end"> {
  const begins = moment(date, start, text);
  if (start === undefined || end === undefined || !timeSpan().test(text.slice(start.end, end.start)))
    return { start: begins, end: null };
  return { start: begins, end: moment(end.value < start.value ? dayAfter(date) : date, end, text) };
}

/** The header of a mail that is passed on has a date, too, below its sender. */
function isInHeader(lines: readonly string[], at: number): boolean {
  return [at - 3, at - 2, at - 1, at].some((above) => opensQuotation(lines, above));
}

/** Days are no times: `18.03.` and `2025-03-18` are cut out before times are looked for. */
function withoutDates(value: string, context: AppointmentContext): string {
  return datesIn(value, context).reduceRight(
    (rest, { start, end }) => `${rest.slice(0, start)} | ${rest.slice(end)}`,
    value,
  );
}

function moment(date: string, time: Shown | undefined, text: string): Moment {
  if (time === undefined) return { date, time: null, instant: date };
  return { date, time: time.value, instant: instantOf(date, `${time.value}:00`, offsetIn(text)) };
}

/** Seconds east of UTC that a text names; null if none or an abbreviation of several zones. */
function offsetIn(text: string): number | null {
  const { offset, name } = ZONE.exec(text)?.groups ?? {};
  if (offset !== undefined) {
    const [, sign = "+", hours = "0", minutes = "0"] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(offset) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
  }
  const known = name === undefined ? undefined : ZONES[name];
  return known === undefined ? null : known * 60;
}

/** Days ahead of a mail in which appointments are. */
const MAX_DAYS_AHEAD = 400;
/** Lines of running text that are looked at, and characters between a day and its time. */
const MAX_PROSE_LINES = 60;
const MAX_GAP_CHARS = 60;
/** "10.30" is a time this near behind a day. */
const MAX_DOTTED_GAP_CHARS = 24;
const MAX_WEEKDAY_GAP_CHARS = 25;

/** A time in running text, and how much speaks for an appointment. */
interface Told extends When {
  evidence: number;
}

/**
 * The time that running text names: a day to come with a time in the same sentence, beside a word for an appointment or with its
 * weekday. Null if two are told alike, as events of a programme are.
 */
export function whenInProse({ subject, lines }: ReadText, context: AppointmentContext): When | null {
  if (isAboutOrder(subject)) return null;
  const told = lines.slice(0, MAX_PROSE_LINES).flatMap((line, at) => {
    const lower = lowered(line);
    if (isInHeader(lines, at) || parcelWord().test(lower) || dueWord().test(lower)) return [];
    return toldIn(line, at, context).flatMap((each) => {
      const named = (appointmentWord().test(lower) ? 1 : 0) + (context.isAboutAppointment ? 1 : 0);
      return named === 0 && !isByDay(each.start) ? [] : [{ ...each, evidence: each.evidence + named }];
    });
  });
  const most = Math.max(1, ...told.map(({ evidence }) => evidence));
  const best = told.filter(({ evidence }) => evidence === most);
  const [first] = best;
  const isOne = best.every(
    ({ start }) => start.date === first?.start.date && start.time === first.start.time,
  );
  return isOne ? (first ?? null) : null;
}

/** Hours in which people meet; at others, sales end and services are maintained. */
const isByDay = ({ time }: Moment): boolean => time !== null && time >= "06:00" && time <= "22:00";

function toldIn(line: string, at: number, context: AppointmentContext): Told[] {
  const dates = datesIn(line, context);
  return dates.flatMap((date, index) => {
    if (!date.isCertain || !isToCome(date.value, context) || isDeadline(line, date)) return [];
    const until = dates[index + 1]?.start ?? line.length;
    const behind = sentenceEnd(line.slice(date.end, Math.min(until, date.end + MAX_GAP_CHARS)));
    const times = timesIn(behind).filter((time) => isTime(time, behind));
    if (times.length === 0) return [];
    const evidence = isWithWeekday(line, date) ? 1 : 0;
    return [{ ...spanOn(date.value, behind, times), at, evidence }];
  });
}

/** "2 h" is a duration; hours before this one are written with minutes or with their half of the day. */
const FIRST_BARE_HOUR = "06:00";

const isTime = ({ isCertain, start, value }: ShownTime, behind: string): boolean =>
  isCertain ||
  (value >= FIRST_BARE_HOUR && start <= MAX_DOTTED_GAP_CHARS && !/\d/.test(behind.slice(0, start)));

/** Whether a day is to come. That of the mail is as a rule the day of a sign-in or an order, unless the subject names an appointment. */
const isToCome = (date: string, { today, isAboutAppointment }: AppointmentContext): boolean =>
  isAhead(date, today) && (date !== today || isAboutAppointment);

function isAhead(date: string, today: string): boolean {
  const days = daysBetween(today, date);
  return days >= 0 && days <= MAX_DAYS_AHEAD;
}

const deadlineWord = phrases(({ dates }) => dates?.deadline);
/** Characters behind a day in which it can be called a deadline. */
const MAX_DEADLINE_GAP_CHARS = 12;

/** Whether a day is the last on which something can be done: a word for that before it, with no more than a weekday between, or behind it. */
export function isDeadline(line: string, { start, end }: Shown): boolean {
  const before = lowered(line.slice(Math.max(0, start - MAX_WEEKDAY_GAP_CHARS), start));
  const behind = lowered(line.slice(end, end + MAX_DEADLINE_GAP_CHARS));
  const isBefore = deadlineWord()
    .all(before)
    .some((word) => /^\s*(?:[\p{L}\p{M}]{2,20}[,.]?\s*)?$/u.test(before.slice(word.end)));
  return (
    isBefore ||
    deadlineWord()
      .all(behind)
      .some((word) => word.start <= 1)
  );
}

/** A text up to the end of its sentence: a point behind a word of some length and before a capital, or one of another script. */
export function sentenceEnd(text: string): string {
  const end = /(?<=[\p{L}\p{M}]{4}|[\d)])[.!?]\s+(?=\p{Lu})|[。।؟？！]/u.exec(text);
  return end === null ? text : text.slice(0, end.index);
}

/** Whether the weekday of a day stands beside it, by its name or a form of it. */
function isWithWeekday(line: string, { value, start, end }: ShownDate): boolean {
  const before = line.slice(Math.max(0, start - MAX_WEEKDAY_GAP_CHARS), start);
  const around = `${before} ${line.slice(end, end + MAX_WEEKDAY_GAP_CHARS)}`;
  const weekday = new Date(value).getUTCDay();
  return Array.from(around.matchAll(/[\p{L}\p{M}]+/gu)).some(([word]) => mayBeWeekday(word, weekday));
}
