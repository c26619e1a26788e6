import type { DateWords, Words } from "../languages/language.ts";
import { isWrittenIn, wordsOf } from "../languages/matching.ts";
import { lazy } from "../lazy.ts";
import { languages } from "../tables/tables.ts";
import { fullYear, isoDay, minguoYear, shortYear, yearOfEra, yearsAbout, type Year } from "./eras.ts";
import { monthOf, weekdayOf, type Calendar, type Month } from "./month-names.ts";

/** How dates without month names and years are to be taken. */
export interface DateContext {
  /** The day the mail was received, YYYY-MM-DD: a date without a year is the one nearest to it. */
  today: string;
  /** Whether 3/4 is the fourth of March, as in the United States. */
  isMonthFirst: boolean;
  /** Whether "listopad" is October, as in Croatian, and not November, as in Polish and Czech. */
  isCroatian?: boolean;
}

/** A day or a time of day as a text shows it. */
export interface Shown {
  /** YYYY-MM-DD, or HH:MM. */
  value: string;
  start: number;
  end: number;
}

/** A day as a text shows it. */
export interface ShownDate extends Shown {
  /** Whether it can be nothing but a day: it names its month or its year. "3/4" is a fraction as well. */
  isCertain: boolean;
}

/** A run of digits or of letters; points and apostrophes within a word belong to it ("มี.ค", "d'avril"). */
interface Token {
  isNumber: boolean;
  text: string;
  start: number;
  end: number;
}

