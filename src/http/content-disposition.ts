import { done, refused, type Outcome } from "../lib/outcome.ts";

/** A name of 200 characters of three bytes each fits twice. */
const MAX_DISPOSITION_CHARS = 4_096;

const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const BLANK = "[ \\t]*";
/** The type; each parameter, or the empty place of one (RFC 9110 §5.6.6). Text is UTF-8, as clients send it. */
const TYPE = new RegExp(`^${BLANK}${TOKEN}${BLANK}(?=;|$)`);
const PARAMETER = new RegExp(
  `;${BLANK}(?:(${TOKEN})${BLANK}=${BLANK}(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")${BLANK})?(?=;|$)`,
  "suy",
);
/** RFC 8187 §3.2.1. */
const EXTENDED = /^utf-8'[A-Za-z0-9-]*'((?:%[0-9A-Fa-f]{2}|[A-Za-z0-9!#$&+.^_`|~-])*)$/i;

/**
 * The name of a file out of `Content-Disposition` (RFC 6266), null if it states none: `filename*` (RFC 8187) before
 * `filename`. A field that breaks the grammar is refused, because its meaning would be a guess.
 * Not the `content-disposition` package: it reads a field that breaks the grammar, or names a parameter twice, as if the fault
 * were not there.
 */
export function readDispositionFilename(field: string): Outcome<string | null, string> {
  if (field.length > MAX_DISPOSITION_CHARS) {
    return refused(`must be at most ${MAX_DISPOSITION_CHARS} characters`);
  }
  const parameters = readParameters(field);
  if (parameters === null) {
    return refused(`must be as in attachment; filename="report.pdf", each parameter once`);
  }
  const extended = parameters.get("filename*");
  if (extended === undefined) return done(parameters.get("filename") ?? null);
  const name = decodeExtended(extended);
  return name === null ? refused("filename* must be as in UTF-8''na%C3%AFve.txt") : done(name);
}

/** The parameters by their names in lower case; null where the syntax is wrong or a name comes twice. */
function readParameters(field: string): Map<string, string> | null {
  const parameters = new Map<string, string>();
  const text = field.trimEnd();
  let end = TYPE.exec(text)?.[0].length ?? null;
  if (end === null) return null;
  while (end < text.length) {
    PARAMETER.lastIndex = end;
    const match = PARAMETER.exec(text);
    if (match === null) return null;
    end += match[0].length;
    const [, name, token, quoted = ""] = match;
    if (name === undefined) continue;
    const key = name.toLowerCase();
    if (parameters.has(key)) return null;
    parameters.set(key, token ?? quoted.replace(/\\(.)/gsu, "$1"));
  }
  return parameters;
}

function decodeExtended(value: string): string | null {
  const [, encoded] = EXTENDED.exec(value) ?? [];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    // The bytes are no UTF-8.
    return null;
  }
}

/** Characters that encodeURIComponent leaves and RFC 8187 §3.2.1 wants encoded. */
const STILL_TO_ENCODE = /['()*]/g;

/**
 * `Content-Disposition: attachment` with a name every client can read (RFC 6266): `filename` in plain ASCII and
 * `filename*` in UTF-8 (RFC 8187). Nothing of the name can end the header.
 */
export function attachmentDisposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    STILL_TO_ENCODE,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
