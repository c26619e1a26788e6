/** Where the string literal whose content begins at `from` ends: the index of its closing quote; -1 if it is cut short. */
export function literalEnd(json: string, from: number): number {
  let end = json.indexOf('"', from);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes stands before `at`. */
export function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}

/** A string literal that was cut short, ended before an escape that was cut with it: one of up to six characters. */
export function closedLiteral(start: string): string {
  const whole = start.replace(/\\(?:u[0-9a-f]{0,3})?$/, "");
  return isEscaped(whole, whole.length) ? `${whole.slice(0, -1)}"` : `${whole}"`;
}

/** The ellipsis as JSON writes it in ASCII. */
export const ESCAPED_ELLIPSIS = "\\u2026";

/**
 * `value` as JSON, the ellipsis of our own excerpts as an escape: a text that is Latin but for it would take two bytes a
 * character, and so would the whole page that it is pasted into.
 */
export function latinJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("…", ESCAPED_ELLIPSIS);
}

/** A member of a JSON object that is a string: its value, and where its literal begins and ends in the text. */
export interface StringMember {
  value: () => string;
  start: number;
  end: number;
}

/**
 * Finds a string member without parsing the object: the first of that name, which must be there. Within a string no quote
 * stands without a backslash, so the name between quotes that have none, with a colon behind it, is found nowhere else.
 */
export function stringMember(json: string, name: string): StringMember {
  const key = `"${name}":"`;
  let at = json.indexOf(key);
  // The end of another name, which is somebody's header: `x"subject`.
  while (at !== -1 && isEscaped(json, at)) at = json.indexOf(key, at + 1);
  const start = at + key.length - 1;
  const end = literalEnd(json, start + 1) + 1;
  return { value: () => JSON.parse(json.slice(start, end)) as string, start, end };
}
