import { lowered } from "../code/key-words.ts";
import { sentenceEnd } from "./appointment-time.ts";
import { datesIn, type DateContext } from "./dates.ts";
import { isNamed, type Pair } from "./form-pairs.ts";
import { phrases } from "./labelled-values.ts";
import { lazy } from "../lazy.ts";
import type { ReadText } from "./mail-text.ts";

/** Finds labels of a place. */
const whereLabel = phrases(({ appointment }) => appointment?.where);

/** Lines between the time of an appointment and its place. */
const MAX_LINES_APART = 8;
const MAX_PLACE_CHARS = 200;

/** Where an appointment takes place: the value of a label near its time, or the address that running text names; null if neither. */
export function appointmentPlace(
  text: ReadText,
  pairs: readonly Pair[],
  at: number,
  context: DateContext,
): string | null {
  const isPlace = (value: string): boolean => mayBePlace(value, context);
  const near = (line: number): boolean => Math.abs(line - at) <= MAX_LINES_APART;
  const pair = pairs.find(
    (each) => near(each.at) && isNamed(each.label, whereLabel()) && isPlace(each.value),
  );
  if (pair !== undefined) return cleaned(pair.written);
  const around = text.lines.filter((_, line) => near(line));
  const [named] = around.flatMap((line) => addressIn(line) ?? []);
  return (
    named ??
    around.flatMap((line) => Array.from(line.matchAll(street()), ([address]) => address)).find(isPlace) ??
    null
  );
}

/** A name with capitals, of a street or a town: "Av. Universidad", "Rua das Flores". */
const WORD = "(?:\\p{L}{1,4}\\. )?\\p{Lu}[\\p{L}'’-]{1,24}";
const NAME = `${WORD}(?: (?:\\p{Ll}{1,4} ){0,2}${WORD}){0,4}`;
/** The number of a house: "14", "22b", "204/2". */
const HOUSE = "\\d{1,4}\\p{Ll}?(?:[/-]\\d{1,4})?";
const PART = `(?:\\d{1,6} )?${NAME}(?: ${HOUSE})?`;
/** An address without a word for one: "22 rue des Arcades, 21000 Dijon", "Storgatan 8, Jakobstad", "Pécs, Király utca 44.,". */
const street = lazy(
  () =>
    new RegExp(
      "(?<=[\\p{Ll}\\d,:] )(?:" +
        [
          `\\d{1,4}(?: bis| ter|\\p{Ll})?,? (?:\\p{L}[\\p{L}.'’-]{1,24} ){1,5}\\p{L}[\\p{L}'’-]{1,24}(?:, ${PART}){1,3}`,
          `${NAME} ${HOUSE}(?:, ${PART}){1,3}`,
          `${NAME}, ${NAME} (?:\\p{Ll}{2,12} )?${HOUSE}(?:\\.(?=,))?`,
        ].join("|") +
        ")(?=[.;!?)]|\\s*$| [(-]| \\p{Ll}|, \\p{Ll})",
      "gu",
    ),
);

/** Whether a value can be a place: words, no day and no link. */
const mayBePlace = (value: string, context: DateContext): boolean =>
  /\p{L}{2}/u.test(value) &&
  !value.startsWith("\ufffc") &&
  !datesIn(value, context).some(({ isCertain }) => isCertain);

/** A place without links, and without the way to it that brackets add in small letters: "(entrance from the yard)". */
const cleaned = (place: string): string | null =>
  place.replaceAll("\ufffc", "").trim().replace(DIRECTIONS, "") || null;

const DIRECTIONS = /(?<=\S)\s{1,3}\(\p{Ll}[^()\d\p{Lu}]{2,80}\)$/u;

/** Words between "address" and the address itself: "*we have on file:*". */
const MAX_LEAD_CHARS = 20;
/** Behind the street comes its number; with a landmark before it a bit later. */
const MAX_STREET_CHARS = 60;

/** The address behind a word for one in running text, up to the end of its sentence; null without the number of a house. */
function addressIn(line: string): string | null {
  for (const { end } of whereLabel().all(lowered(line))) {
    const behind = line.slice(end, end + MAX_PLACE_CHARS);
    const lead = /^[^,.;:：]{0,20}[:：]\s*/.exec(behind)?.[0] ?? /^\s+/.exec(behind)?.[0] ?? null;
    if (lead === null || lead.length > MAX_LEAD_CHARS + 2) continue;
    const address = upToDescription(addressEnd(behind.slice(lead.length)));
    const isNamed = /[:：]/.test(lead);
    const isStart = isNamed || /^[\p{Lu}\d„"“]|^\p{Ll}{1,6}\.\s/u.test(address);
    const isStreet = /\d/.test(address.slice(0, MAX_STREET_CHARS)) && /\p{L}{3}/u.test(address);
    if (isStart && isStreet) return address;
  }
  return null;
}

/** A text up to the end of its sentence, where abbreviations of an address end none: "ul. Leśna 3", "ет. 2". */
function addressEnd(text: string): string {
  const end = /(?<=[\p{L}\p{M}]{4}|[\d)])[.;](?=\s+\p{Lu}|\s*$)| \(/u.exec(text);
  return sentenceEnd(end === null ? text : text.slice(0, end.index));
}

/** Drops what follows an address in its sentence: parts in small letters without a number. */
function upToDescription(address: string): string {
  const parts = address.split(/,\s*/);
  const end = parts.findIndex((part, at) => at > 0 && !/\d/.test(part) && /^\p{Ll}/u.test(part));
  return parts.slice(0, end === -1 ? undefined : end).join(", ");
}
