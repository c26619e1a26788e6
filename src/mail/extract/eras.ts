import type { Calendar } from "./month-names.ts";

const DAY_MS = 86_400_000;

/** Names of eras before a year, and the Gregorian year before their first. */
const ERAS: readonly (readonly [RegExp, number])[] = [
  [/令和 ?$/, 2018],
  [/平成 ?$/, 1988],
  [/昭和 ?$/, 1925],
  [/民[國国] ?$/, 1911],
];

/** Years before the first of the Buddhist era (Thailand), negative: it began in 543 BC. */
const BUDDHIST = -543;

/** A year as one of the calendars counts it. */
export interface Year {
  calendar: Calendar;
  year: number;
}

/** The years that are read, of each calendar; other numbers of four digits are no years. */
const GREGORIAN = { first: 1970, last: 2099 };
const IRANIAN = { first: 1349, last: 1429 };

const isIn = (year: number, { first, last }: typeof GREGORIAN): boolean => first <= year && year <= last;

const gregorian = (year: number): Year | null =>
  isIn(year, GREGORIAN) ? { calendar: "gregory", year } : null;

/** A year of four digits in any calendar; null if it is of no present one. */
export function fullYear(digits: string): Year | null {
  if (digits.length !== 4) return null;
  const year = Number(digits);
  if (isIn(year, IRANIAN)) return { calendar: "persian", year };
  return gregorian(year) ?? gregorian(year + BUDDHIST);
}

/** A year of one to three digits behind the name of its era, of which `before` is the end. */
export function yearOfEra(digits: string, before: string): Year | null {
  const era = ERAS.find(([name]) => name.test(before));
  return era === undefined ? null : gregorian(Number(digits) + era[1]);
}

/** A year of the Republic of China (Taiwan), which alone has three digits. */
export const minguoYear = (digits: string): Year | null =>
  digits.length === 3 ? gregorian(Number(digits) + 1911) : null;

/** A year of two digits: of this century or of the Buddhist one, what is nearer to `today` (YYYY-MM-DD). */
export function shortYear(digits: string, today: string): Year | null {
  const now = Number(today.slice(0, 4));
  const years = [2000 + Number(digits), 2500 + Number(digits) + BUDDHIST];
  return gregorian(years.toSorted((one, two) => Math.abs(one - now) - Math.abs(two - now))[0] ?? 0);
}

/** The years of a calendar about a day, YYYY-MM-DD. */
export function yearsAbout(today: string, calendar: Calendar): Year[] {
  const now = Number(today.slice(0, 4)) - (calendar === "persian" ? 621 : 0);
  return [now, now + 1, now - 1].map((year) => ({ calendar, year }));
}

/** A day that exists as YYYY-MM-DD of the Gregorian calendar; else null. */
export function isoDay({ calendar, year }: Year, month: number, day: number): string | null {
  if (calendar === "persian") return isoDayOfIran(year, month, day);
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && isIn(year, GREGORIAN) ? date.toISOString().slice(0, 10) : null;
}

/** 1 Farvardin 1400. */
const FARVARDIN_1400 = Date.UTC(2021, 2, 21);

/** Leap years of the Iranian calendar: eight in each 33, in the order that holds for the years read here. */
const isIranianLeap = (year: number): boolean => (year * 25 + 11) % 33 < 8;

function isoDayOfIran(year: number, month: number, day: number): string | null {
  if (!isIn(year, IRANIAN) || month < 1 || month > 12) return null;
  const lastDay = month <= 6 ? 31 : month < 12 || isIranianLeap(year) ? 30 : 29;
  if (day < 1 || day > lastDay) return null;
  const [from, to] = year < 1400 ? [year, 1400] : [1400, year];
  const leapDays = Array.from({ length: to - from }, (_, at) => from + at).filter(isIranianLeap).length;
  const years = (year - 1400) * 365 + Math.sign(year - 1400) * leapDays;
  const months = (month - 1) * 30 + Math.min(month - 1, 6);
  return new Date(FARVARDIN_1400 + (years + months + day - 1) * DAY_MS).toISOString().slice(0, 10);
}
