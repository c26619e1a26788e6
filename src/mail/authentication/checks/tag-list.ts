/** RFC 6376 §3.2. */
const TAG_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
/** Printable ASCII and folding blanks; bytes above ASCII are for names in UTF-8 (RFC 8616). */
const TAG_VALUE = /^[\t\r\n\x20-\x3a\x3c-\x7e\x80-\xff]*$/;

/** Removes the blanks at both ends: space, tab, and line ends of folding. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;

/** Removes all blanks: base64 may be folded anywhere. */
export function withoutBlanks(text: string): string {
  return text.replace(/[ \t\r\n]+/g, "");
}

/**
 * A list of `tag=value` (RFC 6376 §3.2), in the order of the text. Null if it is malformed or a tag stands twice. Names are
 * case-sensitive. Time is linear in the length.
 */
export function readTags(text: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  const specs = text.split(";");
  // A semicolon may end the list.
  if (specs.length > 1 && trimmed(specs.at(-1) ?? "") === "") specs.pop();
  for (const spec of specs) {
    const equals = spec.indexOf("=");
    if (equals === -1) return null;
    const name = trimmed(spec.slice(0, equals));
    const value = trimmed(spec.slice(equals + 1));
    if (!TAG_NAME.test(name) || !TAG_VALUE.test(value) || tags.has(name)) return null;
    tags.set(name, value);
  }
  return tags;
}

/** The bytes of a base64 text in which blanks are ignored; null for anything else, or for bits that no encoder sets. */
export function base64Bytes(text: string): Buffer | null {
  const compact = withoutBlanks(text);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return null;
  const bytes = Buffer.from(compact, "base64");
  return bytes.toString("base64").replace(/=+$/, "") === compact.replace(/=+$/, "") ? bytes : null;
}

/** A whole number of at most 12 digits; null for anything else (RFC 6376 §3.5 `t=`, `x=`). */
export function wholeNumber(text: string): number | null {
  return /^[0-9]{1,12}$/.test(text) ? Number(text) : null;
}
