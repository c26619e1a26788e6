import { addressParser, decodeWords } from "postal-mime";
import { MAX_SUBJECT_CHARS } from "../../contract/sending.ts";
import type { NamedAddress } from "./parsed-mail.ts";

/** Addresses kept of To and of Cc; the largest hosts take 1,000 recipients in one message. */
export const MAX_ADDRESSES = 1_000;
/** Ancestors kept, the nearest ones; threads this deep exist only in attacks. */
export const MAX_REFERENCES = 100;
/** RFC 5322 §2.1.1: no id can be longer than a line. A longer one is none: cut, it could equal another. */
export const MAX_MESSAGE_ID_CHARS = 998;
/** The longest display name or address, in characters. */
const MAX_NAME_CHARS = 998;

/** One line of well-formed text without controls, cut between characters. */
export function oneLine(text: string, maxChars: number): string {
  const clean = text
    .replaceAll("\0", "")
    .replace(/\p{Cc}+|[\u2028\u2029]+/gu, " ")
    .toWellFormed()
    .trim();
  return clean.length <= maxChars
    ? clean
    : clean
        .slice(0, maxChars)
        .replace(/[\ud800-\udbff]$/, "")
        .trimEnd();
}

/** Raw bytes inside an encoded word are no encoding of its charset; header-block has decoded them, so the word is UTF-8 now. */
function settled(value: string): string {
  return value.replace(/=\?[^?\s]+\?Q\?([^?]*)\?=/gi, (word: string, text: string) =>
    /[^\p{ASCII}]/u.test(text) && !/=[0-9a-f]{2}/i.test(text) ? `=?utf-8?Q?${text}?=` : word,
  );
}

/** A Subject value with its encoded words decoded. */
export function subjectText(value: string): string {
  return oneLine(decodeWords(settled(value)), MAX_SUBJECT_CHARS);
}

/** The mailboxes of address fields in order, groups unfolded, at most {@link MAX_ADDRESSES}. */
export function namedAddresses(values: readonly string[]): NamedAddress[] {
  const found: NamedAddress[] = [];
  for (const value of values) {
    for (const { name, address } of addressParser(settled(value), { flatten: true })) {
      if (found.length === MAX_ADDRESSES) return found;
      const named = { name: oneLine(name, MAX_NAME_CHARS), address: oneLine(address ?? "", MAX_NAME_CHARS) };
      if (named.address !== "" || named.name !== "") found.push(named);
    }
  }
  return found;
}

/** Message ids in a field, each with angle brackets; ids without brackets count where the field holds nothing else. */
export function messageIds(value: string): string[] {
  const bracketed = [...value.matchAll(/<([^<>]+)>/g)].map(([, id]) =>
    (id ?? "").replace(/[\s\p{Cc}]+/gu, ""),
  );
  const ids = bracketed.length > 0 ? bracketed : bareIds(value);
  return ids
    .filter((id) => id !== "" && id.length <= MAX_MESSAGE_ID_CHARS - 2)
    .map((id) => `<${id.toWellFormed()}>`);
}

function bareIds(value: string): string[] {
  const tokens = value.split(/[\s,]+/).filter((token) => token !== "");
  if (tokens.length === 1) return tokens.filter((token) => /^[^<>"]+$/.test(token));
  return tokens.every((token) => /^[^<>"@]+@[^<>"@]+$/.test(token)) ? tokens : [];
}

/**
 * References and In-Reply-To as one chain (of a long one the root and the nearest), nearest ancestor last, without repeats
 * and without the message itself.
 */
export function ancestors(
  references: readonly string[],
  inReplyTo: readonly string[],
  own: string | null,
): string[] {
  const chain = new Set([...references, ...inReplyTo]);
  if (own !== null) chain.delete(own);
  const ids = [...chain];
  return ids.length <= MAX_REFERENCES ? ids : [...ids.slice(0, 1), ...ids.slice(1 - MAX_REFERENCES)];
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** RFC 5322 §4.3, minutes east of Greenwich; other letters mean -0000. */
const ZONE_MINUTES: ReadonlyMap<string, number> = new Map([
  ["est", -300],
  ["edt", -240],
  ["cst", -360],
  ["cdt", -300],
  ["mst", -420],
  ["mdt", -360],
  ["pst", -480],
  ["pdt", -420],
]);
const DATE_TIME =
  /(\d{1,2})[\s-]+([a-z]{3})[a-z]*[\s-]+(\d{2,4})\s+(\d{1,2})\s*:\s*(\d{2})(?:\s*:\s*(\d{2}))?(?:\.\d+)?\s*([+-]\d{4}|[a-z]{1,5})?/i;

/**
 * A Date field as ISO 8601 UTC, or null. Not `new Date(text)`: that reads a date without zone in the zone of the
 * machine, and words that are no date at all.
 */
export function isoDate(value: string): string | null {
  const text = value.slice(0, MAX_NAME_CHARS).replaceAll(/\([^()]*\)/g, " ");
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/.test(text)) return isoOf(Date.parse(text));
  const match = DATE_TIME.exec(text);
  if (match === null) return null;
  const [day, hour, minute, second] = [match[1], match[4], match[5], match[6]].map((part) =>
    Number(part ?? 0),
  );
  const month = MONTHS.indexOf((match[2] ?? "").toLowerCase());
  if (month === -1 || !isClock([day, hour, minute, second])) return null;
  const wall = Date.UTC(fullYear(match[3] ?? ""), month, day, hour, minute, second);
  return isoOf(wall - zoneMinutes(match[7] ?? "") * 60_000);
}

function isClock([day = 0, hour = 0, minute = 0, second = 0]: readonly (number | undefined)[]): boolean {
  return day >= 1 && day <= 31 && hour <= 23 && minute <= 59 && second <= 60;
}

/** RFC 5322 §4.3: two digits below 50 are of this century; three count from 1900. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return year < 50 && digits.length === 2 ? 2000 + year : 1900 + year;
}

function zoneMinutes(zone: string): number {
  const offset = /^([+-])(\d{2})(\d{2})$/.exec(zone);
  if (offset === null) return ZONE_MINUTES.get(zone.toLowerCase()) ?? 0;
  const minutes = Number(offset[2]) * 60 + Number(offset[3]);
  return offset[1] === "-" ? -minutes : minutes;
}

function isoOf(timeMs: number): string | null {
  const year = Number.isNaN(timeMs) ? -1 : new Date(timeMs).getUTCFullYear();
  return year >= 0 && year <= 9999 ? new Date(timeMs).toISOString() : null;
}
