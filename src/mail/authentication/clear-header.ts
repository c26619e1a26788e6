import { latin1 } from "../../lib/latin1.ts";
import {
  isEmptyLine,
  lineEnd,
  MAX_FIELD_BYTES,
  MAX_FIELDS,
  MAX_HEADER_BYTES,
  MAX_NAME_BYTES,
} from "../mime/header-block.ts";

const CR = 0x0d;
const LF = 0x0a;
const NUL = 0;

/** A name of printable ASCII, and the colon in the same line; RFC 5322 §4.5 lets blanks stand before it. */
const FIELD_START = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:/;

/**
 * Fields that a message has once (RFC 5322 §3.6, RFC 2045, RFC 2183) and that say what is shown. Of two a signature covers the
 * lowest, while readers show the topmost (RFC 6376 §8.15).
 */
const ONCE: ReadonlySet<string> = new Set(
  (
    "from sender reply-to to cc bcc subject date message-id in-reply-to references " +
    "mime-version content-type content-transfer-encoding content-disposition content-id"
  ).split(" "),
);

/**
 * Whether a message has a header that all programs read alike: those that check it, and those that show it. Where they could
 * disagree about the fields or about where the body begins, a signature may cover another text than the one that is shown.
 *
 * A clear header begins with a field; its lines are fields and their continuations, without NUL, and end with CR LF or LF,
 * without any other CR; fields that say what is shown stand once; and it lies within the limits of the reader that shows it.
 *
 * @param raw the message, or its header alone
 */
export function hasClearHeader(raw: Uint8Array): boolean {
  const seen = new Set<string>();
  let fields = 0;
  let fieldStart = 0;
  for (let at = 0; at < raw.length;) {
    const end = lineEnd(raw, at);
    if (end > MAX_HEADER_BYTES || !isClearLine(raw.subarray(at, end))) return false;
    // Empty lines before a header are passed over by some programs, and end it for others.
    if (isEmptyLine(raw, at, end)) return at > 0;
    if (!isFolded(raw, at)) {
      const name = nameOf(raw.subarray(at, end));
      fields += 1;
      if (name === null || seen.has(name) || fields > MAX_FIELDS) return false;
      if (ONCE.has(name)) seen.add(name);
      fieldStart = at;
    } else if (at === 0) return false;
    if (end - fieldStart > MAX_FIELD_BYTES) return false;
    at = end;
  }
  return true;
}

function isFolded(raw: Uint8Array, at: number): boolean {
  return raw[at] === 0x20 || raw[at] === 0x09;
}

/** Whether a line, its line end included, holds no NUL, and no CR but that of its line end. */
function isClearLine(line: Uint8Array): boolean {
  const cr = line.indexOf(CR);
  const isLineEnd = cr === line.length - 2 && line.at(-1) === LF;
  return (cr === -1 || isLineEnd) && !line.includes(NUL);
}

/** The name of the field that a line begins, in lower case; null if it begins none. */
function nameOf(line: Uint8Array): string | null {
  return FIELD_START.exec(latin1(line.subarray(0, MAX_NAME_BYTES)))?.[1]?.toLowerCase() ?? null;
}
