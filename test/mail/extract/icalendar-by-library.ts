// The event of an iCalendar file as the library ical.js reads it, for comparison.
import ICAL from "ical.js";
import type { CalendarEvent } from "../../../src/mail/extract/icalendar.ts";
import { namedOffset } from "../../../src/mail/extract/icalendar-zone.ts";
import { instantOf, type Moment } from "../../../src/mail/extract/moment.ts";

/** Characters of a file that are read: an invitation has some thousand, most of them attachments' Base64. */
const MAX_FILE_CHARS = 1_000_000;
/** Of one unfolded line: a long description, but no picture. */
const MAX_LINE_CHARS = 8_000;
/** Lines that are handed to the parser. */
const MAX_LINES = 4_000;
const MAX_ATTENDEES = 200;

/** The properties and components that are read; what else a file holds is not even parsed. */
const READ =
  /^(?:BEGIN|END):(?:VCALENDAR|VTIMEZONE|STANDARD|DAYLIGHT|VEVENT)\s*$|^(?:METHOD|UID|SUMMARY|LOCATION|ATTENDEE|DTSTART|DTEND|DURATION|RRULE|RDATE|RECURRENCE-ID|TZID|TZOFFSETFROM|TZOFFSETTO|STATUS)[;:]/i;

/**
 * The event that an iCalendar file (RFC 5545) is about; null if it has none. Never throws, and expands no recurrence of an
 * event.
 */
export function eventByLibrary(file: string): CalendarEvent | null {
  try {
    const calendar = new ICAL.Component(ICAL.parse(readLines(file)));
    const events = calendar.getAllSubcomponents("vevent");
    // Of a series the master; a file of one changed occurrence has only that.
    const event = events.find((each) => each.getFirstPropertyValue("recurrence-id") === null) ?? events[0];
    return event === undefined ? null : described(calendar, event);
  } catch {
    // ical.js throws at what is no iCalendar.
    return null;
  }
}

/** The lines that are read, unfolded (RFC 5545 §3.1), without those inside other components. */
function readLines(file: string): string {
  const unfolded = file.slice(0, MAX_FILE_CHARS).replace(/\r?\n[ \t]/g, "");
  const lines: string[] = [];
  // Alarms and to-dos are components too: their lines are none of an event's.
  let endOfSkipped: string | null = null;
  for (const line of unfolded.split(/\r?\n/)) {
    if (line.length > MAX_LINE_CHARS || lines.length >= MAX_LINES) continue;
    const name = /^BEGIN:(.{1,40}?)\s*$/i.exec(line)?.[1];
    if (endOfSkipped !== null) {
      if (line.trim().toUpperCase() === endOfSkipped) endOfSkipped = null;
    } else if (READ.test(line)) lines.push(line);
    else if (name !== undefined) endOfSkipped = `END:${name.toUpperCase()}`;
  }
  return lines.join("\r\n");
}

function described(calendar: ICAL.Component, event: ICAL.Component): CalendarEvent {
  const status = textOf(event, "status")?.toUpperCase();
  const method = textOf(calendar, "method")?.toUpperCase() ?? null;
  return {
    title: textOf(event, "summary"),
    location: textOf(event, "location"),
    attendees: attendeesOf(event),
    start: momentOf(calendar, event, "dtstart"),
    end: momentOf(calendar, event, "dtend") ?? endByDuration(calendar, event),
    uid: textOf(event, "uid"),
    method: method ?? (status === "CANCELLED" ? "CANCEL" : null),
  };
}

function textOf(component: ICAL.Component, name: string): string | null {
  const value = component.getFirstPropertyValue(name);
  const text = typeof value === "string" ? value.replace(/\s+/g, " ").trim() : "";
  return text === "" ? null : text;
}

/** The addresses of the attendees; the name of one without an address. */
function attendeesOf(event: ICAL.Component): string[] {
  const people = event.getAllProperties("attendee").slice(0, MAX_ATTENDEES);
  return people.flatMap((person) => {
    const value = person.getFirstValue();
    const address = typeof value === "string" ? value.replace(/^mailto:/i, "").trim() : "";
    const name: unknown = person.getParameter("cn");
    if (address.includes("@")) return [address];
    return typeof name === "string" && name !== "" ? [name] : [];
  });
}

