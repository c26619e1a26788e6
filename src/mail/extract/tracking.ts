import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import { anyOf, listed, wordsOf } from "../languages/matching.ts";
import { languages } from "../tables/tables.ts";
import { carrierSpans, carriersIn } from "./carriers.ts";
import { finderOf, labelled, phrases } from "./labelled-values.ts";
import type { ReadText } from "./mail-text.ts";
import { parcelNear } from "./shared-phrases.ts";
import { judge, TELLING_NUMBER, type Carrier } from "./tracking-number.ts";

/** The number of a parcel with who carries it, as far as number and mail tell. */
export interface Tracking {
  number: string;
  carrier: Carrier | null;
  /** Null where the number has no check digit that is known. */
  isValid: boolean | null;
}

const numberLabel = phrases(({ parcel }) => parcel?.numberLabel);

/** Matches a number behind its label: letters and digits, in groups. Words may end the label: "locator *of the parcel:* 4711". */
const labelledNumberForm = lazy(() => {
  const is = anyOf(wordsOf(({ parcel }) => parcel?.beforeNumber));
  return new RegExp(
    `^(?:(?:${is})|[^\\d:：,;.]{0,30}[:：])?[\\s:：#№(]*(?<number>[A-Z0-9](?:[ .-]?[A-Z0-9]){7,39})(?![A-Z0-9]|[年月日년월])`,
    "iu",
  );
});

const MIN_DIGITS = 6;
/** A number in capitals may have fewer: no word has two. */
const MIN_DIGITS_IN_CAPITALS = 2;
const MIN_CHARS = 8;
const MAX_CHARS = 34;

/** Parameters of carriers' tracking pages. */
const IN_LINK =
  /[?&/](?:tracknums?|tracknumbers?|trknbr|tlabels|qtc_tlabels1|piececode|tracking[_-]?(?:id|number|no)?|idc|barcode|awb|consignment|trackingid)=(?<number>[A-Z0-9]{8,34})(?![A-Z0-9])/gi;

/** Lines beside a number of a well-known form in which the parcel is spoken of. */
const NEAR_LINES = 3;
const MAX_NUMBERS = 50;

/** The number of the parcel: behind a label, else one whose form and check digit tell, else out of a link. */
export function trackingIn({ subject, lines, raw }: ReadText, carriers: readonly Carrier[]): Tracking | null {
  return (
    labelledNumber([subject, ...lines], carriers) ??
    tellingNumber([subject, ...lines], carriers) ??
    numberBehindName([subject, ...lines], carriers) ??
    linkedNumber(raw, carriers)
  );
}

/** Whether a text has a label of a parcel's number, be the number itself one or not. */
export const namesTracking = (lower: string): boolean => numberLabel().test(lower);

function labelledNumber(lines: readonly string[], carriers: readonly Carrier[]): Tracking | null {
  for (const { value } of labelled(lines, numberLabel()).slice(0, MAX_NUMBERS)) {
    const written = labelledNumberForm().exec(value)?.groups?.number;
    const number = written === undefined ? null : ofOneNumber(written);
    const found = number === null ? null : accepted(number.joined, carriers);
    if (found?.isValid === null && /[A-Z]/.test(found.number))
      return { ...found, number: number?.hyphenated ?? found.number };
    if (found !== null) return found;
  }
  return null;
}

/** Words for a parcel that nothing else has: those that stand near its number and name it in a subject. */
const parcelNoun = lazy(() =>
  finderOf(
    languages().flatMap(({ parcel }) => {
      const near = new Set(listed(parcel?.nearNumber));
      return listed(parcel?.word).filter((word) => near.has(word));
    }),
  ),
);

/** Between a word for a parcel and its number: "your parcel *with the number* 4711". */
const NUMBER_WORD =
  "(?:\\p{L}{1,4} ){0,2}(?:n[aeouúùò]?m[\\p{L}\\p{M}]{0,7}|nº|n°|nr|no|n|br|broj\\p{L}{0,2}|št|števil\\p{L}{1,3}|čísl\\p{L}{1,2}|č|szám\\p{L}{0,3}|αριθμ\\p{L}{1,3}|номер\\p{L}{0,2}|број\\p{L}{0,2}|số|رقم|شماره|نمبر|מספר|नंबर|নম্বর|எண்|หมายเลข|เลข|單號|单号|番号|번호)[.:：]{0,2} ?";
/** A long number right behind a word for a parcel or a carrier: "your parcel 4 1180 0927", "pošiljka br. 411800927". */
const behindName = (number: string): RegExp =>
  new RegExp(`^ ?(?:${NUMBER_WORD})?[(:：#№]{0,2} ?(?<number>${number})(?![A-Z\\d]|[./:-][A-Z\\d])`, "u");
