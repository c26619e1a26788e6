import {
  calendarIn,
  durationIn,
  propertyOf,
  textOf,
  timeOf,
  type Component,
  type LocalTime,
} from "./icalendar-file.ts";
import { describedOffset, namedOffset } from "./icalendar-zone.ts";
import { instantOf, type Moment } from "./moment.ts";

/** An event as an iCalendar file describes it. */
export interface CalendarEvent {
  title: string | null;
  location: string | null;
  attendees: string[];
  start: Moment | null;
  end: Moment | null;
  uid: string | null;
  method: string | null;
}

const MAX_ATTENDEES = 200;

/**
 * The event that an iCalendar file (RFC 5545) is about; null if it has none. Never throws, and expands no recurrence of an
 * event.
 */
export function eventIn(file: string): CalendarEvent | null {
  const calendar = calendarIn(file);
  const events = calendar?.components.filter(({ name }) => name === "VEVENT") ?? [];
  // Of a series the master; a file of one changed occurrence has only that.
  const event = events.find((each) => propertyOf(each, "RECURRENCE-ID") === undefined) ?? events[0];
  return calendar === null || event === undefined ? null : described(calendar, event);
}

function described(calendar: Component, event: Component): CalendarEvent {
  const status = textOf(event, "STATUS")?.toUpperCase();
  const method = textOf(calendar, "METHOD")?.toUpperCase() ?? null;
  return {
    title: textOf(event, "SUMMARY"),
    location: textOf(event, "LOCATION"),
    attendees: attendeesOf(event),
    start: momentOf(calendar, event, "DTSTART"),
    end: momentOf(calendar, event, "DTEND") ?? endByDuration(calendar, event),
    uid: textOf(event, "UID"),
    method: method ?? (status === "CANCELLED" ? "CANCEL" : null),
  };
}

/** The addresses of the attendees; the name of one without an address. */
function attendeesOf({ properties }: Component): string[] {
  const people = properties.filter(({ name }) => name === "ATTENDEE").slice(0, MAX_ATTENDEES);
  return people.flatMap(({ value, parameters }) => {
    const address = value.replace(/^mailto:/i, "").trim();
    const name = parameters.get("CN") ?? "";
    if (address.includes("@")) return [address];
    return name === "" ? [] : [name];
  });
}

function momentOf(calendar: Component, event: Component, name: string): Moment | null {
  const property = propertyOf(event, name);
  const time = property === undefined ? null : timeOf(property);
  return time === null ? null : momentAt(calendar, time, property?.parameters.get("TZID"));
}

/** A longer event is no appointment. */
const MAX_DURATION_SECONDS = 366 * 86_400;

function endByDuration(calendar: Component, event: Component): Moment | null {
  const property = propertyOf(event, "DTSTART");
  const start = property === undefined ? null : timeOf(property);
  const seconds = durationIn(propertyOf(event, "DURATION")?.value ?? "");
  if (start === null || seconds === null || Math.abs(seconds) > MAX_DURATION_SECONDS) return null;
  // The end of a whole day's event is a day, too.
  const added = start.isDate ? Math.trunc(seconds / 86_400) * 86_400 : seconds;
  return momentAt(calendar, { ...start, ms: start.ms + added * 1_000 }, property?.parameters.get("TZID"));
}

/** A time as it is written; null outside of the years of ISO 8601, to which months and days may carry. */
function momentAt(calendar: Component, time: LocalTime, tzid: string | undefined): Moment | null {
  const iso = new Date(time.ms).toISOString();
  if (!/^\d{4}-/.test(iso)) return null;
  const date = iso.slice(0, 10);
  if (time.isDate) return { date, time: null, instant: date };
  const offset = time.isUtc ? 0 : tzid === undefined ? null : offsetIn(calendar, time, tzid);
  return { date, time: iso.slice(11, 16), instant: instantOf(date, iso.slice(11, 19), offset) };
}

/** Seconds east of UTC in a zone that the file describes, or else by its name in the IANA database; null if neither is known. */
function offsetIn(calendar: Component, time: LocalTime, tzid: string): number | null {
  const zone = calendar.components.find((each) => each.name === "VTIMEZONE" && textOf(each, "TZID") === tzid);
  const offset = zone === undefined ? null : describedOffset(zone, time);
  return offset ?? namedOffset(time.ms, tzid);
}
