import type { Duration } from "./api.ts";

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** Ten years: further than anything in a mailbox lies ahead. */
const MAX_MS = 3_650 * 86_400_000;
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|[smhd])/g;

/** Milliseconds of a duration. Throws RangeError for anything else, for negative ones and for more than ten years. */
export function millisecondsOf(duration: Duration): number {
  const ms = typeof duration === "number" ? duration : sumOf(duration.replaceAll(" ", ""));
  if (!(ms >= 0 && ms <= MAX_MS)) {
    throw new RangeError(`${JSON.stringify(duration)} is no duration such as 5000, "45s", "1h30m" or "73h"`);
  }
  return Math.round(ms);
}

function sumOf(text: string): number {
  if (!DURATION.test(text)) return Number.NaN;
  const parts = [...text.matchAll(PART)];
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNITS_MS[unit] ?? Number.NaN), 0);
}
