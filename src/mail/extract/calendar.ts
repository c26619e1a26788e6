import type { ExtractionOf } from "../../contract/extraction.ts";
import { appointmentIn } from "./appointment.ts";
import { eventIn, type CalendarEvent } from "./icalendar.ts";
import type { ExtractMail } from "./mail-text.ts";
import type { Moment } from "./moment.ts";
import { eventOf } from "./reservation.ts";
import { structuredData } from "./structured-data.ts";

type Calendar = ExtractionOf<"calendar">;

/** Files of one mail that are read: programs attach an invitation twice. */
const MAX_FILES = 5;

/**
 * Reads an appointment out of a mail, from an iCalendar file, else schema.org's events and reservations, else the text; null
 * if there is none.
 */
export function readCalendar(mail: ExtractMail): Calendar | null {
  for (const file of mail.calendars.slice(0, MAX_FILES)) {
    const event = eventIn(file);
    if (event !== null && event.start !== null) return answered(event, "ics", 0.99);
  }
  const { jsonld, microdata } = structuredData(mail.html);
  const sources = [
    ["jsonld", eventOf(jsonld), 0.98],
    ["microdata", eventOf(microdata), 0.98],
    ["text", appointmentIn(mail), 0.75],
  ] as const;
  for (const [source, event, confidence] of sources) {
    if (event !== null) return answered(event, source, confidence);
  }
  return null;
}

function answered(event: CalendarEvent, source: Calendar["source"], confidence: number): Calendar {
  const { title, location, attendees, start, end, uid, method } = event;
  return {
    type: "calendar",
    title,
    date: start?.date ?? null,
    time: start?.time ?? null,
    location,
    attendees,
    start: start?.instant ?? null,
    end: isBefore(end, start) ? null : (end?.instant ?? null),
    uid,
    method,
    source,
    confidence,
  };
}

/** Whether a moment is before another; false where a zone is not known. A whole day is before another day. */
function isBefore(one: Moment | null, other: Moment | null): boolean {
  if (one?.time == null || other?.time == null) return (one?.date ?? "") < (other?.date ?? "");
  return Date.parse(one.instant ?? "") < Date.parse(other.instant ?? "");
}
