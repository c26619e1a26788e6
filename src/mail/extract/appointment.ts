import { opensQuotation } from "../text/own-text.ts";
import { dateContext, datesIn, timesIn, type DateContext, type Shown } from "./dates.ts";
import type { CalendarEvent } from "./icalendar.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { labelled, phrases } from "./labelled-values.ts";
import { readText, type ExtractMail, type ReadText } from "./mail-text.ts";
import { instantOf, type Moment } from "./moment.ts";

/** Finds labels of the time of an appointment. */
const whenLabel = phrases(({ appointment }) => appointment?.when);

const timeLabel = phrases(({ appointment }) => appointment?.time);

const whereLabel = phrases(({ appointment }) => appointment?.where);

const titleLabel = phrases(({ appointment }) => appointment?.title);

/** Words before the subject of an invitation, and a date that programs put behind it. */
const subjectLead = lazy(
  () => new RegExp(`^(?:${anyOf(wordsOf(({ subject }) => subject?.invitation))})\\s?[:：-]\\s*`, "iu"),
);
const SUBJECT_TAIL = / @ .{0,200}$/u;

/** Abbreviations that tell an offset, in minutes; others mean several. */
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

const MAX_LINES_APART = 3;
const MAX_PLACE_CHARS = 200;

/**
 * The appointment that a text announces in the form of an invitation: a labelled day with a labelled time, or with a place.
 * Running text names days of all sorts, so it is not read.
 */
export function appointmentIn(mail: ExtractMail): CalendarEvent | null {
  const text = readText(mail);
  const all = `${text.subject}\n${text.lines.join("\n")}`;
  const context = dateContext({ text: all, fromAddress: mail.from.address, receivedAt: mail.receivedAt });
  const when = whenIn(text.lines, context);
  if (when === null) return null;
  const location = valueOf(text, whereLabel());
  if (when.start.time === null && location === null) return null;
  return {
    title: valueOf(text, titleLabel()) ?? titleOf(text.subject),
    location,
    attendees: [],
    ...when,
    uid: null,
    method: null,
  };
}

/** The first labelled day, and the times beside it or on the lines that follow it. */
function whenIn(
  lines: readonly string[],
  context: DateContext,
): { start: Moment; end: Moment | null } | null {
  const labels = labelled(lines, whenLabel()).filter(({ isFirst, at }) => isFirst && !isInHeader(lines, at));
  for (const { value, at } of labels) {
    const [date] = datesIn(value, context);
    if (date === undefined || date.start > MAX_PLACE_CHARS) continue;
    const beside = withoutDates(value, context);
    const near = labelled(lines, timeLabel()).filter(
      (each) => each.at > at && each.at - at <= MAX_LINES_APART,
    );
    const clock = [beside, ...near.map((each) => each.value)].find((each) => timesIn(each).length > 0) ?? "";
    const [start, end] = timesIn(clock);
    return {
      start: moment(date.value, start, clock),
      end: end !== undefined && isSpan(clock, start, end) ? moment(date.value, end, clock) : null,
    };
  }
  return null;
}

/** The header of a mail that is passed on has a date, too, below its sender. */
function isInHeader(lines: readonly string[], at: number): boolean {
  return [at - 3, at - 2, at - 1, at].some((above) => opensQuotation(lines, above));
}

/** Days are no times: `18.03.` and `2025-03-18` are cut out before times are looked for. */
function withoutDates(value: string, context: DateContext): string {
  return datesIn(value, context).reduceRight(
    (rest, { start, end }) => `${rest.slice(0, start)} | ${rest.slice(end)}`,
    value,
  );
}

function isSpan(text: string, start: Shown | undefined, end: Shown): boolean {
  const between = start === undefined ? "" : text.slice(start.end, end.start);
  return timeSpan().test(between);
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

/** The value of the first line that begins with a label. */
function valueOf({ lines }: ReadText, label: RegExp): string | null {
  const found = labelled(lines, label).find(
    ({ isLabel, value }) => isLabel && value.length > 1 && value.length <= MAX_PLACE_CHARS,
  );
  return found === undefined ? null : found.value.replace(/\ufffc/g, "").trim() || null;
}

function titleOf(subject: string): string | null {
  return subject.replace(subjectLead(), "").replace(SUBJECT_TAIL, "").trim() || null;
}
