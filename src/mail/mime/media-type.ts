/** Characters of a media type with its parameters; RFC 6838 §4.2 allows 127 on each side of the slash. */
export const MAX_CHARS = 255;

const RESTRICTED_NAME = "[A-Za-z0-9!#$&^_.+-]{1,127}";
/** RFC 2045 §5.1. */
const TOKEN = "[A-Za-z0-9!#$%&'*+^_`{|}~.-]+";
const QUOTED = '"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"';
const PARAMETER = ` *; *(${TOKEN})=(${TOKEN}|${QUOTED})`;

const MEDIA_TYPE = new RegExp(`^(${RESTRICTED_NAME}/${RESTRICTED_NAME})((?:${PARAMETER})*) *$`);
const EACH_PARAMETER = new RegExp(PARAMETER, "g");

/** Parameters that the file name and the structure of the message already give. */
const OURS = /^(?:name|filename|boundary)(?:\*|$)/i;

/** Any bytes (RFC 2046 §4.5.1). */
export const ANY_BYTES = "application/octet-stream";

/**
 * The media type of a file to send, as it will be written; {@link ANY_BYTES} for "", null for no media type. Parameters stay,
 * but for names and boundaries, which are the service's to write. A message or a multipart may not be encoded (RFC 2045
 * §6.4), and unencoded not every server would pass it on: it is sent as plain bytes, and its name tells its type.
 */
export function sendableMediaType(written: string): string | null {
  const [, type = "", parameters = ""] = MEDIA_TYPE.exec(written.trim() || ANY_BYTES) ?? [];
  if (type === "" || written.length > MAX_CHARS) return null;
  if (/^(?:message|multipart)\//i.test(type)) return ANY_BYTES;
  const kept = [...parameters.matchAll(EACH_PARAMETER)]
    .filter(([, name = ""]) => !OURS.test(name))
    .map(([, name = "", value = ""]) => `; ${name.toLowerCase()}=${value}`);
  return type.toLowerCase() + kept.join("");
}

/** A media type with its type in lower case and its parameters as written; null if it is no such thing. */
export function readMediaType(written: string): string | null {
  const [, type, parameters = ""] = MEDIA_TYPE.exec(written.trim()) ?? [];
  return type === undefined || written.length > MAX_CHARS ? null : type.toLowerCase() + parameters;
}