function momentOf(calendar: ICAL.Component, event: ICAL.Component, name: string): Moment | null {
  const property = event.getFirstProperty(name);
  const time = property?.getFirstValue();
  if (!(time instanceof ICAL.Time)) return null;
  const tzid: unknown = property?.getParameter("tzid");
  return momentAt(calendar, time, typeof tzid === "string" ? tzid : null);
}

/** ical.js counts the days of a duration one month after the other: a longer one is no appointment's. */
const MAX_DURATION_SECONDS = 366 * 86_400;

function endByDuration(calendar: ICAL.Component, event: ICAL.Component): Moment | null {
  const property = event.getFirstProperty("dtstart");
  const start = property?.getFirstValue();
  const duration = event.getFirstPropertyValue("duration");
  if (!(start instanceof ICAL.Time) || !(duration instanceof ICAL.Duration)) return null;
  if (Math.abs(duration.toSeconds()) > MAX_DURATION_SECONDS) return null;
  const tzid: unknown = property?.getParameter("tzid");
  const end = start.clone();
  end.addDuration(duration);
  return momentAt(calendar, end, typeof tzid === "string" ? tzid : null);
}

/** A time as it is written; null behind the last year of ISO 8601, to which ical.js may carry months and days. */
function momentAt(calendar: ICAL.Component, time: ICAL.Time, tzid: string | null): Moment | null {
  if (time.year > 9_999) return null;
  const two = (value: number): string => String(value).padStart(2, "0");
  const date = `${String(time.year).padStart(4, "0")}-${two(time.month)}-${two(time.day)}`;
  if (time.isDate) return { date, time: null, instant: date };
  const clock = `${two(time.hour)}:${two(time.minute)}`;
  const isUtc = time.zone === ICAL.Timezone.utcTimezone;
  const offset = isUtc ? 0 : tzid === null ? null : offsetIn(calendar, time, tzid);
  return { date, time: clock, instant: instantOf(date, `${clock}:${two(time.second)}`, offset) };
}

/**
 * Rules by which a zone may change its clock. ical.js walks through each year of a rule, so that one that repeats each second, or
 * names a day that no month has, would never end.
 */
const YEARLY =
  /^FREQ=YEARLY(?:;(?:INTERVAL=1|BYMONTH=\d{1,2}|BYDAY=[+-]?[1-5]?[A-Z]{2}|UNTIL=[\dTZ]{8,16}|WKST=[A-Z]{2}))*$/i;
/** Changes of the clock's rules that one zone may list. */
const MAX_OBSERVANCES = 40;

/** Seconds east of UTC in a zone that the file describes, or else by its name in the IANA database; null if neither is known. */
function offsetIn(calendar: ICAL.Component, time: ICAL.Time, tzid: string): number | null {
  const zones = calendar.getAllSubcomponents("vtimezone");
  const described = zones.find((zone) => zone.getFirstPropertyValue("tzid") === tzid);
  if (described !== undefined && isSound(described)) {
    const local = time.clone();
    local.zone = new ICAL.Timezone(described);
    return local.utcOffset();
  }
  const { year, month, day, hour, minute, second } = time;
  return namedOffset(Date.UTC(year, month - 1, day, hour, minute, second), tzid);
}

function isSound(zone: ICAL.Component): boolean {
  const observances = zone.getAllSubcomponents();
  return (
    observances.length > 0 &&
    observances.length <= MAX_OBSERVANCES &&
    observances.every((each) => {
      const rules = each.getAllProperties("rrule");
      const dates = each.getAllProperties("rdate");
      return (
        dates.length <= MAX_OBSERVANCES &&
        rules.length <= 1 &&
        rules.every((rule) => YEARLY.test(String(rule.getFirstValue())))
      );
    })
  );
}
