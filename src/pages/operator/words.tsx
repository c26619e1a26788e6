import { lazy } from "../../mail/lazy.ts";

const UNITS = ["bytes", "KB", "MB", "GB"] as const;
const STEP = 1_000;
/** Made at its first use: the runtime loads its tables of all languages for it, which would double the time of a start. */
const numbers = lazy(() => new Intl.NumberFormat("en"));

/** 1234567 → "1.2 MB". */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  return `${unit === 0 ? value : numbers().format(Number(value.toFixed(1)))} ${UNITS[unit] ?? ""}`;
}

/** 1234 → "1,234". */
export function numberText(value: number): string {
  return numbers().format(value);
}

/** "1 mailbox", "2,000 mailboxes". */
export function countText(count: number, one: string, many: string): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** The day of a moment, in UTC. `at` is ms since 1970. */
export function Day({ at }: { at: number }) {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{iso.slice(0, 10)}</time>;
}

/** A moment to the minute, in UTC: what the logs say it in. `at` is ISO 8601, or ms since 1970; `isShort`: without the zone. */
export function Moment({ at, isShort = false }: { at: string | number; isShort?: boolean }) {
  const iso = new Date(at).toISOString();
  const text = momentText(at);
  return <time datetime={iso}>{isShort ? text.replace(" UTC", "") : text}</time>;
}

/** A moment to the minute, as `Moment` shows it. */
export function momentText(at: string | number): string {
  const iso = new Date(at).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

const MS_PER_S = 1_000;
const S_PER_MINUTE = 60;
const S_PER_HOUR = 3_600;

/** 0.0123 → "12 ms", 75 → "1 min". */
export function durationText(seconds: number): string {
  if (seconds < 1) return `${numberText(Math.round(seconds * MS_PER_S))} ms`;
  if (seconds < S_PER_MINUTE) return `${numberText(Number(seconds.toFixed(1)))} s`;
  return seconds < S_PER_HOUR
    ? `${numberText(Math.floor(seconds / S_PER_MINUTE))} min`
    : `${numberText(Math.floor(seconds / S_PER_HOUR))} h`;
}
