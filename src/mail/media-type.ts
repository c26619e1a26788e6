/** What the bytes are whose type nobody tells (RFC 2046 §4.5.1). */
export const UNKNOWN_TYPE = "application/octet-stream";

/** Characters of a media type with its parameters; RFC 6838 §4.2 allows 127 on each side of the slash. */
export const MAX_MEDIA_TYPE_CHARS = 255;

const TOKEN = "[A-Za-z0-9!#$&^_.+-]{1,127}";
const PARAMETER = `\\s{0,3};\\s{0,3}${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]{0,127}")`;
const MEDIA_TYPE = new RegExp(`^(${TOKEN}/${TOKEN})((?:${PARAMETER})*)$`);

/** A media type (RFC 2045 §5.1) with its type in lower case and its parameters as written; null if it is no such thing. */
export function readMediaType(written: string): string | null {
  if (written.length > MAX_MEDIA_TYPE_CHARS) return null;
  const [, type, parameters = ""] = MEDIA_TYPE.exec(written.trim()) ?? [];
  return type === undefined ? null : type.toLowerCase() + parameters;
}
