import { latin1 } from "../../lib/latin1.ts";
import { canonicalDomain } from "../address/address.ts";
import { isEmptyLine, lineEnd, MAX_NAME_BYTES, skipEmptyLines } from "../mime/header-block.ts";
import { hasClearHeader } from "./clear-header.ts";

/** Characters of a From field that are read; a longer one has more than one author, or is hostile. */
const MAX_FIELD_CHARS = 4_096;

/** RFC 5322 §4.5 lets blanks stand before the colon. */
const FROM_FIELD = /^from[ \t]*:/i;

/** Takes the place of a quoted string. */
const QUOTED = "q";

/** The author that a header names. */
export interface Author {
  /**
   * In canonical form (lower case, A-labels). Null unless there is exactly one From field with exactly one address whose domain
   * can be read: programs disagree about which of several authors they show, so none of them is ever proven. Null also for a
   * header that programs may read differently (`hasClearHeader`).
   */
  domain: string | null;
  /** Of more than two only two are counted. */
  fromFields: 0 | 1 | 2;
}

/** Reads who wrote a message, from its bytes or from those of its header alone. */
export function authorOf(raw: Uint8Array): Author {
  const [only, ...others] = fromFields(raw);
  if (only === undefined) return { domain: null, fromFields: 0 };
  if (others.length > 0) return { domain: null, fromFields: 2 };
  return { domain: hasClearHeader(raw) ? domainIn(only) : null, fromFields: 1 };
}

/** The contents of the From fields of a header, still folded: at most two. */
function fromFields(raw: Uint8Array): string[] {
  const found: string[] = [];
  let isInside = false;
  for (let at = skipEmptyLines(raw); at < raw.length && found.length < 2;) {
    const end = lineEnd(raw, at);
    if (isEmptyLine(raw, at, end)) break;
    const isFolded = raw[at] === 0x20 || raw[at] === 0x09;
    if (!isFolded) isInside = isFromField(raw.subarray(at, end));
    if (isInside && isFolded) found.push(`${found.pop() ?? ""}${textOf(raw.subarray(at, end))}`);
    else if (isInside) found.push(textOf(raw.subarray(at, end)).replace(FROM_FIELD, ""));
    at = end;
  }
  return found;
}

function isFromField(line: Uint8Array): boolean {
  // Most lines are something else, and this is the fastest way to see it.
  if (line[0] !== 0x46 && line[0] !== 0x66) return false;
  return FROM_FIELD.test(latin1(line.subarray(0, MAX_NAME_BYTES)));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, MAX_FIELD_CHARS + 1));
}

/** The domain of the only address of a From field. */
function domainIn(field: string): string | null {
  if (field.length > MAX_FIELD_CHARS) return null;
  const plain = withoutCommentsAndQuotes(field);
  if (plain === null) return null;
  const [, name = "", inAngles] = /^([^<>]*)<([^<>]*)>\s*$/.exec(plain) ?? [];
  // Many write "Doe, John <john@example.com>" without quotes; with an address in it, it is a list.
  if (/[,:;]/.test(name) && name.includes("@")) return null;
  const address = (inAngles ?? plain).trim();
  const parts = /^[^\s@<>,:;\\[\]]+@([^\s@<>,:;\\[\]\0]+)$/.exec(address);
  return parts === null ? null : canonicalDomain(parts[1] ?? "");
}

/** A structured field without its comments, and a letter in the place of each quoted string; null if one never closes. */
function withoutCommentsAndQuotes(field: string): string | null {
  let plain = "";
  let depth = 0;
  for (let at = 0; at < field.length; at += 1) {
    const char = field[at] ?? "";
    if (char === "\\" && depth > 0) at += 1;
    else if (char === "(") depth += 1;
    else if (char === ")" && depth > 0) depth -= 1;
    else if (depth > 0) continue;
    else if (char === '"') {
      at = closingQuote(field, at);
      if (at === -1) return null;
      plain += QUOTED;
    } else plain += char;
  }
  return depth === 0 ? plain : null;
}

/** The index of the quote that closes the one at `open`; -1 if none does. */
function closingQuote(field: string, open: number): number {
  for (let at = open + 1; at < field.length; at += 1) {
    if (field[at] === "\\") at += 1;
    else if (field[at] === '"') return at;
  }
  return -1;
}
