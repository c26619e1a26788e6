import { lazy } from "../../../mail/lazy.ts";

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** A browser takes 10 ms and more to make its first format: none is made before a page is painted. */
const timeOfDay = lazy(() => new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }));
const dayOfYear = lazy(() => new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" }));
const day = lazy(
  () => new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" }),
);
const fullTime = lazy(() => new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" }));

/** Formats a time briefly: the hour for today, "yesterday", the day within a year, else the full date. */
export function shortTime(iso: string, now = new Date()): string {
  const time = new Date(iso);
  if (time.toDateString() === now.toDateString()) return timeOfDay().format(time);
  const dayBefore = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (time.toDateString() === dayBefore.toDateString()) return "Yesterday";
  const recent = time.getFullYear() === now.getFullYear() && now.getTime() - time.getTime() < 365 * DAY_MS;
  return (recent ? dayOfYear() : day()).format(time);
}

/** Date and time to the second. */
export function exactTime(iso: string): string {
  return fullTime().format(new Date(iso));
}

/** Returns the whole seconds until a time; 0 if it is past. */
export function secondsUntil(iso: string, nowMs = Date.now()): number {
  return Math.max(0, Math.round((Date.parse(iso) - nowMs) / SECOND_MS));
}

const UNITS = ["KB", "MB", "GB"] as const;

/** Bytes in powers of ten, as the limits count them. */
export function size(bytes: number): string {
  let value = bytes;
  let unit: string = bytes === 1 ? "byte" : "bytes";
  for (const next of UNITS) {
    if (value < 1_000) break;
    value /= 1_000;
    unit = next;
  }
  return `${unit.startsWith("byte") ? value : value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

/** A number of things. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Control characters, and characters that change the text direction: they make one name look like another. */
const DECEIVING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Prepares a line of a mail for display: it cannot reorder or break the text around it. */
export function line(text: string): string {
  return text.replaceAll(DECEIVING, " ").trim();
}

/** A count of seconds in words. */
export function duration(seconds: number): string {
  if (seconds < 90) return count(Math.max(1, seconds), "second");
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? count(minutes, "minute") : count(Math.round(minutes / 60), "hour");
}
