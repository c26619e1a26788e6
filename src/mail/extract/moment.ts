/** A day, or a time of a day, as a mail tells it. */
export interface Moment {
  /** YYYY-MM-DD in the zone as written. */
  date: string;
  /** HH:MM; null for a whole day. */
  time: string | null;
  /** ISO 8601 with offset, or the date of a whole day; null where the zone is not known. */
  instant: string | null;
}

/** ISO 8601 of a local time that is so many seconds east of UTC; null where that is not known. */
export function instantOf(date: string, clock: string, offsetSeconds: number | null): string | null {
  if (offsetSeconds === null) return null;
  const minutes = Math.round(Math.abs(offsetSeconds) / 60);
  const two = (value: number): string => String(value).padStart(2, "0");
  const sign = offsetSeconds < 0 ? "-" : "+";
  return `${date}T${clock}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** A time of ISO 8601, as schema.org has it; null if it is none. */
export function momentOf(iso: string | null): Moment | null {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2})?(?:\.\d{1,9})?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(
      iso?.trim() ?? "",
    );
  if (match === null) return null;
  const [, date = "", time, seconds = ":00", zone] = match;
  if (Number.isNaN(Date.parse(date))) return null;
  if (time === undefined) return { date, time: null, instant: date };
  if (zone === undefined) return { date, time, instant: null };
  const offset = /^z$/i.test(zone) ? "+00:00" : zone.replace(/^(.\d{2})(\d{2})$/, "$1:$2");
  return { date, time, instant: `${date}T${time}${seconds}${offset}` };
}
