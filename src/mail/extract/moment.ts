/** A day, or a time of a day, as a mail tells it. */
export interface Moment {
  /** YYYY-MM-DD in the zone as written. */
  date: string;
  /** HH:MM; null for a whole day. */
  time: string | null;
  /** ISO 8601 with offset, or the date of a whole day; null where the zone is not known. */
  instant: string | null;
}

const DAY_MS = 86_400_000;

/** Days from one day to another, both YYYY-MM-DD; negative if the second is the earlier one. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** The day after one, both YYYY-MM-DD. */
export const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);

/** No zone is further from UTC. */
const MAX_OFFSET_SECONDS = 14 * 3_600;

/** ISO 8601 of a local time (`clock` is HH:MM:SS) that is so many seconds east of UTC; null where that is not known. */
export function instantOf(date: string, clock: string, offsetSeconds: number | null): string | null {
  if (offsetSeconds === null || Math.abs(offsetSeconds) > MAX_OFFSET_SECONDS) return null;
  const minutes = Math.round(Math.abs(offsetSeconds) / 60);
  const two = (value: number): string => String(value).padStart(2, "0");
  const sign = offsetSeconds < 0 ? "-" : "+";
  return `${date}T${clock}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The day with which a date or a time of ISO 8601 begins; null if there is none, or no such day. */
export function dayOfIso(iso: string | null): string | null {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(iso?.trim() ?? "")?.[0] ?? "";
  const instant = Date.parse(day);
  // JavaScript takes 31 February for 3 March.
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(day) ? day : null;
}

/** The time of a day and its offset behind a date, as ISO 8601 has them: hours up to 23, offsets up to 14 hours. */
const ISO_TIME =
  /^[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(?:\.\d{1,9})?\s?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i;

/** A date or a time of ISO 8601, as schema.org has it; null if it is none. */
export function momentOf(iso: string | null): Moment | null {
  const date = dayOfIso(iso);
  if (date === null) return null;
  const rest = iso?.trim().slice(date.length) ?? "";
  if (rest === "") return { date, time: null, instant: date };
  const [, time, seconds = ":00", zone] = ISO_TIME.exec(rest) ?? [];
  if (time === undefined) return null;
  if (zone === undefined) return { date, time, instant: null };
  const offset = /^z$/i.test(zone) ? "+00:00" : zone.replace(/^(.\d{2})(\d{2})$/, "$1:$2");
  return { date, time, instant: `${date}T${time}${seconds}${offset}` };
}
