import { lazy } from "../lazy.ts";
import { en } from "../languages/en.ts";
import type { DateWords, Words } from "../languages/language.ts";
import { anyOf, isWrittenIn, wordsOf } from "../languages/matching.ts";
import { monthOf } from "./month-names.ts";

/** How dates without month names and years are to be taken. */
export interface DateContext {
  /** The day the mail was received, YYYY-MM-DD: a date without a year is the one nearest to it. */
  today: string;
  /** Whether 3/4 is the fourth of March, as in the United States. */
  isMonthFirst: boolean;
}

/** A day or a time of day as a text shows it. */
export interface Shown {
  /** YYYY-MM-DD, or HH:MM. */
  value: string;
  start: number;
  end: number;
}

/** A day in numbers or with a month's name. */
interface Parts {
  year: number | null;
  month: number;
  day: number;
}

const NAME = "[\\p{L}\\p{M}]{2,14}";
const DAY = "(?<day>[0-3]?\\d)";
const YEAR = "(?<year>(?:19|20)\\d{2})";

/** Years a two-digit one may be before this century's: invoices and appointments are of the present. */
const CENTURY = 2000;

type Groups = Partial<Record<string, string>>;

const numbered = ({ year, month, day }: Groups): Parts => ({
  year: year === undefined ? null : year.length === 2 ? CENTURY + Number(year) : Number(year),
  month: Number(month),
  day: Number(day),
});

function named({ year, name, day }: Groups): Parts | null {
  const month = monthOf(name ?? "");
  return month === null ? null : { year: year === undefined ? null : Number(year), month, day: Number(day) };
}

/** `3/4/2025`: which of the two is the month, unless one of them cannot be. */
function slashed({ one, two, year }: Groups, { isMonthFirst }: DateContext): Parts {
  const [first, second] = [Number(one), Number(two)];
  const isFirst = second > 12 || (isMonthFirst && first <= 12);
  return numbered({ year, month: String(isFirst ? first : second), day: String(isFirst ? second : first) });
}

/** A way to write a date. Every repetition of `form` is bounded. */
interface DateForm {
  form: RegExp;
  read: (groups: Groups, context: DateContext) => Parts | null;
}

/** Words that stand between or behind the parts of a date, none of them needed. */
function optional(words: readonly string[], blank: string): string {
  return words.length === 0 ? "" : `(?:(?:${anyOf(words)})${blank})?`;
}

/** The forms of a date; a text is searched for each. */
const dateForms = lazy((): readonly DateForm[] => {
  const of = (pick: (dates: DateWords) => Words | undefined): string[] =>
    wordsOf(({ dates }) => dates && pick(dates));
  const ordinals = of((dates) => dates.ordinals);
  // A word that ends in an apostrophe is written without a blank: "1er d'avril".
  const toMonth = of((dates) => dates.dayToMonth).map((word) => (word.endsWith("'") ? word : `${word} `));
  const toYear = optional(
    of((dates) => dates.monthToYear),
    " ",
  );
  const numberedMonth = anyOf(of((dates) => dates.numberedMonth));
  const beforeYear = optional(
    of((dates) => dates.beforeYear),
    " ",
  );
  const ordinal = `(?:\\.|${anyOf([...ordinals, "º", "ª"])})?`;
  return [
    { form: new RegExp(`(?<!\\d)${YEAR}[-/.](?<month>[01]?\\d)[-/.]${DAY}(?![\\d])`, "gu"), read: numbered },
    { form: new RegExp(`${YEAR} ?[年년] ?(?<month>[01]?\\d) ?[月월] ?${DAY} ?[日일]`, "gu"), read: numbered },
    { form: new RegExp(`(?<![\\d年년月])(?<month>[01]?\\d) ?[月월] ?${DAY} ?[日일]`, "gu"), read: numbered },
    {
      form: new RegExp(
        `(?<!\\d)${DAY} (?:${numberedMonth}) (?<month>[01]?\\d)(?:,? ${beforeYear}${YEAR})?`,
        "gu",
      ),
      read: numbered,
    },
    {
      form: new RegExp(
        `(?<![\\d.])${DAY}${ordinal} ?${optional(toMonth, "")}(?<name>${NAME})\\.?(?:,? ${toYear}${YEAR})?(?!\\d)`,
        "gu",
      ),
      read: named,
    },
    {
      form: new RegExp(
        `(?<![\\p{L}\\p{M}])(?<name>${NAME})\\.? ${DAY}${optional(ordinals, "")}(?![\\d:])(?:,? ${YEAR})?`,
        "gu",
      ),
      read: named,
    },
    {
      form: /(?<![\d.,])(?<day>[0-3]?\d)\.\s?(?<month>[01]?\d)\.(?:\s?(?<year>(?:20)?\d{2})(?![\d.])|(?!\s?\d))/gu,
      read: numbered,
    },
    { form: /(?<![\d/-])(?<day>[0-3]\d)-(?<month>[01]\d)-(?<year>20\d{2})(?![\d-])/gu, read: numbered },
    {
      form: /(?<![\d/-])(?<one>[0-3]?\d)\/(?<two>[0-3]?\d)(?:\/(?<year>(?:20)?\d{2}))?(?![\d/])/gu,
      read: slashed,
    },
  ];
});