const behindParcel = lazy(() => behindName("[A-Z\\d](?:[ -]?[A-Z\\d]){8,29}"));
/** Numbers of telephones stand in groups or are shorter. */
const behindCarrier = lazy(() => behindName("(?:[A-Z]{1,4}\\d{8,29}|\\d{12,29})[A-Z]{0,2}"));
const MIN_DIGITS_BEHIND_NAME = 9;
/** Numbers of telephones begin so and are shorter. */
const MIN_DIGITS_BEHIND_ZERO = 12;

function numberBehindName(lines: readonly string[], carriers: readonly Carrier[]): Tracking | null {
  for (const line of lines) {
    const lower = lowered(line);
    const places = [
      ...parcelNoun()
        .all(lower)
        .map(({ end }) => ({ end, form: behindParcel() })),
      ...(carriers.length === 0 ? [] : carrierSpans(lower)).map(({ end }) => ({
        end,
        form: behindCarrier(),
      })),
    ];
    for (const { end, form } of places) {
      const written = form.exec(line.slice(end, end + MAX_BEHIND_CHARS))?.groups?.number;
      const number = written === undefined ? null : ofOneNumber(written);
      const found = number === null ? null : accepted(number.joined, carriers);
      if (found !== null && isLong(found.number)) return found;
    }
  }
  return null;
}

const MAX_BEHIND_CHARS = 80;

function isLong(number: string): boolean {
  const digits = number.replace(/\D/g, "").length;
  return digits >= (number.startsWith("0") ? MIN_DIGITS_BEHIND_ZERO : MIN_DIGITS_BEHIND_NAME);
}

/**
 * A number in groups, without the words that follow it: a group without digits ends it, unless it is the first or a country. A
 * carrier's name before it is no part of it. Joined as carriers print it, and with its hyphens: a shop's own numbers have them for good ("KTX-2025-118").
 */
function ofOneNumber(written: string): { joined: string; hyphenated: string } | null {
  const groups = Array.from(written.matchAll(/(?<mark>^|[ .-])(?<group>[^ .-]+)/g), ({ groups }) => ({
    mark: groups?.mark ?? "",
    group: groups?.group ?? "",
  }));
  const end = groups.findIndex(({ group }, at) => at > 0 && !/\d/.test(group) && !/^[A-Z]{2}$/.test(group));
  const first = lowered(groups[0]?.group ?? "");
  // Letters that begin a number may be a short name of its carrier: only the usual one is none of it.
  const isCarrier = carriersIn(first).some((name) => lowered(name) === first);
  const kept = groups.slice(isCarrier ? 1 : 0, end === -1 ? undefined : end);
  const joined = kept.map(({ group }) => group).join("");
  const isCapitals = joined === joined.toUpperCase();
  const digits = joined.replace(/\D/g, "").length;
  const isDate = written.includes(".") && !/[A-Z]/i.test(joined);
  if (isDate || digits < (isCapitals ? MIN_DIGITS_IN_CAPITALS : MIN_DIGITS)) return null;
  const hyphenated = kept.map(({ mark, group }) => `${mark.trim()}${group}`).join("");
  return { joined: joined.toUpperCase(), hyphenated: hyphenated.toUpperCase() };
}

/** A labelled number, unless its check digit is wrong or it is too short for one. */
function accepted(number: string, carriers: readonly Carrier[]): Tracking | null {
  const length = number.length;
  if (length < MIN_CHARS || length > MAX_CHARS) return null;
  const verdict = judge(number, carriers);
  if (verdict?.isValid === false) return null;
  return {
    number,
    carrier: carrierFor(verdict?.carrier ?? null, carriers),
    isValid: verdict?.isValid ?? null,
  };
}

/** A post hands parcels to a carrier of its own, which the mail then names. */
function carrierFor(byForm: Carrier | null, named: readonly Carrier[]): Carrier | null {
  return byForm ?? named[0] ?? null;
}

/** A number with a right check digit and a form of its own, beside words about a parcel or a carrier's name. */
function tellingNumber(lines: readonly string[], carriers: readonly Carrier[]): Tracking | null {
  for (const [at, line] of lines.entries()) {
    for (const [written] of line.matchAll(TELLING_NUMBER)) {
      const number = written.replace(/ /g, "");
      const verdict = judge(number, carriers);
      if (verdict?.isValid !== true) continue;
      const near = lowered(lines.slice(Math.max(0, at - NEAR_LINES), at + NEAR_LINES + 1).join("\n"));
      // What stands near is the same for all numbers of the line.
      if (carriers.length === 0 && !parcelNear().test(near)) break;
      return { number, carrier: carrierFor(verdict.carrier, carriers), isValid: true };
    }
  }
  return null;
}

function linkedNumber(raw: string, carriers: readonly Carrier[]): Tracking | null {
  for (const match of Array.from(raw.matchAll(IN_LINK)).slice(0, MAX_NUMBERS)) {
    const found = accepted((match.groups?.number ?? "").toUpperCase(), carriers);
    if (found !== null) return found;
  }
  return null;
}
