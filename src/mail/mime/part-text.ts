import type { PartNode } from "./postal-mime-internals.ts";
import type { BodyStart } from "./transfer-decoding.ts";
import { wholeUtf8 } from "./utf8-cut.ts";

/** An iCalendar file is turned into UTF-8 up to this size, in bytes; a larger one stays as its sender encoded it. */
export const MAX_CALENDAR_BYTES = 1_000_000;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A body of which the decoded beginning can be read. */
export interface StartOfBody {
  /** The first `maxBytes` of the decoded body, and whether that is all of it. */
  start(maxBytes: number): BodyStart;
}

/** A multipart without any delimiter line has no parts, so its lines are read as text. */
export function readAsText({ contentType, childNodes }: PartNode): void {
  if (contentType.multipart === false || childNodes.length > 0) return;
  contentType.multipart = false;
  contentType.parsed = { value: "text/plain", params: {} };
}

/** Whether a text part is a file: it has a name, and does not open its multipart (RFC 8621 §4.1.4). */
export function isNamedFile(node: PartNode): boolean {
  const isNamed = Boolean(
    node.contentDisposition.parsed.params.filename ?? node.contentType.parsed.params.name,
  );
  return isNamed && node.parentNode !== undefined && node.parentNode.childNodes[0] !== node;
}

/** Whether a part is an iCalendar file, which is turned into UTF-8. */
export function isCalendar({ contentType }: PartNode): boolean {
  return /^(?:text\/calendar|application\/ics)$/.test(contentType.parsed.value);
}

/** The decoded bytes that `maxBytes` of UTF-8 may take: only text in a two-byte charset can become shorter as UTF-8. */
export function bytesToRead({ contentType }: PartNode, maxBytes: number): number {
  return isWide(contentType.parsed.params.charset) ? 2 * maxBytes : maxBytes;
}

/**
 * Gives a node the decoded beginning of its body, enough for `maxBytes` of UTF-8, and a charset if it declares none. Returns
 * whether something is left out.
 */
export function setText(node: PartNode, body: StartOfBody, maxBytes: number): boolean {
  const { params } = node.contentType.parsed;
  const { bytes, isWhole } = body.start(bytesToRead(node, maxBytes));
  const kept = isWhole || isWide(params.charset) ? bytes : wholeUtf8(bytes);
  node.content = kept;
  if (isUndeclared(params.charset)) params.charset = charsetOf(kept);
  return !isWhole;
}

/** The text of a file; null if it is longer. */
export function textOf(node: PartNode, body: StartOfBody, maxBytes: number): string | null {
  if (setText(node, body, maxBytes)) return null;
  const text = node.getTextContent();
  node.content = null;
  return text;
}

/** A text as it is stored: well-formed, with `\n` for line ends. */
export function cleanText(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "").toWellFormed();
}

function isWide(charset = ""): boolean {
  return /^\s*(?:utf-?16|ucs-?2|iso-10646)/i.test(charset);
}

/** us-ascii is the default (RFC 2045 §5.2), and what scripts declare that write UTF-8. */
function isUndeclared(charset: string | undefined): boolean {
  return (
    charset === undefined ||
    /^(?:|us-ascii|ascii|unknown.*|x-unknown|8bit|7bit|binary)$/i.test(charset.trim())
  );
}

function charsetOf(content: Uint8Array): "utf-8" | "windows-1252" {
  return isUtf8(content) ? "utf-8" : "windows-1252";
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    UTF8.decode(bytes);
    return true;
  } catch {
    // The decoder throws at the first invalid sequence.
    return false;
  }
}