/** The days that a line names, in their order. One in two forms counts once, as the earlier form reads it. */
export function datesIn(line: string, context: DateContext): Shown[] {
  const found: Shown[] = [];
  for (const { form, read } of dateForms()) {
    for (const match of line.matchAll(form)) {
      const parts = read(match.groups ?? {}, context);
      const value = parts === null ? null : written(parts, context.today);
      const [start, end] = [match.index, match.index + match[0].length];
      if (value !== null && !found.some((other) => start < other.end && other.start < end)) {
        found.push({ value, start, end });
      }
    }
  }
  return found.toSorted((one, two) => one.start - two.start);
}

const DAY_MS = 86_400_000;

/** A day that exists as YYYY-MM-DD, its year the one that brings it nearest to `today` if none is named; else null. */
function written({ year, month, day }: Parts, today: string): string | null {
  const now = Date.parse(today);
  if (year !== null) return isoDay(year, month, day);
  const thisYear = new Date(Number.isNaN(now) ? 0 : now).getUTCFullYear();
  const candidates = [thisYear, thisYear + 1, thisYear - 1].flatMap((each) => isoDay(each, month, day) ?? []);
  const distance = (iso: string): number => Math.abs(Date.parse(iso) - now) / DAY_MS;
  return candidates.toSorted((one, two) => distance(one) - distance(two))[0] ?? null;
}

function isoDay(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && year >= 1970 && year < 2100 ? date.toISOString().slice(0, 10) : null;
}

/** Words before an hour that tell the half of the day. */
const halves = {
  morning: lazy(() => wordsOf(({ dates }) => dates?.morning)),
  afternoon: lazy(() => wordsOf(({ dates }) => dates?.afternoon)),
};

/** `3:00 PM`, `15:30`, `15h30`, `15.30 Uhr`, `15 Uhr`, `3 pm`, `오후 3:00`, `下午3点`, `15時30分`. */
const timeForm = lazy(() => {
  const half = anyOf([...halves.morning(), ...halves.afternoon()]);
  const oClock = anyOf(wordsOf(({ dates }) => dates?.oClock));
  return new RegExp(
    `(?<![\\d:.,/-])(?:(?<half>${half}) ?)?(?<hour>[0-2]?\\d)(?:(?<mark>[:h時點点시.]) ?(?<minute>[0-5]\\d)(?!\\d)(?:分|분)?| ?(?<bare>${oClock}|h(?![a-z])|時|点|點|시|[ap]\\.?m\\b))(?::\\d{2})?(?: ?(?<tail>[ap]\\.?m\\b|${oClock}))?`,
    "giu",
  );
});

/** The times of day that a line names, in their order, as HH:MM. */
export function timesIn(line: string): Shown[] {
  const found: Shown[] = [];
  for (const match of line.matchAll(timeForm())) {
    const groups = match.groups ?? {};
    // 10.30 is a time only where it is called one.
    if (groups.mark === "." && groups.tail === undefined) continue;
    const hour = hourOf(groups);
    const [start, end] = [match.index, match.index + match[0].length];
    if (hour < 24)
      found.push({ value: `${String(hour).padStart(2, "0")}:${groups.minute ?? "00"}`, start, end });
  }
  return found;
}

function hourOf({ hour, half, bare, tail }: Groups): number {
  const written = Number(hour);
  const mark = `${bare ?? ""}${tail ?? ""}`.toLowerCase();
  const isAfternoon = (half !== undefined && halves.afternoon().includes(half)) || /p\.?m/.test(mark);
  const isMorning = (half !== undefined && halves.morning().includes(half)) || /a\.?m/.test(mark);
  if (isAfternoon && written < 12) return written + 12;
  return isMorning && written === 12 ? 0 : written;
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
    isMonthFirst:
      !isForeign && !DAY_FIRST.test(mail.fromAddress) && !DAY_FIRST_MONEY.test(opening) && isEnglish(opening),
  };
}

const isEnglish = (text: string): boolean => isWrittenIn(en, text);
