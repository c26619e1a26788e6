/** The first of the Unicode pictures of the control characters U+0000 to U+001F. */
const CONTROL_PICTURES = 0x24_00;
const DELETE_PICTURE = "\u2421";
const REPLACEMENT = "\uFFFD";

/** The most combining marks that one character keeps: a tower of them covers the lines above and below. */
const MAX_MARKS = 4;

/** Control characters but for the line feed. The C1 controls are commands of 8-bit terminals (ECMA-48). */
const CONTROLS = /(?!\n)\p{Cc}/gu;

/**
 * Invisible characters of the format category: those that turn the direction of writing, so that text shows in another
 * order than it has (CVE-2021-42574), zero-width ones, and tags. The two joiners stay: scripts and emoji need them.
 */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}/gu;

const TOWERS = new RegExp(`(\\p{M}{${MAX_MARKS}})\\p{M}+`, "gu");

function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code === 0x7f) return DELETE_PICTURE;
  return code < 0x20 ? String.fromCharCode(CONTROL_PICTURES + code) : REPLACEMENT;
}

/**
 * Text of a stranger that a terminal may show: no character of it moves the cursor, changes colours, sets the title or
 * turns the direction of writing. Control characters are shown as pictures (ESC as ␛). Lines are kept.
 */
export function safeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replaceAll("\t", "    ")
    .replaceAll(CONTROLS, pictureOf)
    .replaceAll(INVISIBLE, "")
    .replaceAll(TOWERS, "$1");
}

/** As `safeText`, on one line. */
export function safeLine(text: string): string {
  return safeText(text).replaceAll(/\s+/g, " ").trim();
}

/** Characters that JSON does not escape, and that a terminal obeys or a reader of lines takes for a line end. */
const UNSAFE_IN_JSON = /[\x7f-\x9f\u2028\u2029]|\p{Cf}/gu;

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}

/** A value as JSON on one line of printable characters. Reading it gives the value unchanged. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSAFE_IN_JSON, escaped);
}
