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

/** The forms of a date; a text is searched for each. Every repetition is bounded. */
const FORMS: readonly { form: RegExp; read: (groups: Groups, context: DateContext) => Parts | null }[] = [
  { form: new RegExp(`(?<!\\d)${YEAR}[-/.](?<month>[01]?\\d)[-/.]${DAY}(?![\\d])`, "gu"), read: numbered },
  { form: new RegExp(`${YEAR} ?[年년] ?(?<month>[01]?\\d) ?[月월] ?${DAY} ?[日일]`, "gu"), read: numbered },
  { form: new RegExp(`(?<![\\d年년月])(?<month>[01]?\\d) ?[月월] ?${DAY} ?[日일]`, "gu"), read: numbered },
  {
    form: new RegExp(`(?<!\\d)${DAY} (?:tháng|thg) (?<month>[01]?\\d)(?:,? (?:năm )?${YEAR})?`, "gu"),
    read: numbered,
  },
  {
    form: new RegExp(
      `(?<![\\d.])${DAY}(?:\\.|st|nd|rd|th|er|º|ª)? ?(?:de |of |d')?(?<name>${NAME})\\.?(?:,? (?:de |del )?${YEAR})?(?!\\d)`,
      "gu",
    ),
    read: named,
  },
  {
    form: new RegExp(
      `(?<![\\p{L}\\p{M}])(?<name>${NAME})\\.? ${DAY}(?:st|nd|rd|th)?(?![\\d:])(?:,? ${YEAR})?`,
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

/** The days that a line names, in their order. One in two forms counts once, as the earlier form reads it. */
export function datesIn(line: string, context: DateContext): Shown[] {
  const found: Shown[] = [];
  for (const { form, read } of FORMS) {
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

/** `3:00 PM`, `15:30`, `15h30`, `15.30 Uhr`, `15 Uhr`, `3 pm`, `오후 3:00`, `下午3点`, `15時30分`. */
const TIME =
  /(?<![\d:.,/-])(?:(?<half>오전|오후|上午|下午|午前|午後|晚上|早上) ?)?(?<hour>[0-2]?\d)(?:(?<mark>[:h時点點시.]) ?(?<minute>[0-5]\d)(?!\d)(?:分|분)?| ?(?<bare>uhr|h(?![a-z])|時|点|點|시|[ap]\.?m\b))(?::\d{2})?(?: ?(?<tail>[ap]\.?m\b|uhr))?/giu;

/** The times of day that a line names, in their order, as HH:MM. */
export function timesIn(line: string): Shown[] {
  const found: Shown[] = [];
  for (const match of line.matchAll(TIME)) {
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
  const mark = `${half ?? ""}${bare ?? ""}${tail ?? ""}`.toLowerCase();
  const isAfternoon = /오후|下午|午後|晚上|p\.?m/.test(mark);
  const isMorning = /오전|上午|午前|早上|a\.?m/.test(mark);
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

const isEnglish = (text: string): boolean => /\b(?:the|your|you|order|date|and)\b/i.test(text);
