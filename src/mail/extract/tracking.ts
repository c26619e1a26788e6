import { lowered } from "../code/key-words.ts";
import { lazy } from "../lazy.ts";
import { anyOf, wordsOf } from "../languages/matching.ts";
import { labelled, phrases } from "./labelled-values.ts";
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

/** Matches a number behind its label: letters and digits, in groups. */
const labelledNumberForm = lazy(() => {
  const is = anyOf(wordsOf(({ parcel }) => parcel?.beforeNumber));
  return new RegExp(
    `^(?:(?:${is})|:|：)?[\\s:：#№(]*(?<number>[A-Z0-9](?:[ .-]?[A-Z0-9]){7,39})(?![A-Z0-9])`,
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
    linkedNumber(raw, carriers)
  );
}

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

/**
 * A number in groups, without the words that follow it: a group without digits ends it, unless it is the first or a country. Joined
 * as carriers print it, and with its hyphens: a shop's own numbers have them for good ("KTX-2025-118").
 */
function ofOneNumber(written: string): { joined: string; hyphenated: string } | null {
  const groups = Array.from(written.matchAll(/(?<mark>^|[ .-])(?<group>[^ .-]+)/g), ({ groups }) => ({
    mark: groups?.mark ?? "",
    group: groups?.group ?? "",
  }));
  const end = groups.findIndex(({ group }, at) => at > 0 && !/\d/.test(group) && !/^[A-Z]{2}$/.test(group));
  const kept = groups.slice(0, end === -1 ? undefined : end);
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