const TOKEN = /(?<number>\d+)|[\p{L}\p{M}][\p{L}\p{M}.'’׳॰]*/gu;
const TRAILING = /[.'’]+$/;

/** A line in tokens, each with what stands between it and the next. */
class Tokens {
  readonly line: string;
  readonly #isCroatian: boolean;
  readonly #tokens: readonly Token[];

  constructor(line: string, isCroatian: boolean) {
    this.line = line;
    this.#isCroatian = isCroatian;
    this.#tokens = Array.from(line.matchAll(TOKEN), ({ 0: text, index: start, groups }) => {
      const isNumber = groups?.number !== undefined;
      const kept = isNumber ? text : text.replace(TRAILING, "");
      return { isNumber, text: kept, start, end: start + kept.length };
    });
  }

  get count(): number {
    return this.#tokens.length;
  }

  /** The digits at this place; null if there are none, or more or fewer than asked for. */
  number(at: number, least: number, most: number): string | null {
    const token = this.#tokens[at];
    const isOne = token?.isNumber === true && token.text.length >= least && token.text.length <= most;
    return isOne ? token.text : null;
  }

  /** The day of a month at this place. */
  day(at: number): number | null {
    const day = Number(this.number(at, 1, 2) ?? 0);
    return day >= 1 && day <= 31 ? day : null;
  }

  word(at: number): string | null {
    const token = this.#tokens[at];
    return token === undefined || token.isNumber ? null : token.text;
  }

  /** The month that one word at this place names, or two. */
  month(at: number, words: 1 | 2): Month | null {
    const [word, next] = [this.word(at), this.word(at + 1)];
    if (word === null || (words === 2 && (next === null || this.gap(at) !== " "))) return null;
    return monthOf(words === 2 ? `${word} ${next}` : word, this.#isCroatian);
  }

  start(at: number): number {
    return this.#tokens[at]?.start ?? this.line.length;
  }

  end(at: number): number {
    return this.#tokens[at]?.end ?? 0;
  }

  /** The text between this token and the next; "" at the ends of the line. */
  gap(at: number): string {
    const next = this.#tokens[at + 1];
    return this.#tokens[at] === undefined || next === undefined
      ? ""
      : this.line.slice(this.end(at), next.start);
  }
}

/** Days that some tokens name; `first` and `last` are the places of the tokens. */
interface Read {
  days: readonly Day[];
  first: number;
  last: number;
  isCertain: boolean;
}

/** A day with its month; the year is null where none is named. */
interface Day {
  year: Year | null;
  calendar: Calendar;
  month: number;
  day: number;
}

/** Reads a date that begins at a token, if one does. */
type Reader = (tokens: Tokens, at: number, context: DateContext) => Read | null;

const words = (pick: (dates: DateWords) => Words | undefined): (() => ReadonlySet<string>) =>
  lazy(() => new Set(wordsOf(({ dates }) => dates && pick(dates))));

const ordinals = words((dates) => dates.ordinals);
const dayToMonth = words((dates) => dates.dayToMonth);
const monthToYear = words((dates) => dates.monthToYear);
const numberedMonth = words((dates) => dates.numberedMonth);
const beforeYear = words((dates) => dates.beforeYear);

/** The Buddhist and the Christian era, between month and year in Thai. */
const THAI_ERAS = new Set(["พ.ศ", "ค.ศ"]);

const isAmong = (list: ReadonlySet<string>, word: string | null): boolean =>
  word !== null && (list.has(word.toLowerCase()) || list.has(`${word.toLowerCase()}'`));

/** Between the numbers of a date. */
const MARK = /^ ?[-/.．–] ?$/;

/** Whether more digits follow a number behind a mark, as in versions, addresses and amounts. */
const goesOn = (tokens: Tokens, at: number): boolean =>
  tokens.number(at + 1, 1, 99) !== null && /^[-/.,:]$/.test(tokens.gap(at));

/** Whether a number follows digits and a mark in this way. */
const follows = (tokens: Tokens, at: number): boolean =>
  tokens.number(at - 1, 1, 99) !== null && /^[-/.,:]$/.test(tokens.gap(at - 1));

/** `2025-03-18`, `2025. 3. 18.`, `1403/12/28`, `114/03/18`. */
const yearFirst: Reader = (tokens, at) => {
  const [digits, month, day] = [tokens.number(at, 3, 4), tokens.number(at + 1, 1, 2), tokens.day(at + 2)];
  const mark = tokens.gap(at).trim();
  if (digits === null || month === null || day === null || !MARK.test(tokens.gap(at))) return null;
  if (tokens.gap(at + 1).trim() !== mark || follows(tokens, at)) return null;
  if (goesOn(tokens, at + 2)) return null;
  const year = fullYear(digits) ?? (mark === "/" ? minguoYear(digits) : null);
  return year === null ? null : read([dayOf(year, Number(month), day)], at, at + 2);
};

/** Signs behind year, month and day in Chinese, Japanese and Korean. */
const YEAR_SIGN = /^[年년]/u;
const MONTH_SIGN = /^[月월]/u;
const DAY_SIGN = /^[日일號号]/u;

/** `2025年3月18日`, `令和7年3月18日`, `3月18日`, `2025년 3월 18일`. */
const signed: Reader = (tokens, at, { today }) => {
  const digits = YEAR_SIGN.test(tokens.word(at + 1) ?? "") ? tokens.number(at, 1, 4) : null;
  const first = digits === null ? at : at + 2;
  const [month, day] = [tokens.number(first, 1, 2), tokens.day(first + 2)];
  const isSigned =
    MONTH_SIGN.test(tokens.word(first + 1) ?? "") && DAY_SIGN.test(tokens.word(first + 3) ?? "");
  if (month === null || day === null || !isSigned) return null;
  const before = tokens.line.slice(0, tokens.start(at)).slice(-5);
  const year = digits === null ? null : yearInEast(digits, before, today);
  // The sign of the day alone belongs to the date: what follows it is the next word.
  return read([dayOf(year, Number(month), day)], at, first + 2);
};

function yearInEast(digits: string, before: string, today: string): Year | null {
  if (digits.length === 4) return fullYear(digits);
  return yearOfEra(digits, before) ?? minguoYear(digits) ?? shortYear(digits, today);
}

/** `18 tháng 3 năm 2025`. */
const wordNumbered: Reader = (tokens, at) => {
  const [day, month] = [tokens.day(at), tokens.number(at + 2, 1, 2)];
  if (day === null || month === null || !isAmong(numberedMonth(), tokens.word(at + 1))) return null;
  const year = yearBehind(tokens, at + 2, null);
  return read([dayOf(year?.year ?? null, Number(month), day)], at, year?.last ?? at + 2);
};

/** Between the parts of a date with a month's name. */
const BLANK = /^[\s.,'’\-/()ºª°]{0,3}$/;
const SPAN = /^\.?\s?[-–—~～]\s?$/;

/** `18 March 2025`, `18-20 March`, `18th of March`, `2025. gada 18. marts`. */
const dayFirst: Reader = (tokens, at, { today }) => {
  const days = daysAt(tokens, at);
  if (days === null || follows(tokens, at)) return null;
  const name = monthBehind(tokens, days.last);
  if (name === null) return null;
  // In "room 5 March 18, 2025" the month belongs to the number behind it.
  const isOfNext = tokens.day(name.last + 1) !== null && yearBehind(tokens, name.last + 1, null) !== null;
  if (isOfNext && yearBehind(tokens, name.last, today) === null) return null;
  return withYear(tokens, { days: days.days, month: name.month, first: at, last: name.last }, today);
};

/** `March 18, 2025`, `March 18-20`, `2025. március 18.`, `2025 m. kovo 18 d.` */
const monthFirst: Reader = (tokens, at, { today }) => {
  const isNearDay = tokens.day(at + 1) !== null || tokens.day(at + 2) !== null;
  const month = isNearDay ? namedAt(tokens, at) : null;
  const days = month === null ? null : daysAt(tokens, month.last + 1);
  if (month === null || days === null || goesOn(tokens, days.last)) return null;
  if (!/^[\s.,-]{0,2}$/.test(tokens.gap(month.last))) return null;
  const last = isAmong(ordinals(), attached(tokens, days.last)) ? days.last + 1 : days.last;
  return withYear(tokens, { days: days.days, month, first: at, last }, today);
};

/** One day, or the two of a span: "18-20". */
function daysAt(tokens: Tokens, at: number): { days: number[]; last: number } | null {
  const day = tokens.day(at);
  if (day === null) return null;
  const second = SPAN.test(tokens.gap(at)) ? tokens.day(at + 1) : null;
  return second === null ? { days: [day], last: at } : { days: [day, second], last: at + 1 };
}

/** Days of a month with the year behind them, else before them, else none. */
function withYear(
  tokens: Tokens,
  { days, month, first, last }: { days: readonly number[]; month: Month; first: number; last: number },
  today: string,
): Read {
  const behind = yearBehind(tokens, last, today);
  const before = behind === null ? yearBefore(tokens, first) : null;
  const year = (behind ?? before)?.year ?? null;
  return read(
    days.map((day) => ({ year, calendar: month.calendar, month: month.month, day })),
    before?.first ?? first,
    behind?.last ?? last,
  );
}

/** Letters right behind a number: "18*th*". */
const attached = (tokens: Tokens, at: number): string | null =>
  tokens.gap(at) === "" || tokens.gap(at) === "-" ? tokens.word(at + 1) : null;

/** Letters of the longest ordinal ending. */
const MAX_ENDING = 4;

/** The month that begins at a place: one word, or two ("كانون الثاني"). */
function namedAt(tokens: Tokens, at: number): (Month & { last: number }) | null {
  const double = tokens.month(at, 2);
  const month = double ?? tokens.month(at, 1);
  return month === null ? null : { ...month, last: double === null ? at : at + 1 };
}

/** The month behind a day, with the last token of its name. */
function monthBehind(tokens: Tokens, day: number): { month: Month; last: number } | null {
  const ending = attached(tokens, day);
  const hasEnding = ending !== null && ending.length <= MAX_ENDING && monthOf(ending) === null;
  const from = hasEnding ? day + 1 : day;
  if (!BLANK.test(tokens.gap(from))) return null;
  const before = isAmong(dayToMonth(), tokens.word(from + 1)) ? from + 1 : from;
  const month = BLANK.test(tokens.gap(before)) ? namedAt(tokens, before + 1) : null;
  if (month === null) return null;
  // Two names of one month: "18 آذار/مارس".
  const twin = /^\s?[/(]\s?$/.test(tokens.gap(month.last)) ? namedAt(tokens, month.last + 1) : null;
  return { month, last: twin?.month === month.month ? twin.last : month.last };
}

/**
 * The year behind a month or a day, with its token. One of two digits is none without `today`, and else only behind a hyphen or
 * an apostrophe, or in Thai.
 */
function yearBehind(tokens: Tokens, at: number, today: string | null): { year: Year; last: number } | null {
  const word = tokens.word(at + 1);
  const isBetween = isAmong(monthToYear(), word) || isAmong(beforeYear(), word) || THAI_ERAS.has(word ?? "");
  const place = isBetween ? at + 2 : at + 1;
  if (!BLANK.test(tokens.gap(at)) || !BLANK.test(tokens.gap(place - 1))) return null;
  const full = tokens.number(place, 4, 4);
  if (full === null && today === null) return null;
  const year = full === null ? shortYearBehind(tokens, at, today ?? "") : fullYear(full);
  return year === null ? null : { year, last: place };
}

function shortYearBehind(tokens: Tokens, at: number, today: string): Year | null {
  const short = tokens.number(at + 1, 2, 2);
  const isThai = /[\u0e00-\u0e7f]/.test(tokens.word(at) ?? "");
  if (short === null || (!isThai && !/^ ?['’]$|^[-/]$/.test(tokens.gap(at)))) return null;
  return goesOn(tokens, at + 1) ? null : shortYear(short, today);
}

/** Letters of the longest word between a year and its month. */
const MAX_YEAR_WORD = 5;

/** The year before a day or a month, with its token: "2025. március", "2025 m. kovo", "2025. gada 18. marts". */
function yearBefore(tokens: Tokens, at: number): { year: Year; first: number } | null {
  const isWord = (tokens.word(at - 1)?.length ?? MAX_YEAR_WORD + 1) <= MAX_YEAR_WORD;
  const first = isWord ? at - 2 : at - 1;
  if (!/^[\s.,]{1,3}$/.test(tokens.gap(at - 1)) || !/^[\s.,]{1,3}$/.test(tokens.gap(first))) return null;
  const year = fullYear(tokens.number(first, 4, 4) ?? "");
  return year === null ? null : { year, first };
}

/** `18.03.2025`, `18/3/25`, `3/18/2025`, `18-03-2025`, `18/3-2025`, `18.3.`, `18/3`. */
const numbered: Reader = (tokens, at, context) => {
  const [one, two] = [tokens.number(at, 1, 2), tokens.number(at + 1, 1, 2)];
  if (one === null || two === null || follows(tokens, at) || !MARK.test(tokens.gap(at))) return null;
  const mark = tokens.gap(at).trim();
  const year = yearOfNumbers(tokens, at + 1, mark, context.today);
  const last = year === null ? at + 1 : at + 2;
  if (year === null && !isDateWithoutYear(tokens, at, mark)) return null;
  if (goesOn(tokens, last) && tokens.gap(last) !== "-") return null;
  const numbers = [Number(one), Number(two)] as const;
  const weekday = (): number | null => weekdayAt(tokens, at - 1) ?? weekdayAt(tokens, last + 1);
  const isSwapped = mark !== "." && isMonthFirst(numbers, year, weekday, context);
  const [day, month] = isSwapped ? [numbers[1], numbers[0]] : numbers;
  return { ...read([dayOf(year, month, day)], at, last), isCertain: year !== null };
};

/** A day of a year, or of a year of the Gregorian calendar that is not named. */
const dayOf = (year: Year | null, month: number, day: number): Day => ({
  year,
  calendar: year?.calendar ?? "gregory",
  month,
  day,
});

/** The year at the end of a numeric date; of two digits only between two points or two strokes. */
function yearOfNumbers(tokens: Tokens, at: number, mark: string, today: string): Year | null {
  const isMark = tokens.gap(at).trim() === mark && MARK.test(tokens.gap(at));
  const full = tokens.number(at + 1, 4, 4);
  if (full !== null && (isMark || (mark === "/" && /^[- ]$/.test(tokens.gap(at))))) return fullYear(full);
  const short = tokens.number(at + 1, 2, 2);
  return short !== null && isMark && /^[./]$/.test(mark) ? shortYear(short, today) : null;
}

/** `18.3.` with its second point, and `18/3`; other marks stand between the ends of a span. */
function isDateWithoutYear(tokens: Tokens, at: number, mark: string): boolean {
  if (mark === "/") return tokens.gap(at) === "/";
  return mark === "." && /^\.(?!\s?\d)/.test(tokens.line.slice(tokens.end(at + 1)));
}

const weekdayAt = (tokens: Tokens, at: number): number | null => weekdayOf(tokens.word(at) ?? "");

/** Whether the first of two numbers is the month: as the other cannot be, as the weekday fits, as the country writes. */
function isMonthFirst(
  [one, two]: readonly [number, number],
  year: Year | null,
  weekday: () => number | null,
  context: DateContext,
): boolean {
  if (year?.calendar === "persian") return false;
  if (one > 12 || two > 12) return two > 12;
  const fits = (month: number, day: number): boolean => {
    const iso = year === null ? null : isoDay(year, month, day);
    return iso !== null && new Date(iso).getUTCDay() === weekday();
  };
  return fits(one, two) === fits(two, one) ? context.isMonthFirst : fits(one, two);
}

const read = (days: readonly Day[], first: number, last: number): Read => ({
  days,
  first,
  last,
  isCertain: true,
});

const READERS: readonly Reader[] = [yearFirst, signed, wordNumbered, dayFirst, monthFirst, numbered];

/** Dates of one line: more stand in no sentence. */
const MAX_DATES = 50;

/** The days that a line names, in their order. A span whose month is named once gives two, in the place of one. */
export function datesIn(line: string, context: DateContext): ShownDate[] {
  if (!/\d/.test(line)) return [];
  const tokens = new Tokens(line, context.isCroatian === true);
  const found: ShownDate[] = [];
  for (let at = 0; at < tokens.count && found.length < MAX_DATES;) {
    const hit = readAt(tokens, at, context);
    if (hit === null) {
      at += 1;
      continue;
    }
    const [start, end] = [tokens.start(hit.first), tokens.end(hit.last)];
    for (const value of hit.values) found.push({ value, start, end, isCertain: hit.isCertain });
    at = hit.last + 1;
  }
  return found;
}

/** The first reading of the tokens from here on that names days that exist. */
function readAt(tokens: Tokens, at: number, context: DateContext): (Read & { values: string[] }) | null {
  for (const reader of READERS) {
    const hit = reader(tokens, at, context);
    const values = (hit?.days ?? []).flatMap((day) => written(day, context.today) ?? []);
    if (hit !== null && values.length > 0 && values.length === hit.days.length) return { ...hit, values };
  }
  return null;
}

/** A day that exists as YYYY-MM-DD, its year the one that brings it nearest to `today` if none is named; else null. */
function written({ year, calendar, month, day }: Day, today: string): string | null {
  if (year !== null) return isoDay(year, month, day);
  const now = Date.parse(today);
  const distance = (iso: string): number => Math.abs(Date.parse(iso) - now);
  return (
    yearsAbout(today, calendar)
      .flatMap((each) => isoDay(each, month, day) ?? [])
      .toSorted((one, two) => distance(one) - distance(two))[0] ?? null
  );
}

/** Countries that write English and put the day first. */
const DAY_FIRST = /\.(?:uk|au|ie|nz|in|za|sg|hk|pk)(?:\.[a-z]+)?$/i;
/** Words of languages other than English; all of those put the day first. */
const FOREIGN_LETTERS = /[à-öø-ÿąćęłńśźżğışőűčřšžđơư\u0400-\u1fff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/gi;
/** Letters of that kind that names and quotations bring into an English text. */
const MAX_STRAY_LETTERS = 4;
const OPENING_CHARS = 20_000;
/** Money of countries that put the day first. */
const DAY_FIRST_MONEY = /[€£]|\b(?:EUR|GBP|AUD|NZD|INR)\b/i;

/** How the dates of a mail are to be read, by its language and its sender. */
export function dateContext(mail: { text: string; fromAddress: string; receivedAt: string }): DateContext {
  const opening = mail.text.slice(0, OPENING_CHARS);
  const isForeign = (opening.match(FOREIGN_LETTERS)?.length ?? 0) > MAX_STRAY_LETTERS;
  return {
    today: mail.receivedAt.slice(0, 10),
    isCroatian: /[čćđšž]/i.test(opening) && !/[ąęłńśźżěřů]/i.test(opening),
    isMonthFirst:
      !isForeign && !DAY_FIRST.test(mail.fromAddress) && !DAY_FIRST_MONEY.test(opening) && isEnglish(opening),
  };
}

const isEnglish = (text: string): boolean =>
  languages().some((language) => language.tag === "en" && isWrittenIn(language, text));
