import {
  propertyOf,
  timeIn,
  timeOf,
  type Component,
  type LocalTime,
  type Property,
} from "./icalendar-file.ts";

/** A day on which the clock of a zone changes, in ms as `LocalTime` has them. */
interface Change {
  /** When it happens, in UTC. */
  ms: number;
  /** From which local time on the new offset counts. */
  fromMs: number;
  /** Seconds east of UTC before and after. */
  before: number;
  after: number;
  isSummer: boolean;
}

/** When a clock changes each year. */
interface YearlyRule {
  /** 1 to 12; null: in any month, or that of the first change. */
  month: number | null;
  /** Sunday is 0; null: on the day of the first change. */
  weekday: number | null;
  /** 1: the first such weekday of the month, -1: the last, and so on; null: each. */
  place: number | null;
  until: LocalTime | null;
}

const YEARLY =
  /^FREQ=YEARLY(?:;(?:INTERVAL=1|BYMONTH=\d{1,2}|BYDAY=[+-]?[1-5]?[A-Z]{2}|UNTIL=[\dTZ]{8,16}|WKST=[A-Z]{2}))*$/i;
const WEEKDAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
/** Changes of the clock's rules that one zone may list. */
const MAX_OBSERVANCES = 40;
/** Years in which the last change before a time is looked for: 29 February may be absent for seven. */
const YEARS_BACK = 8;
const DAY_MS = 86_400_000;

/**
 * Seconds east of UTC of a local time in a zone that a file describes (RFC 5545 §3.6.5); null if the description cannot be
 * used. Zero before the first change of the clock that it lists.
 */
export function describedOffset(zone: Component, { ms }: LocalTime): number | null {
  if (zone.components.length === 0 || zone.components.length > MAX_OBSERVANCES) return null;
  const listed = zone.components.map((observance) => changesOf(observance, new Date(ms).getUTCFullYear()));
  if (listed.includes(null)) return null;
  const changes = listed.flatMap((some) => some ?? []).toSorted((one, other) => one.ms - other.ms);
  const at = changes.findLastIndex(({ fromMs }) => fromMs <= ms);
  const last = changes[at];
  if (last === undefined) return 0;
  // An hour that the clock shows twice is that of winter time.
  const earlier = changes[at - 1];
  const isAgain = last.after < last.before && ms < last.ms + last.before * 1_000;
  return isAgain && last.isSummer && earlier?.isSummer === false ? earlier.after : last.after;
}

/** The changes of one kind, as far as they can be the last before a year's end; null if the rule is none that is read. */
function changesOf(observance: Component, year: number): Change[] | null {
  const [rule, ...furtherRules] = propertiesOf(observance, "RRULE").map(({ value }) => yearlyRule(value));
  const dates = propertiesOf(observance, "RDATE");
  if (rule === null || furtherRules.length > 0 || dates.length > MAX_OBSERVANCES) return null;
  const started = propertyOf(observance, "DTSTART");
  const start = started === undefined ? null : timeOf(started);
  const before = offsetIn(observance, "TZOFFSETFROM");
  const after = offsetIn(observance, "TZOFFSETTO");
  if (start === null || before === null || after === null) return [];
  const isSummer = observance.name === "DAYLIGHT";
  const listed = dates.flatMap((date) => listedTimes(date, start, before));
  // Without a rule and a list, the clock changes once.
  const once = dates.length === 0 ? [start.ms] : [];
  const times = rule === undefined ? once : yearlyTimes(rule, start, { year, before });
  return [...listed, ...times].map((localMs) => {
    const ms = localMs - before * 1_000;
    return { ms, fromMs: ms + Math.min(before, after) * 1_000, before, after, isSummer };
  });
}

function propertiesOf({ properties }: Component, name: string): Property[] {
  return properties.filter((property) => property.name === name);
}

/** The local times that an RDATE lists, in ms. */
function listedTimes({ value }: Property, start: LocalTime, before: number): number[] {
  return value.split(",").flatMap((text) => {
    const time = timeIn(text);
    if (time === null) return [];
    if (time.isUtc) return time.ms + before * 1_000;
    return time.isDate ? time.ms + clockOf(start) : time.ms;
  });
}

