import { listed } from "../languages/matching.ts";
import { languages } from "../tables/tables.ts";
import { lazy } from "../lazy.ts";

/** A calendar by which mails name months; the years of other eras have the months of the Gregorian one. */
export type Calendar = "gregory" | "persian";

/** A month by its name. */
export interface Month {
  calendar: Calendar;
  /** 1 to 12. */
  month: number;
}

/** A day of each month of 2025. */
const DAYS = Array.from({ length: 12 }, (_, month) => Date.UTC(2025, month, 5));
/** A day of each month of the Iranian year 1404. */
const PERSIAN_DAYS = Array.from({ length: 12 }, (_, month) => Date.UTC(2025, month + 3, 5));
/** The days of a week, from Sunday on. */
const WEEK = Array.from({ length: 7 }, (_, day) => Date.UTC(2025, 0, 5 + day));

/** Names that CLDR has for a country or a script, and not for the language alone. */
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  ar: ["ar-LB", "ar-DZ", "ar-MA"],
  de: ["de-AT"],
  no: ["nn"],
  sr: ["sr-Latn"],
};

/** Names as they stand alone and beside a day: "marzec", "18 marca". */
const MONTH_FORMS: readonly Intl.DateTimeFormatOptions[] = [
  { month: "long" },
  { month: "long", day: "numeric" },
  { month: "short", day: "numeric" },
];

const WEEKDAY_FORMS: readonly Intl.DateTimeFormatOptions[] = [{ weekday: "long" }, { weekday: "short" }];

/** A name in lower case without accents and points, and without a preposition that CLDR counts to it ("de març"). */
function folded(name: string): string {
  return name
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f\u200c]/g, "")
    .normalize("NFC")
    .replaceAll("ı", "i")
    .replace(/^(?:de |d['’]|יום )/, "")
    .replace(/[.׳॰]$/, "");
}

/** The names of some days' months or weekdays in a language. */
function namesOf(
  tag: string,
  calendar: Calendar,
  form: Intl.DateTimeFormatOptions,
  days: readonly number[],
): string[] {
  const format = new Intl.DateTimeFormat(tag, {
    ...form,
    calendar,
    numberingSystem: "latn",
    timeZone: "UTC",
  });
  return days.map(
    (day) =>
      format.formatToParts(day).find(({ type }) => type === "month" || type === "weekday")?.value ?? "",
  );
}

const tags = lazy(() => languages().flatMap(({ tag }) => [tag, ...(VARIANTS[tag] ?? [])]));

/** Names of months, of which the first with a spelling counts: languages' own lists, then those of CLDR. */
const months = lazy((): ReadonlyMap<string, Month> => {
  const found = new Map<string, Month>();
  const add = (calendar: Calendar, names: readonly string[], at: number): void => {
    for (const name of names.map(folded)) {
      if (name !== "" && !/\d/.test(name) && !found.has(name)) found.set(name, { calendar, month: at + 1 });
    }
  };
  for (const { dates } of languages()) {
    dates?.months?.forEach((names, at) => add("gregory", listed(names), at));
  }
  for (const tag of tags()) {
    for (const form of MONTH_FORMS)
      namesOf(tag, "gregory", form, DAYS).forEach((name, at) => add("gregory", [name], at));
  }
  namesOf("fa", "persian", { month: "long" }, PERSIAN_DAYS).forEach((name, at) => add("persian", [name], at));
  return found;
});

const weekdays = lazy((): ReadonlyMap<string, number> => {
  const named = tags().flatMap((tag) =>
    WEEKDAY_FORMS.flatMap((form) =>
      namesOf(tag, "gregory", form, WEEK).map((name, day) => [folded(name), day] as const),
    ),
  );
  // Where two languages differ, the one that is listed first counts.
  return new Map(named.toReversed());
});

/** Letters before or behind a name in the same word: "d'avril", "Mart'ta", Hebrew "במרץ", Finnish "maaliskuun". */
function spellings(word: string): string[] {
  const name = folded(word);
  const [before = "", behind = ""] = name.split(/['’]/);
  return [name, before, behind, name.replace(/^[בלמ]/, ""), name.replace(/(?<=kuu)n$/, "")];
}

/** Names that are another month in Croatian than in Polish and Czech: "listopad" is October there. */
const croatian = lazy((): ReadonlyMap<string, Month> => {
  const named = MONTH_FORMS.flatMap((form) =>
    namesOf("hr", "gregory", form, DAYS).map((name, at): [string, Month] => [
      folded(name),
      { calendar: "gregory", month: at + 1 },
    ]),
  );
  return new Map(named);
});

/** The month of a name; null if it is none. */
export function monthOf(name: string, isCroatian = false): Month | null {
  for (const spelling of spellings(name)) {
    const month = (isCroatian ? croatian().get(spelling) : undefined) ?? months().get(spelling);
    if (month !== undefined) return month;
  }
  return null;
}

/** The weekday of a name, 0 for Sunday to 6; null if it is none. */
export function weekdayOf(name: string): number | null {
  return weekdays().get(folded(name)) ?? null;
}

/** Letters of the shortest weekday whose last one changes with the case: "среда", "в среду". */
const MIN_STEM_CHARS = 4;

/** Weekdays by their names without the last letter. */
const weekdayStems = lazy(
  (): ReadonlyMap<string, number> =>
    new Map(
      Array.from(weekdays(), ([name, day]) => [name.slice(0, -1), day] as const).filter(
        ([stem]) => stem.length >= MIN_STEM_CHARS,
      ),
    ),
);

/** Whether a word may be the name of a weekday in some case: "szombatra", "w środę", "torsdagen". */
export function mayBeWeekday(word: string, weekday: number): boolean {
  const name = folded(word);
  const forms = [
    name,
    ...[1, 2].map((cut) => name.slice(0, -cut)).filter((form) => form.length >= MIN_STEM_CHARS),
  ];
  return forms.some((form) => weekdays().get(form) === weekday || weekdayStems().get(form) === weekday);
}
