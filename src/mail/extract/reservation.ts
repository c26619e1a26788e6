import type { CalendarEvent } from "./icalendar.ts";
import { momentOf } from "./moment.ts";
import { findThings, localName, nameAt, textAt, thingsAt, type Thing } from "./schema-org.ts";

/** The times of what is reserved or takes place, the beginning and the end. */
const STARTS = [
  "startDate",
  "departureTime",
  "checkinTime",
  "checkinDate",
  "startTime",
  "pickupTime",
  "doorTime",
];
const ENDS = ["endDate", "arrivalTime", "checkoutTime", "checkoutDate", "endTime", "dropoffTime"];

/** The event, or what is reserved, among things of schema.org; null if none has a beginning. */
export function eventOf(things: readonly Thing[]): CalendarEvent | null {
  const [reservation] = findThings(things, (type) => type.endsWith("Reservation"));
  if (reservation !== undefined) return reserved(reservation);
  const [event] = findThings(things, (type) => type === "Event" || /[a-z]Event$/.test(type));
  return event === undefined ? null : described(event, event, titleOf(event));
}

function reserved(reservation: Thing): CalendarEvent | null {
  const [subject = reservation] = thingsAt(reservation, "reservationFor");
  return described(reservation, subject, titleOf(subject));
}

/** `from` tells who and when where `subject` does not: a hotel has no times, its reservation has. */
function described(from: Thing, subject: Thing, title: string | null): CalendarEvent | null {
  const start = momentOf(textAt(subject, ...STARTS) ?? textAt(from, ...STARTS));
  if (start === null) return null;
  const status = localName(
    textAt(from, "reservationStatus", "eventStatus") ?? textAt(subject, "eventStatus") ?? "",
  );
  return {
    title,
    location: placeOf(subject) ?? placeOf(from),
    attendees: peopleOf(from),
    start,
    end: momentOf(textAt(subject, ...ENDS) ?? textAt(from, ...ENDS)),
    uid: null,
    method: /Cancel/i.test(status) ? "CANCEL" : null,
  };
}

/** A name; of a journey the carrier, its number and the ends. */
function titleOf(subject: Thing): string | null {
  const name = textAt(subject, "name", "trainName", "busName");
  const [airline] = thingsAt(subject, "airline", "provider");
  const number = textAt(subject, "flightNumber", "trainNumber", "busNumber");
  const code = textAt(airline, "iataCode") ?? "";
  const flight = number === null || number.startsWith(code) ? number : `${code}${number}`;
  const ends = [
    nameAt(subject, "departureAirport", "departureStation", "departureBusStop"),
    nameAt(subject, "arrivalAirport", "arrivalStation", "arrivalBusStop"),
  ].filter((end) => end !== null);
  if (flight === null && ends.length < 2) return name;
  const carrier = textAt(airline, "name") ?? name;
  return [carrier, flight, ends.join(" – ")].filter((part) => part !== null && part !== "").join(" ");
}

const PLACES = ["location", "departureAirport", "departureStation", "departureBusStop", "pickupLocation"];

function placeOf(subject: Thing): string | null {
  for (const place of PLACES) {
    const [thing] = thingsAt(subject, place);
    const written = thing === undefined ? textAt(subject, place) : placeName(thing);
    if (written !== null) return written;
  }
  return addressOf(subject);
}

function placeName(place: Thing): string | null {
  const parts = [textAt(place, "name"), addressOf(place)].filter((part) => part !== null);
  return parts.length === 0 ? null : [...new Set(parts)].join(", ");
}

/** An address on one line. */
function addressOf(place: Thing): string | null {
  const [address] = thingsAt(place, "address");
  if (address === undefined) return textAt(place, "address");
  const town = [textAt(address, "postalCode"), textAt(address, "addressLocality")].filter(
    (part) => part !== null,
  );
  const lines = [textAt(address, "streetAddress"), town.join(" ") || null].filter((part) => part !== null);
  return lines.join(", ") || null;
}

/** Those it is reserved for, or who take part: the address if told, else the name. */
function peopleOf(thing: Thing): string[] {
  const people = thingsAt(thing, "underName", "attendee", "attendees");
  return people.flatMap((person) => textAt(person, "email") ?? textAt(person, "name") ?? []);
}