function offsetIn(observance: Component, name: string): number | null {
  const [, sign, hours, minutes] =
    /^([+-]?)(\d\d):?(\d\d)/.exec(propertyOf(observance, name)?.value ?? "") ?? [];
  if (hours === undefined) return null;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 3_600 + Number(minutes) * 60);
}

/** A rule by which a zone may change its clock; null for any other, which could repeat each second, or name no day at all. */
function yearlyRule(text: string): YearlyRule | null {
  if (!YEARLY.test(text)) return null;
  const parts = new Map(
    text
      .toUpperCase()
      .split(";")
      .map((part) => part.split("=") as [string, string]),
  );
  const month = Number(parts.get("BYMONTH") ?? 0);
  const day = weekdayIn(parts.get("BYDAY"));
  if (month > 12 || day === null) return null;
  return { month: month === 0 ? null : month, ...day, until: timeIn(parts.get("UNTIL") ?? "") };
}

/** The day of BYDAY, such as -1SU; null if it names none. */
function weekdayIn(text: string | undefined): Pick<YearlyRule, "weekday" | "place"> | null {
  if (text === undefined) return { weekday: null, place: null };
  const [, place = "", day = ""] = /^([+-]?\d?)(\w\w)$/.exec(text) ?? [];
  const weekday = WEEKDAYS.indexOf(day);
  return weekday < 0 ? null : { weekday, place: place === "" ? null : Number(place) };
}

/** The local times at which a rule changes the clock, in ms, the years before `year` included. */
function yearlyTimes(
  rule: YearlyRule,
  start: LocalTime,
  { year, before }: { year: number; before: number },
): number[] {
  const { until } = rule;
  const endMs = until === null ? Infinity : until.ms + (until.isUtc ? before * 1_000 : 0);
  const last = Math.min(year + 1, endMs === Infinity ? year + 1 : new Date(endMs).getUTCFullYear());
  const years = Array.from({ length: YEARS_BACK + 2 }, (_, back) => last - back);
  return years
    .flatMap((each) => daysOf(rule, new Date(start.ms), each))
    .map((day) => day + clockOf(start))
    .filter((ms) => ms >= start.ms && ms <= endMs);
}

/** The days of a year on which a rule changes the clock, in ms. */
function daysOf({ month, weekday, place }: YearlyRule, start: Date, year: number): number[] {
  if (weekday === null) {
    const ofMonth = month === null ? start.getUTCMonth() : month - 1;
    const day = dayMs(year, ofMonth, start.getUTCDate());
    return new Date(day).getUTCMonth() === ofMonth ? [day] : [];
  }
  const [begin, end] =
    month === null
      ? [dayMs(year, 0, 1), dayMs(year + 1, 0, 1)]
      : [dayMs(year, month - 1, 1), dayMs(year, month, 1)];
  const first = begin + ((weekday - new Date(begin).getUTCDay() + 7) % 7) * DAY_MS;
  const count = Math.ceil((end - first) / (7 * DAY_MS));
  const days = Array.from({ length: count }, (_, week) => first + week * 7 * DAY_MS);
  if (place === null) return days;
  const day = days.at(place > 0 ? place - 1 : place);
  return day === undefined ? [] : [day];
}

/** The time of the day, in ms. */
const clockOf = ({ ms }: LocalTime): number => ((ms % DAY_MS) + DAY_MS) % DAY_MS;

function dayMs(year: number, month: number, day: number): number {
  const date = new Date(0);
  return date.setUTCFullYear(year, month, day);
}

/**
 * Seconds east of UTC of a local time, in ms, in a zone of the IANA database, by the runtime's own tables; null for a zone that
 * they do not have.
 */
export function namedOffset(local: number, tzid: string): number | null {
  try {
    const first = zoneOffset(local, tzid);
    // The offset of the local time read as UTC may be that of the other side of a change.
    return zoneOffset(local - first * 1_000, tzid);
  } catch {
    // Intl throws at a zone that it does not know.
    return null;
  }
}

function zoneOffset(instantMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const parts = new Map(format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  const shown = Date.UTC(
    part("year"),
    part("month") - 1,
    part("day"),
    part("hour"),
    part("minute"),
    part("second"),
  );
  return Math.round((shown - instantMs) / 1_000);
}
