import { usageError } from "./exit.ts";

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as it may be typed, for help texts. */
export const TIME_FORMS = "a time such as 2026-11-21T08:30:00Z, `now`, or how long ago: 30s, 10m, 2h, 3d";

/**
 * The instant that a text means: an ISO 8601 time, `now`, or how long before `nowMs` it was. Throws a usage error for any other text.
 */
export function instantOf(flag: string, text: string, nowMs: number): string {
  if (text === "now") return new Date(nowMs).toISOString();
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    return new Date(nowMs - Number(count) * (UNITS_MS[unit] ?? 0)).toISOString();
  }
  // As the service reads times: without an offset they are UTC.
  const zoned = /T/.test(text) && !/(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? `${text}Z` : text;
  const ms = /^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text) ? Date.parse(zoned) : Number.NaN;
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw usageError(`--${flag} must be ${TIME_FORMS}; it is "${text}"`);
}

/** An ISO 8601 time in the time zone of this machine: 2026-11-21 08:30. */
export function shownTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16).replace("T", " ");
}
