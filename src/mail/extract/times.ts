import { anyOf, wordsOf } from "../languages/matching.ts";
import { lazy } from "../lazy.ts";
import type { Shown } from "./dates.ts";

/** A time of day as a text shows it. */
export interface ShownTime extends Shown {
  /** Whether it can be nothing but a time. "10.30" is an amount as well, "2 h" a duration. */
  isCertain: boolean;
}

/** Words beside an hour that tell the half of the day. */
const halves = {
  morning: lazy(() => wordsOf(({ dates }) => dates?.morning)),
  afternoon: lazy(() => wordsOf(({ dates }) => dates?.afternoon)),
};

/** `p.m.`, `p. m.`, `PM`. */
const ENGLISH_HALF = "[ap]\\.? ?m\\b";

/** `3:00 PM`, `15:30`, `15h30`, `15.30 Uhr`, `15 Uhr`, `3 pm`, `오후 3:00`, `下午3点`, `15時30分`, `4:30 de la tarde`, `10u20`. */
const timeForm = lazy(() => {
  const half = `${anyOf([...halves.morning(), ...halves.afternoon()])}|${ENGLISH_HALF}`;
  const oClock = anyOf(wordsOf(({ dates }) => dates?.oClock));
  return new RegExp(
    `(?<![\\d:,/-]|\\d\\.)(?:(?<![\\p{L}\\p{M}])(?<before>${half}) ?)?(?<hour>[0-2]?\\d)` +
      `(?: ?(?<mark>[:：hu時點点시]|${oClock}) ?(?<minute>[0-5]\\d)(?![\\d%])(?:분|分)?|(?<dot>\\.)(?<minutes>[0-5]\\d)(?!\\d|[.,/]\\d)| ?(?<bare>${oClock}|h(?![a-z])|[時点點시]))?` +
      `(?::\\d{2})?(?: ?(?<behind>(?:${half})(?![\\p{L}\\p{M}])|${oClock}))?`,
    "giu",
  );
});

/** The times of day that a line names, in their order, as HH:MM. */
export function timesIn(line: string): ShownTime[] {
  return Array.from(line.matchAll(timeForm())).flatMap(({ 0: text, index: start, groups = {} }) => {
    const { before, hour, mark, minute, minutes, bare, behind } = groups;
    const half = halfOf(before) ?? halfOf(behind);
    const hours = hourIn(Number(hour), half);
    // A number alone is no time.
    const isTime = [minute, minutes, bare, behind, before].some((part) => part !== undefined);
    if (hours > 23 || !isTime) return [];
    const isCertain = mark !== undefined || half !== null || behind !== undefined;
    const value = `${String(hours).padStart(2, "0")}:${minute ?? minutes ?? "00"}`;
    return [{ value, start, end: start + text.length, isCertain }];
  });
}

type Half = "morning" | "afternoon";

function halfOf(word: string | undefined): Half | null {
  const lower = word?.toLowerCase() ?? "";
  if (/^p\.? ?m/.test(lower) || halves.afternoon().includes(lower)) return "afternoon";
  return /^a\.? ?m/.test(lower) || halves.morning().includes(lower) ? "morning" : null;
}

function hourIn(written: number, half: Half | null): number {
  if (half === "afternoon" && written < 12) return written + 12;
  return half === "morning" && written === 12 ? 0 : written;
}
