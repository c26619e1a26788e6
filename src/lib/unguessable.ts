/** A UUID of any version. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-([0-9a-f])[0-9a-f]{3}-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{12}/gi;
/** 128 bits in hex. */
const HEX = /[0-9a-f]{32,}|[0-9A-F]{32,}/g;
/** 128 bits in base64url. */
const MIN_BASE64URL_CHARS = 22;
/** From here on the runs of letters or digits of a text are words on average. One random text in 1,500 looks so. */
const MIN_WORD_CHARS = 3.7;

/**
 * Whether a key has the form of a random one: it contains a UUID of version 4 or 7, 32 hex digits, or 22 characters of base64url.
 * False for words, counters, timestamps and repetitions. This judges the form alone: a key may have been published.
 *
 * @param key characters of `A-Za-z0-9._:-`
 */
export function isUnguessable(key: string): boolean {
  if ((key.match(UUID) ?? []).some(isRandomUuid)) return true;
  // The other versions are made of clocks, addresses and names.
  const rest = key.replace(UUID, ":");
  return (rest.match(HEX) ?? []).some(isRandomHex) || endingsOf(rest).some(isRandomBase64Url);
}

/** RFC 9562: version 4 has 122 random bits; version 7 has 74 behind a timestamp. */
function isRandomUuid(uuid: string): boolean {
  const digits = uuid.replaceAll("-", "").toLowerCase();
  const version = digits.charAt(12);
  const random = `${version === "4" ? digits.slice(0, 12) : ""}${digits.slice(13, 16)}${digits.slice(17)}`;
  return /[47]/.test(version) && /[89ab]/.test(digits.charAt(16)) && isVaried(random);
}

/** Digits alone are a timestamp or a counter. */
function isRandomHex(text: string): boolean {
  return /[0-9]/.test(text) && /[a-f]/i.test(text) && isVaried(text);
}

/** In base64url small letters, capitals and digits alternate; words and numbers are long runs. */
function isRandomBase64Url(text: string): boolean {
  const hasBothCases = /[a-z]/.test(text) && /[A-Z]/.test(text);
  if (text.length < MIN_BASE64URL_CHARS || !hasBothCases || !isVaried(text)) return false;
  const runs = text.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? [];
  return text.length / runs.length < MIN_WORD_CHARS;
}

/** Whether a third of the pairs of neighbors are new: neither a repetition nor a step such as `aa`, `ab` or `21`. */
function isVaried(text: string): boolean {
  const pairs = pairsOf(text.toLowerCase());
  const isStep = (pair: string): boolean => Math.abs(pair.charCodeAt(0) - pair.charCodeAt(1)) <= 1;
  return 3 * new Set(pairs.filter((pair) => !isStep(pair))).size >= pairs.length;
}

function pairsOf(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
}

/** The parts between dots and colons, and what follows each hyphen and underscore in them: random bits may follow a prefix. */
function endingsOf(text: string): string[] {
  return text
    .split(/[.:]/)
    .flatMap((part) => [part, ...Array.from(part.matchAll(/[_-]/g), ({ index }) => part.slice(index + 1))]);
}
